"""The element types: cairn.h's numbers, and the names that arrays have for them."""

from __future__ import annotations

from typing import Any

from ._error import Error

F64, F32, F16, BF16, E4M3 = range(5)
BITS = (64, 32, 16, 16, 8)
NAMES = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn")  # as NumPy, ml_dtypes, JAX and torch say
SHORT = ("f64", "f32", "f16", "bf16", "e4m3")  # as the command says
_BY_NAME = {name: code for names in (NAMES, SHORT) for code, name in enumerate(names)}
_TAKEN = f"{', '.join(NAMES[:-1])} and {NAMES[-1]}"


def of_name(name: str, argument: str) -> int:
    """The type that an array's dtype or a word names; refused for any other."""
    code = _BY_NAME.get(name)
    if code is None:
        raise Error(f"{argument} is {name}; it must be one of {_TAKEN}")
    return code


def of_dtype(dtype: Any, argument: str) -> int:
    """The type of a word, a NumPy or ml_dtypes type, or a torch.dtype."""
    if isinstance(dtype, str):
        return of_name(dtype, argument)
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return of_name(str(name).removeprefix("torch."), argument)


def accumulator(code: int) -> int:
    """The type of scales, and one of the two that a bias may have."""
    return F64 if code == F64 else F32
