"""Cairn: matrix multiplication on GPUs, on the CPU, and on an emulator of a GPU.

    import cairn
    c = cairn.matmul(a, b)           # arrays of NumPy, CuPy, JAX …, where they are
    print(cairn.plan(a, b).why)      # which kernel that is, and why
    cairn.rung("simt/13").matmul(a, b)

docs/python.md is the reference.
"""

from . import _native
from ._devices import devices
from ._error import Error
from ._matmul import Plan, Rung, matmul, plan, rung, rungs

__version__ = _native.version()
__all__ = ["Error", "Plan", "Rung", "__version__", "devices", "matmul", "plan", "rung", "rungs"]
