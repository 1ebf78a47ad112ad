"""What the tests share: devices with their arrays, and the bound of docs/numerics.md."""

from __future__ import annotations

import functools
from typing import Any, Optional

import numpy as np

import cairn

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

NARROW = {"bfloat16": 2.0**-8, "float8_e4m3fn": 2.0**-4}
UNIT = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, **NARROW}
DTYPES = ["float64", "float32", "float16", *(NARROW if ml_dtypes else [])]


def dtype(name: str) -> Any:
    return np.dtype(getattr(ml_dtypes, name) if name in NARROW else name)


class Place:
    """A device, and arrays for it."""

    def __init__(self, name: str, device: Optional[str]) -> None:
        self.name, self.device = name, device

    @functools.cached_property
    def missing(self) -> str:
        """Why nothing can run here; '' if it can."""
        if self.name == "gpu":
            if "gpu:0" not in cairn.devices():
                return "no GPU"
            try:
                import cupy  # noqa: F401
            except ImportError:
                return "CuPy is not installed"
        return "" if self.name == "gpu" or self.name in cairn.devices() else f"this build has no {self.name}"

    def array(self, values: Any) -> Any:
        if self.name != "gpu":
            return values
        import cupy

        return cupy.asarray(values)

    def host(self, array: Any) -> Any:
        return array.get() if self.name == "gpu" else array

    def matmul(self, a: Any, b: Any, **keywords: Any) -> Any:
        """cairn.matmul there of arrays of the host; the result is of the host too."""
        on_device = {name: self.array(v) if isinstance(v, np.ndarray) else v for name, v in keywords.items()}
        return self.host(cairn.matmul(self.array(a), self.array(b), device=self.device, **on_device))

    def __repr__(self) -> str:
        return self.name


PLACES = {"cpu": Place("cpu", None), "emu": Place("emu", "emu"), "gpu": Place("gpu", None)}


def random(shape: tuple[int, ...], name: str = "float32", seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).uniform(-1, 1, shape).astype(dtype(name))


def bound(a: Any, b: Any, out: str, extra: float = 0.0) -> Any:
    """How far a right result may be from the exact one: docs/numerics.md."""
    a64, b64 = np.abs(a.astype("f8")), np.abs(b.astype("f8"))
    k = a.shape[-1]
    u = 2.0**-53 if a.dtype == np.float64 else 2.0**-24
    magnitude = np.matmul(a64, b64) + extra
    chain = 2 * np.ceil(k / 8) if a.dtype.name in ("float16", "bfloat16") else 0
    error = (8 * np.sqrt(k) + chain) * u * magnitude
    if a.dtype.name == "float8_e4m3fn":
        error = error + 0.011 * magnitude
    exact = np.matmul(a.astype("f8"), b.astype("f8"))
    smallest = {"float16": 2.0**-25, "float8_e4m3fn": 2.0**-10}.get(out, 0.0)
    return error + UNIT[out] * np.abs(exact) + UNIT[out] * extra + smallest


def assert_product(got: Any, a: Any, b: Any, out: Optional[str] = None, exact: Any = None, extra: float = 0.0) -> None:
    """got is a @ b, or `exact`, to which terms of at most `extra` were added."""
    out = out or a.dtype.name
    right = np.matmul(a.astype("f8"), b.astype("f8")) if exact is None else exact
    assert got.dtype == dtype(out)
    assert got.shape == right.shape
    assert (np.abs(got.astype("f8") - right) <= bound(a, b, out, extra)).all()
