"""Which library an argument comes from."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _cuda_arrays, _dlpack, _numpy, _torch_tensors
from ._error import Error
from ._layout import contiguous
from ._view import View


def view(name: str, array: Any) -> View:
    """An argument as it lies in memory; nothing is copied."""
    seen = _view(name, array)
    if 0 in seen.shape:
        seen.strides = contiguous(seen.shape)  # those of an empty array lead nowhere, and NumPy's are 0
    return seen


def _view(name: str, array: Any) -> View:
    if isinstance(array, np.ndarray):
        return _numpy.view(name, array)
    if _torch_tensors.is_tensor(array):
        return _torch_tensors.view(name, array)
    if hasattr(array, "__cuda_array_interface__") and not _makes_its_own(array):
        return _cuda_arrays.view(name, array)
    if hasattr(array, "__dlpack__"):
        return _dlpack.view(name, array)
    raise Error(f"{name} is {type(array).__name__}; it must be an array of NumPy, CuPy, PyTorch, JAX or another "
                "library with DLPack" + ("" if name == "out" else f": numpy.asarray({name}) makes one"))


def _makes_its_own(array: Any) -> bool:
    """Whether its library can make new arrays through the array API, as JAX can, which has both protocols on a GPU.

    CuPy can, too, but its arrays say more by themselves: strides that it can copy from, and a stream.
    """
    return hasattr(array, "__array_namespace__") and not type(array).__module__.startswith("cupy")
