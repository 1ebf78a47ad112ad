"""Bias, activation and scales, against the same in float64."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
import pytest
from support import Place, assert_product, dtype, ml_dtypes, random

import cairn

needs_ml_dtypes = pytest.mark.skipif(ml_dtypes is None, reason="ml_dtypes is not installed")
erfc = np.vectorize(math.erfc)
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * erfc(-x / np.sqrt(2)) / 2,
    "gelu_tanh": lambda x: x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2,
    "silu": lambda x: x / (1 + np.exp(-x)),
}
A, B = random((20, 30), seed=1), random((30, 24), seed=2)
EXACT = A.astype("f8") @ B.astype("f8")


@pytest.mark.parametrize("word", ACTIVATIONS)
@pytest.mark.parametrize("bias", [None, (24,), (1, 24), (20, 1)])
def test_bias_and_activation(place: Place, word: str, bias: Any) -> None:
    vector = None if bias is None else random(bias, seed=3)
    exact = ACTIVATIONS[word](EXACT + (0 if vector is None else vector))
    assert_product(place.matmul(A, B, bias=vector, epilogue=word), A, B, exact=exact, extra=4)


@pytest.mark.parametrize("a_shape, b_shape, bias", [
    ((5, 20, 30), (30, 24), (24,)),
    ((5, 20, 30), (30, 24), (20, 1)),
    ((5, 20, 30), (5, 30, 24), (5, 1, 24)),
    ((5, 20, 30), (5, 30, 24), (5, 20, 1)),
    ((3, 5, 20, 30), (5, 30, 24), (3, 1, 1, 24)),
    ((3, 1, 20, 30), (1, 5, 30, 24), (5, 20, 1)),
    ((30,), (30, 24), (24,)),
    ((20, 30), (30,), (20,)),
    ((5, 20, 30), (30,), (20,)),
    ((30,), (5, 30, 24), (5, 24)),
    ((5, 20, 30), (30,), (5, 20)),
])
def test_bias_broadcasts_to_the_result_as_numpy_adds_it(place: Place, a_shape: tuple[int, ...],
                                                        b_shape: tuple[int, ...], bias: tuple[int, ...]) -> None:
    a, b, vector = random(a_shape, seed=1), random(b_shape, seed=2), random(bias, seed=3)
    assert_product(place.matmul(a, b, bias=vector), a, b, exact=np.matmul(a.astype("f8"), b) + vector, extra=1)


def test_a_bias_with_gaps_is_copied(place: Place) -> None:
    vector = random((48,), seed=3)[::2]
    assert_product(place.matmul(A, B, bias=vector), A, B, exact=EXACT + vector, extra=1)


def test_a_bias_may_have_the_type_of_the_result() -> None:
    a, b = A.astype("f2"), B.astype("f2")
    for name in ("float16", "float32"):
        vector = random((24,), name, seed=3)
        assert_product(cairn.matmul(a, b, bias=vector), a, b, exact=a.astype("f8") @ b.astype("f8") + vector, extra=1)
    with pytest.raises(cairn.Error, match="bias is float64; it must be float32 or have the type of the result"):
        cairn.matmul(a, b, bias=np.ones(24))


@pytest.mark.parametrize("shape", [(), (20,), (23,), (24, 1), (20, 24)])
def test_a_bias_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(cairn.Error, match="bias has "):
        cairn.matmul(A, B, bias=np.ones(shape, "f4"))


def test_an_unknown_activation_is_refused() -> None:
    with pytest.raises(cairn.Error, match="epilogue is 'swish'; it must be one of none, relu, gelu, gelu_tanh, silu"):
        cairn.matmul(A, B, epilogue="swish")


def test_a_number_as_scale_is_a_part_of_alpha() -> None:
    assert_product(cairn.matmul(A, B, scale_a=3.0, scale_b=np.float32(0.25)), A, B, exact=0.75 * EXACT, extra=0)
    assert "scale" not in cairn.plan(A, B, scale_a=3.0).problem


@pytest.mark.parametrize("a_shape, b_shape", [((), ()), ((1,), (24,)), ((20,), (1, 24)), ((20, 1), ()), ((20,), None),
                                              (None, (24,))])
def test_scales_of_a_tensor_and_of_vectors(place: Place, a_shape: Any, b_shape: Any) -> None:
    of_a = None if a_shape is None else np.asarray(random(a_shape, seed=3))
    of_b = None if b_shape is None else np.asarray(random(b_shape, seed=4))
    exact = EXACT
    if of_a is not None:
        exact = exact * of_a.reshape(-1, 1)
    if of_b is not None:
        exact = exact * of_b.reshape(1, -1)
    assert_product(place.matmul(A, B, scale_a=of_a, scale_b=of_b), A, B, exact=exact, extra=4)


def test_scales_do_not_touch_beta_times_out() -> None:
    out = np.ones((20, 24), "f4")
    cairn.matmul(A, B, out=out, beta=1, scale_a=random((20,), seed=3))
    assert_product(out, A, B, exact=EXACT * random((20,), seed=3)[:, None] + 1, extra=1)


def test_each_product_of_a_batch_may_have_its_scales(place: Place) -> None:
    a, b = random((3, 20, 30), seed=1), random((3, 30, 24), seed=2)
    of_a, of_b = random((3, 20, 1), seed=3), random((3, 1, 24), seed=4)
    assert_product(place.matmul(a, b, scale_a=of_a, scale_b=of_b), a, b,
                   exact=np.matmul(a.astype("f8"), b) * of_a * of_b, extra=4)


@needs_ml_dtypes
@pytest.mark.parametrize("kind_a", ["vector", "blocks"])
@pytest.mark.parametrize("kind_b", ["vector", "blocks"])
@pytest.mark.parametrize("turned", [False, True])
def test_scales_of_blocks_of_128(kind_a: str, kind_b: str, turned: bool) -> None:
    m, n, k = 256, 384, 256
    a, b = random((m, k), "float8_e4m3fn", seed=1), random((k, n), "float8_e4m3fn", seed=2)
    of_a = np.abs(random((m if kind_a == "vector" else 2, 2), seed=3))
    of_b = np.abs(random((2, n if kind_b == "vector" else 3), seed=4))
    if turned:  # as a weight of n x k has them: nothing needs to be copied
        of_b = np.asfortranarray(of_b)
    per_a = np.repeat(np.repeat(of_a, m // of_a.shape[0], axis=0), 128, axis=1)
    per_b = np.repeat(np.repeat(of_b, 128, axis=0), n // of_b.shape[1], axis=1)
    exact = (a.astype("f8") * per_a) @ (b.astype("f8") * per_b)
    got = cairn.matmul(a, b, scale_a=of_a, scale_b=of_b, out_dtype="f32")
    assert got.dtype == dtype("float32")
    assert np.abs(got - exact).max() < 0.011 * k


@needs_ml_dtypes
def test_the_other_operand_decides_what_a_shape_of_scales_means() -> None:
    a, b = random((64, 128), "float8_e4m3fn", seed=1), random((128, 256), "float8_e4m3fn", seed=2)
    of_a, of_b = np.ones((64, 1), "f4"), np.ones((1, 2), "f4")  # a scale for a row, or for its only 128 of k
    assert "scale_a=vector scale_b=vector" in cairn.plan(a, b, scale_a=of_a, scale_b=np.ones((1, 256), "f4")).problem
    assert "scale_a=vector_blocks scale_b=blocks" in cairn.plan(a, b, scale_a=of_a, scale_b=of_b).problem


@needs_ml_dtypes
def test_blocks_for_one_operand_alone_are_refused() -> None:
    a, b = random((256, 256), "float8_e4m3fn"), random((256, 256), "float8_e4m3fn")
    with pytest.raises(cairn.Error, match="come for both or for none"):
        cairn.matmul(a, b, scale_a=np.ones((256, 2), "f4"), scale_b=np.ones(256, "f4"))


@pytest.mark.parametrize("name, shape, words", [
    ("scale_a", (24,), r"scale_a has shape .*; for 20 x 30 it must be \(\), \(20,\)"),
    ("scale_b", (20,), r"scale_b has shape .*; for 30 x 24 it must be \(\), \(24,\)"),
])
def test_scales_of_another_shape_are_refused(name: str, shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(cairn.Error, match=words):
        cairn.matmul(A, B, **{name: np.ones(shape, "f4")})


def test_scales_of_another_type_are_refused() -> None:
    with pytest.raises(cairn.Error, match="scale_a is float64; scales of float32 are float32"):
        cairn.matmul(A, B, scale_a=np.ones(20))
