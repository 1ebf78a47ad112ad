"""NumPy's arrays, and ml_dtypes' bfloat16 and float8_e4m3fn in them.

The address is read from the array itself: DLPack and the buffer protocol refuse the narrow types.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Optional

import numpy as np

from . import _types
from ._error import Error
from ._view import CPU, View

_CODES: dict[Any, int] = {np.dtype(name): code for code, name in enumerate(_types.NAMES[:3])}


def code_of(dtype: Any, argument: str) -> int:
    code = _CODES.get(dtype)
    if code is None:
        if not dtype.isnative:
            raise Error(f"{argument} is {dtype.name} in another byte order ({dtype.str}); "
                        f"{argument}.astype({argument}.dtype.newbyteorder('=')) has this machine's")
        code = _CODES[dtype] = _types.of_name(dtype.name, argument)
    return code


def dtype_of(code: int) -> Any:
    """The dtype of new arrays."""
    if code in (_types.BF16, _types.E4M3):
        try:
            import ml_dtypes
        except ImportError:
            raise Error(f"NumPy has {_types.NAMES[code]} from ml_dtypes alone, which is not installed: "
                        "pip install ml_dtypes") from None
        return np.dtype(getattr(ml_dtypes, _types.NAMES[code]))
    return np.dtype(_types.NAMES[code])


class _NumPy:
    def empty(self, shape: tuple[int, ...], code: int, like: View) -> Any:
        return np.empty(shape, like.array.dtype if code == like.code else dtype_of(code))

    def packed(self, view: View) -> Any:
        return np.array(view.array, order="C", subok=False)

    def assign(self, target: View, source: Any) -> None:
        target.array[...] = source

    def on_stream(self, device: int, stream: int) -> AbstractContextManager[Any]:
        return nullcontext()


FAMILY = _NumPy()


def view(name: str, array: Any) -> View:
    code = code_of(array.dtype, name)
    strides: Optional[tuple[int, ...]] = array.strides
    size = _types.BITS[code] // 8
    flags = array.flags
    if size != 1:
        steps = tuple(step // size for step in array.strides)
        strides = steps if all(step * size == s for step, s in zip(steps, array.strides)) else None
    if not flags.aligned:
        strides = None
    return View(name, array, FAMILY, array.__array_interface__["data"][0], array.shape, strides, code, CPU,
                flags.writeable)
