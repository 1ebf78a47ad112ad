"""out, alpha and beta; and what is refused has written nothing."""

from __future__ import annotations

import numpy as np
import pytest
from support import Place, assert_product, random

import cairn


def test_alpha_and_beta(place: Place) -> None:
    a, b, c = random((30, 20), seed=1), random((20, 10), seed=2), random((30, 10), seed=3)
    exact = 2 * (a.astype("f8") @ b) - 3 * c.astype("f8")
    out = place.array(c.copy())
    result = cairn.matmul(place.array(a), place.array(b), out=out, alpha=2, beta=-3, device=place.device)
    assert result is out
    assert np.abs(place.host(out) - exact).max() < 1e-4


def test_beta_zero_does_not_read_out(place: Place) -> None:
    a = random((8, 8))
    out = place.array(np.full((8, 8), np.nan, "f4"))
    cairn.matmul(place.array(a), place.array(a), out=out, device=place.device)
    assert_product(place.host(out), a, a)


def test_beta_scales_out_where_the_sum_is_empty(place: Place) -> None:
    out = place.array(np.full((2, 3), 4, "f4"))
    cairn.matmul(place.array(np.ones((2, 0), "f4")), place.array(np.ones((0, 3), "f4")), out=out, beta=0.5,
                 device=place.device)
    assert (place.host(out) == 2).all()


def test_a_vectors_result_goes_into_out() -> None:
    a, x = random((6, 4), seed=1), random((4,), seed=2)
    out = np.empty(6, "f4")
    assert cairn.matmul(a, x, out=out) is out
    assert_product(out, a, x)


def test_beta_without_out_is_refused() -> None:
    with pytest.raises(cairn.Error, match="beta is 2, but there is no out"):
        cairn.matmul(random((2, 2)), random((2, 2)), beta=2)


@pytest.mark.parametrize("value", ["two", None, 1j])
def test_alpha_that_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(cairn.Error, match="alpha is .*; it must be a real number"):
        cairn.matmul(random((2, 2)), random((2, 2)), alpha=value)  # type: ignore[arg-type]


def refused(words: str, a: np.ndarray, b: np.ndarray, out: np.ndarray, **keywords: object) -> None:
    before = out.copy()
    with pytest.raises(cairn.Error, match=words):
        cairn.matmul(a, b, out=out, **keywords)  # type: ignore[arg-type]
    assert np.array_equal(out, before)


def test_a_read_only_out_is_refused() -> None:
    out = np.ones((2, 2), "f4")
    out.flags.writeable = False
    refused("out is read-only", random((2, 2)), random((2, 2)), out)


def test_an_out_of_another_shape_is_refused() -> None:
    refused(r"out has shape \(3, 2\); the result has \(2, 2\)", random((2, 2)), random((2, 2)), np.ones((3, 2), "f4"))


def test_two_words_about_the_type_of_out_are_refused() -> None:
    refused("out_dtype is float64 and out is float32", random((2, 2)), random((2, 2)), np.ones((2, 2), "f4"),
            out_dtype="f64")


@pytest.mark.parametrize("shape, strides", [
    ((2, 2), (0, 0)), ((2, 2), (4, 4)), ((2, 4), (8, 4)), ((3, 2, 2), (4, 8, 4)),
])
def test_an_out_that_overlaps_itself_is_refused(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    out = np.lib.stride_tricks.as_strided(np.ones(64, "f4"), shape, strides, writeable=True)
    refused("out has strides .*, by which elements share memory", random((*shape[:-1], 3)), random((3, shape[-1])), out)


@pytest.mark.parametrize("a_view, out_view", [
    (np.s_[:8, :8], np.s_[:8, :8]),
    (np.s_[:8, :8], np.s_[4:12, 4:12]),
    (np.s_[:8, 7::-1], np.s_[:8, :8]),  # a is copied, and refused all the same
    (np.s_[:8, :8], np.s_[:8, 7::-1]),  # out is computed elsewhere and copied
])
def test_an_out_that_overlaps_an_input_is_refused(a_view: tuple[slice, slice], out_view: tuple[slice, slice]) -> None:
    whole = random((16, 16))
    refused("overlaps", whole[a_view], random((8, 8), seed=5), whole[out_view])
    refused("overlaps", random((8, 8), seed=5), whole[a_view], whole[out_view])


@pytest.mark.parametrize("columns", [np.s_[1::2], np.s_[8:], np.s_[:7:-1]])
def test_blocks_of_one_matrix_that_share_nothing_are_taken(columns: slice) -> None:
    whole = random((16, 16))
    a, out = whole[:8, 0:8:2] if columns == np.s_[1::2] else whole[:8, :8], whole[:8][:, columns]
    b = random((a.shape[1], out.shape[1]), seed=5)
    kept = a.copy()
    cairn.matmul(a, b, out=out)
    assert np.array_equal(a, kept)
    assert_product(out, kept, b)
