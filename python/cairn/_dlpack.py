"""Arrays that know DLPack and nothing closer to Cairn: JAX's, and those of any library of the array API."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from . import _native, _types
from ._error import Error
from ._view import CPU, View

_CPU, _CUDA, _PINNED = 1, 2, 3  # DLDeviceType
_LEGACY_STREAM = 1  # the array API's number for CUDA's default stream, on which Cairn then works
_CODES = {(2, 64): _types.F64, (2, 32): _types.F32, (2, 16): _types.F16, (4, 16): _types.BF16, (10, 8): _types.E4M3}


class _Dlpack:
    def empty(self, shape: tuple[int, ...], code: int, like: View) -> Any:
        namespace = self._namespace(like, "a new array")
        dtype = like.array.dtype if code == like.code else getattr(namespace, _types.NAMES[code])
        return namespace.empty(shape, dtype=dtype, device=like.array.device)

    def packed(self, view: View) -> Any:
        raise Error(f"{view.name} has strides that no leading dimension describes, and DLPack has no copy; "
                    f"give a row-major {view.name}")

    def assign(self, target: View, source: Any) -> None:
        raise Error(f"{target.name} has strides that no leading dimension describes; give a row-major one")

    def on_stream(self, device: int, stream: int) -> AbstractContextManager[Any]:
        return nullcontext()

    @staticmethod
    def _namespace(view: View, what: str) -> Any:
        if not hasattr(view.array, "__array_namespace__"):
            raise Error(f"{type(view.array).__name__} has no array namespace to make {what} with; give out")
        return view.array.__array_namespace__()


FAMILY = _Dlpack()


def view(name: str, array: Any) -> View:
    kind, number = (int(part) for part in array.__dlpack_device__())
    if kind not in (_CPU, _CUDA, _PINNED):
        raise Error(f"{name} is on a device of DLPack's type {kind}; Cairn takes a CPU's (1, 3) and a CUDA GPU's (2)")
    try:
        capsule = array.__dlpack__(stream=_LEGACY_STREAM) if kind == _CUDA else array.__dlpack__()
        seen = _native.DlpackView(capsule)
    except (BufferError, TypeError, ValueError) as error:
        raise Error(f"{name}, of {type(array).__name__}, cannot be read by DLPack: {error}") from error
    code = _CODES.get(seen.type)
    if code is None:
        code = _types.of_name(str(getattr(array, "dtype", seen.type)), name)
    writable = not type(array).__module__.startswith(("jax", "tensorflow"))  # whose arrays never change
    return View(name, _Held(array, seen), FAMILY, seen.address, seen.shape, seen.strides, code,
                number if kind == _CUDA else CPU, writable)


class _Held:
    """An array, and what keeps its memory where it is."""

    def __init__(self, array: Any, seen: _native.DlpackView) -> None:
        self.array, self.seen = array, seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self.array, name)
