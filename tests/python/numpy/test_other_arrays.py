"""Arrays of other libraries: by DLPack and by __cuda_array_interface__, without a GPU as far as that goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import PLACES, assert_product, random

import cairn


class Array:
    """A library that knows DLPack and no more, around NumPy."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def __array_namespace__(self) -> Any:
        return Namespace


class Namespace:
    float32 = np.float32

    @staticmethod
    def empty(shape: tuple[int, ...], dtype: Any, device: str) -> Array:
        assert device == "cpu"
        return Array(np.empty(shape, dtype))


@pytest.mark.parametrize("name", ["float64", "float32", "float16"])
def test_dlpack_goes_in_and_out(name: str) -> None:
    a, b = random((20, 30), name, seed=1), random((40, 30), name, seed=2).T
    got = cairn.matmul(Array(a), Array(b), out_dtype=None)
    assert isinstance(got, Array)
    assert_product(got.values, a, b)


def test_dlpack_out_is_written_and_returned() -> None:
    a = random((8, 8))
    out = Array(np.empty((8, 8), "f4"))
    assert cairn.matmul(Array(a), Array(a), out=out) is out
    assert_product(out.values, a, a)


def test_dlpack_and_numpy_go_together() -> None:
    a = random((8, 8))
    assert_product(cairn.matmul(a, Array(a)), a, a)


def test_dlpack_has_no_copy_and_says_so() -> None:
    with pytest.raises(cairn.Error, match="a has strides that no leading dimension describes, and DLPack has no copy"):
        cairn.matmul(Array(random((8, 8))[::-1]), Array(random((8, 8))))


def test_a_type_that_dlpack_refuses_is_an_error_of_the_argument() -> None:
    with pytest.raises(cairn.Error, match="a, of Array, cannot be read by DLPack|a is int64"):
        cairn.matmul(Array(np.ones((2, 2), "i8")), Array(np.ones((2, 2), "i8")))


class OnGpu:
    """What claims to be on a GPU."""

    def __init__(self, values: Any, device: int = 0, stream: Any = None, **changes: Any) -> None:
        self.values = values
        self.device = type("Device", (), {"id": device})()
        self.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "version": 3,
                                         "data": (values.ctypes.data, False), "stream": stream, **changes}


def test_a_gpu_and_the_host_do_not_mix() -> None:
    a = random((4, 4))
    with pytest.raises(cairn.Error, match="a is in host memory and b in GPU 1's memory"):
        cairn.matmul(a, OnGpu(a, device=1))
    with pytest.raises(cairn.Error, match="a is in GPU 0's memory and out in host memory"):
        cairn.matmul(OnGpu(a), OnGpu(a), out=a.copy())


def test_a_call_runs_where_its_arrays_are() -> None:
    a = random((4, 4))
    with pytest.raises(cairn.Error, match="a is on GPU 0 and device is 'gpu:1'"):
        cairn.matmul(OnGpu(a), OnGpu(a), device="gpu:1")


def test_arrays_of_two_streams_are_refused_unless_the_stream_is_given() -> None:
    a = random((4, 4))
    with pytest.raises(cairn.Error, match="the arrays belong to different streams .*; give stream"):
        cairn.matmul(OnGpu(a, stream=7), OnGpu(a, stream=8))


def test_masks_and_byte_orders_are_refused_on_a_gpu_too() -> None:
    a = random((4, 4))
    with pytest.raises(cairn.Error, match="a has a mask"):
        cairn.matmul(OnGpu(a, mask=OnGpu(a)), OnGpu(a))
    with pytest.raises(cairn.Error, match="a has another byte order"):
        cairn.matmul(OnGpu(a, typestr=">f4"), OnGpu(a))


@pytest.mark.skipif(PLACES["gpu"].missing != "", reason=PLACES["gpu"].missing or "-")
def test_cupy_orders_products_on_its_own_stream() -> None:
    import cupy

    a = random((512, 512))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.asarray(a)
        y = cairn.matmul(x, x) + 1  # in order, or y would be of an unfinished product
        z = cairn.matmul(x[:, ::2], x[:256, :], stream=stream)
    stream.synchronize()
    assert isinstance(y, cupy.ndarray)
    assert_product(y.get() - 1, a, a, extra=1, exact=a.astype("f8") @ a)
    assert_product(z.get(), a[:, ::2], a[:256])


def test_jax_arrays_go_in_and_out() -> None:
    jax = pytest.importorskip("jax")
    a, b = random((20, 30), seed=1), random((30, 10), seed=2)
    jax_a, jax_b = jax.numpy.asarray(a), jax.numpy.asarray(b)  # on a GPU, if JAX has one
    got = cairn.matmul(jax_a, jax_b)
    assert isinstance(got, jax.Array)
    assert got.devices() == jax_a.devices()
    assert_product(np.asarray(got), a, b)
    with pytest.raises(cairn.Error, match="out is read-only"):
        cairn.matmul(jax_a, jax_b, out=jax.numpy.zeros((20, 10), "float32"))


def test_jax_bfloat16() -> None:
    jax = pytest.importorskip("jax")
    a = random((20, 20), "bfloat16")
    assert_product(np.asarray(cairn.matmul(jax.numpy.asarray(a), jax.numpy.asarray(a))), a, a)


def test_tensors_go_in_and_out() -> None:
    torch = pytest.importorskip("torch")
    a, b = torch.from_numpy(random((20, 30), seed=1)), torch.from_numpy(random((10, 30), seed=2))
    got = cairn.matmul(a, b.T)
    assert isinstance(got, torch.Tensor)
    assert_product(got.numpy(), a.numpy(), b.numpy().T)
    narrow = cairn.matmul(a.bfloat16(), b.bfloat16().T, out_dtype=torch.float32)
    assert torch.allclose(narrow, a.bfloat16().float() @ b.bfloat16().float().T, atol=1e-4)
    assert_product(cairn.rung("simt/13").matmul(a[::2, ::3], b.T[::3]).numpy(), a.numpy()[::2, ::3], b.numpy().T[::3])


def test_tensors_that_are_more_than_their_memory_are_refused() -> None:
    torch = pytest.importorskip("torch")
    a = torch.ones(4, 4)
    with pytest.raises(cairn.Error, match="a requires a gradient, which cairn.matmul does not compute"):
        cairn.matmul(a.clone().requires_grad_(), a)
    with pytest.raises(cairn.Error, match="b is a view whose elements are negated"):
        cairn.matmul(a, torch.complex(a, a).conj().imag)
    with torch.no_grad():
        assert (cairn.matmul(a.clone().requires_grad_(), a) == 4).all()
