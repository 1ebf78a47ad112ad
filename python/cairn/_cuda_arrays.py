"""Arrays with __cuda_array_interface__: CuPy's, Numba's and others'. CuPy makes new ones and copies for all of them."""

from __future__ import annotations

import importlib
import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Iterator, Optional

from . import _cuda, _layout, _types
from ._error import Error
from ._view import View

_TYPES = {"<f8": _types.F64, "<f4": _types.F32, "<f2": _types.F16}


def _cupy(why: str) -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError:
        raise Error(f"{why} needs CuPy, which is not installed; give arrays that need no copy, and out") from None


class _Cuda:
    def empty(self, shape: tuple[int, ...], code: int, like: View) -> Any:
        cupy = _cupy("a new array on the GPU")
        with cupy.cuda.Device(like.device):
            return cupy.empty(shape, like.array.dtype if code == like.code else _cupy_dtype(code))

    def packed(self, view: View) -> Any:
        cupy = _cupy(f"copying {view.name}, whose strides no leading dimension describes,")
        with cupy.cuda.Device(view.device):
            return cupy.array(view.array, order="C")

    def assign(self, target: View, source: Any) -> None:
        cupy = _cupy(f"copying to {target.name}, whose strides no leading dimension describes,")
        with cupy.cuda.Device(target.device):
            cupy.asarray(target.array)[...] = cupy.asarray(source)

    def on_stream(self, device: int, stream: int) -> AbstractContextManager[Any]:
        cupy = sys.modules.get("cupy")
        if cupy is None:
            return nullcontext()  # these arrays are another library's, for which CuPy would make new ones
        return _on_stream(cupy, device, stream)


@contextmanager
def _on_stream(cupy: Any, device: int, stream: int) -> Iterator[None]:
    with cupy.cuda.Device(device), cupy.cuda.ExternalStream(stream, device):
        yield


def _cupy_dtype(code: int) -> Any:
    from ._numpy import dtype_of

    return dtype_of(code)


FAMILY = _Cuda()


def view(name: str, array: Any) -> View:
    interface = array.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise Error(f"{name} has a mask; Cairn multiplies all elements: fill what is masked first")
    text = interface["typestr"]
    if text[0] == ">":
        raise Error(f"{name} has another byte order ({text}); it must have this machine's")
    code = _TYPES.get(text)
    if code is None:
        code = _types.of_name(str(getattr(array, "dtype", text)), name)
    bits = _types.BITS[code] // 8
    shape = tuple(interface["shape"])
    byte_steps = interface.get("strides")
    steps: Optional[_layout.Shape] = _layout.contiguous(shape)
    if byte_steps is not None:
        steps = tuple(s // bits for s in byte_steps) if all(s % bits == 0 for s in byte_steps) else None
    address, read_only = interface["data"]
    return View(name, array, FAMILY, address, shape, steps, code, _device(name, array, address), not read_only,
                interface.get("stream"))


def _device(name: str, array: Any, address: int) -> int:
    number = getattr(getattr(array, "device", None), "id", None)
    if isinstance(number, int):
        return number
    return _cuda.device_of(name, address) if address else 0
