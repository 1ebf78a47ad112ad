"""The schemas of torch.ops.cairn, the same as in python/torch_ops/ops.cpp (a test compares them)."""

from __future__ import annotations

_OPERANDS = "Tensor a, Tensor b, Tensor? input=None, Tensor? bias=None"
_SCALES = "Tensor? scale_a=None, Tensor? scale_b=None"
_SCALARS = "float alpha=1, float beta=1, int activation=0, int compute=0"
_OUT = "Tensor(a!) out"

SCHEMAS = (
    "mm(Tensor a, Tensor b) -> Tensor",
    f"mm.out(Tensor a, Tensor b, *, {_OUT}) -> Tensor(a!)",
    "bmm(Tensor a, Tensor b) -> Tensor",
    f"bmm.out(Tensor a, Tensor b, *, {_OUT}) -> Tensor(a!)",
    "addmm(Tensor input, Tensor a, Tensor b, *, float beta=1, float alpha=1) -> Tensor",
    f"addmm.out(Tensor input, Tensor a, Tensor b, *, float beta=1, float alpha=1, {_OUT}) -> Tensor(a!)",
    f"gemm({_OPERANDS}, {_SCALES}, *, {_SCALARS}, ScalarType? out_dtype=None) -> Tensor",
    f"gemm.out({_OPERANDS}, {_SCALES}, *, {_SCALARS}, {_OUT}) -> Tensor(a!)",
    f"gemm_before({_OPERANDS}, *, {_SCALARS}) -> (Tensor, Tensor)",
)

FUNCTIONAL = ("mm", "bmm", "addmm", "gemm", "gemm_before")
WITH_OUT = ("mm", "bmm", "addmm", "gemm")
