"""Element types: what goes in, what comes out, and how it is computed."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, Place, assert_product, dtype, ml_dtypes, random

import cairn

needs_ml_dtypes = pytest.mark.skipif(ml_dtypes is None, reason="ml_dtypes is not installed")
WIDER = [("float16", "float32"), ("bfloat16", "float32"), ("float8_e4m3fn", "float32"), ("float8_e4m3fn", "bfloat16"),
         ("float8_e4m3fn", "float16")]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [((8, 8), (8, 8)), ((33, 100), (100, 17)), ((2, 20, 30), (30, 40))])
def test_a_result_has_the_type_of_its_factors(place: Place, name: str, shape: tuple[tuple[int, ...], ...]) -> None:
    if place.name == "gpu" and name == "float8_e4m3fn":
        pytest.skip("CuPy has no float8_e4m3fn")
    a, b = random(shape[0], name, seed=1), random(shape[1], name, seed=2)
    assert_product(place.matmul(a, b), a, b)


@needs_ml_dtypes
@pytest.mark.parametrize("name, out", WIDER)
def test_out_dtype_widens_the_result(name: str, out: str) -> None:
    a, b = random((20, 40), name, seed=1), random((40, 30), name, seed=2)
    assert_product(cairn.matmul(a, b, out_dtype=out), a, b, out)
    assert_product(cairn.matmul(a, b, out_dtype=dtype(out)), a, b, out)
    assert_product(cairn.matmul(a, b, out=np.empty((20, 30), dtype(out))), a, b, out)


@pytest.mark.parametrize("word", ["f32", "float32", np.float32, np.dtype("f4")])
def test_a_type_is_a_word_or_a_dtype(word: object) -> None:
    a = random((4, 4), "float16")
    assert cairn.matmul(a, a, out_dtype=word).dtype == np.float32


@pytest.mark.parametrize("compute", ["native", "tf32", "split"])
def test_float32_can_be_computed_in_three_ways(place: Place, compute: str) -> None:
    a, b = random((64, 64), seed=1), random((64, 64), seed=2)
    got = place.matmul(a, b, compute=compute)
    error = np.abs(got - a.astype("f8") @ b).max()
    assert error < (1e-2 if compute == "tf32" else 2e-5)


@needs_ml_dtypes
def test_fast_is_for_e4m3() -> None:
    a = random((64, 64), "float8_e4m3fn")
    assert cairn.plan(a, a, out_dtype="f32", compute="fast").problem == "e4m3fast:f32 nn 64x64x64"


@pytest.mark.parametrize("word, words", [("tf23", "must be one of native, tf32, split, fast"), (3, "must be one of")])
def test_an_unknown_way_to_compute_is_refused(word: object, words: str) -> None:
    with pytest.raises(cairn.Error, match=words):
        cairn.matmul(random((2, 2)), random((2, 2)), compute=word)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["int32", "bool", "complex64", "longdouble"])
def test_other_types_are_refused_by_name(name: str) -> None:
    a = np.ones((3, 3), name)
    with pytest.raises(cairn.Error) as refused:
        cairn.matmul(a, a)
    assert str(refused.value) == (f"a is {a.dtype.name}; it must be one of float64, float32, float16, bfloat16 and "
                                  "float8_e4m3fn")


def test_unlike_factors_are_refused() -> None:
    with pytest.raises(cairn.Error, match="a is float32 and b is float64; both must have one type"):
        cairn.matmul(np.ones((3, 3), "f4"), np.ones((3, 3), "f8"))


def test_another_byte_order_is_refused() -> None:
    a = np.ones((3, 3), np.dtype("f4").newbyteorder())
    with pytest.raises(cairn.Error, match="a is float32 in another byte order"):
        cairn.matmul(a, a)


def test_a_narrower_result_is_refused_by_the_library() -> None:
    a = np.ones((3, 3), "f4")
    with pytest.raises(cairn.Error, match="out is f16 for f32 inputs"):
        cairn.matmul(a, a, out_dtype="float16")


def test_a_list_is_refused_and_told_how_to_become_an_array() -> None:
    with pytest.raises(cairn.Error, match=r"b is list; it must be an array .*numpy.asarray\(b\)"):
        cairn.matmul(np.ones((2, 2)), [[1, 2], [3, 4]])
