"""Shapes are those of numpy.matmul, and what does not fit is refused with the shapes in the sentence."""

from __future__ import annotations

import numpy as np
import pytest
from support import Place, assert_product, random

import cairn

SHAPES = [
    ((3, 4), (4, 5)),
    ((1, 1), (1, 1)),
    ((1, 7), (7, 1)),
    ((33, 65), (65, 17)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((6, 1, 3, 4), (1, 5, 4, 2)),  # no single stride walks both batches
    ((2, 1, 3, 4), (2, 7, 4, 5)),
    ((4,), (2, 3, 4, 5)),
    ((2, 3, 5, 4), (4,)),
    ((2, 1, 4), (4, 5)),  # one row each
]


@pytest.mark.parametrize("a_shape, b_shape", SHAPES)
def test_shapes_are_those_of_numpy(place: Place, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> None:
    a, b = random(a_shape, seed=1), random(b_shape, seed=2)
    assert_product(place.matmul(a, b), a, b)


@pytest.mark.parametrize("a_shape, b_shape", [
    ((0, 4), (4, 5)), ((3, 4), (4, 0)), ((3, 0), (0, 5)), ((0, 3, 4), (4, 5)), ((0, 3, 4), (0, 4, 5)),
    ((0,), (0, 5)), ((2, 3, 0), (0,)), ((0, 0), (0, 0)), ((1, 3, 4), (0, 4, 5)),
])
def test_empty_axes_give_what_numpy_gives(place: Place, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> None:
    a, b = random(a_shape), random(b_shape)
    got = place.matmul(a, b)
    assert got.shape == np.matmul(a, b).shape
    assert not got.any()  # a sum of nothing is 0


def test_a_shared_factor_makes_one_product_of_a_batch() -> None:
    assert cairn.plan(random((8, 16, 32)), random((32, 24))).problem == "f32 nn 128x24x32"
    assert cairn.plan(random((8, 1, 40))[..., :32], random((32, 24))).problem == "f32 nn 8x24x32 lda=40"


def test_row_bias_keeps_a_batch_a_batch() -> None:
    a, b = random((8, 16, 32)), random((32, 24))
    bias = random((16, 1))
    assert "batch=8" in cairn.plan(a, b, bias=bias).problem
    assert_product(cairn.matmul(a, b, bias=bias), a, b, exact=a.astype("f8") @ b + bias, extra=1)


@pytest.mark.parametrize("a_shape, b_shape, words", [
    ((3, 4), (5, 6), "the last axis of a, 4, and the last but one of b, 5"),
    ((3, 4), (5,), "the last axis of a, 4, and the axis of b, 5"),
    ((2, 3, 4), (3, 4, 5), "their batches (2,) and (3,) do not broadcast"),
    ((), (3, 4), "a has no axes"),
    ((3, 4), (), "b has no axes"),
])
def test_shapes_that_do_not_fit_are_named(a_shape: tuple[int, ...], b_shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(cairn.Error) as refused:
        cairn.matmul(np.ones(a_shape, "f4"), np.ones(b_shape, "f4"))
    assert words in str(refused.value)
    assert refused.value.status == "invalid_argument"
