"""The operators without data: shapes and types, for compile and export, and out variants for functionalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ._schemas import WITH_OUT


def _text(tensor: Tensor) -> str:
    return "x".join(str(size) for size in tensor.shape)


def _require(condition: Any, sentence: Callable[[], str]) -> None:
    torch._check(condition, lambda: f"cairn: {sentence()}")


def _check(a: Tensor, b: Tensor) -> None:
    _require(a.dtype == b.dtype, lambda: f"a is {a.dtype} and b is {b.dtype}; they must have one type")
    _require(a.device == b.device, lambda: f"b is on {b.device} and a on {a.device}; they must be on one device")
    _require(a.shape[-1] == b.shape[-2], lambda: f"a is {_text(a)} and b is {_text(b)}; "
             "the columns of a must be as many as the rows of b")


def _matrices(a: Tensor, b: Tensor, dims: int) -> None:
    for name, tensor in (("a", a), ("b", b)):
        _require(tensor.dim() == dims, lambda: f"{name} has {tensor.dim()} dimensions; it must have {dims}")
    _check(a, b)


def mm(a: Tensor, b: Tensor) -> Tensor:
    _matrices(a, b, 2)
    return a.new_empty(a.shape[0], b.shape[1])


def bmm(a: Tensor, b: Tensor) -> Tensor:
    _matrices(a, b, 3)
    _require(a.shape[0] == b.shape[0], lambda: f"a is {_text(a)} and b is {_text(b)}; their batches must be equal")
    return a.new_empty(a.shape[0], a.shape[1], b.shape[2])


def addmm(input: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    out = mm(a, b)
    _require(input.dtype == a.dtype, lambda: f"input is {input.dtype} and out is {a.dtype}; they must have one type")
    torch.broadcast_shapes(input.shape, out.shape)
    return out


def gemm(a: Tensor, b: Tensor, input: Tensor | None = None, bias: Tensor | None = None,
         scale_a: Tensor | None = None, scale_b: Tensor | None = None, *, alpha: float = 1, beta: float = 1,
         activation: int = 0, compute: int = 0, out_dtype: torch.dtype | None = None) -> Tensor:
    for name, tensor in (("a", a), ("b", b)):
        _require(tensor.dim() in (2, 3), lambda: f"{name} has {tensor.dim()} dimensions; "
                 "it must have 2, or 3 for a batch of matrices")
    _check(a, b)
    batch = [tensor.shape[0] for tensor in (a, b) if tensor.dim() == 3]
    if len(batch) == 2:
        _require(batch[0] == batch[1], lambda: f"a is {_text(a)} and b is {_text(b)}; their batches must be equal")
    return a.new_empty((*batch[:1], a.shape[-2], b.shape[-1]), dtype=out_dtype or a.dtype)


def gemm_before(a: Tensor, b: Tensor, input: Tensor | None = None, bias: Tensor | None = None, *, alpha: float = 1,
                beta: float = 1, activation: int = 0, compute: int = 0) -> tuple[Tensor, Tensor]:
    _require(activation != 0, lambda: "there is no value before an activation without an activation; call gemm")
    out = gemm(a, b, input, bias)
    return out, torch.empty_like(out)


_SHAPES: dict[str, Callable[..., Any]] = {"mm": mm, "bmm": bmm, "addmm": addmm, "gemm": gemm,
                                          "gemm_before": gemm_before}


def _into_out(name: str) -> Callable[..., Tensor]:
    shape = _SHAPES[name]

    def fake(*args: Any, out: Tensor, **kwargs: Any) -> Tensor:
        product = shape(*args, **kwargs)
        _require(out.shape == product.shape, lambda: f"out is {_text(out)}; the product is {_text(product)}")
        return out

    return fake


def _functionalized(name: str) -> Callable[..., Tensor]:
    """In a traced graph nothing is written in place: the product is new, and then becomes the new value of out."""
    operator = getattr(torch.ops.cairn, name).default

    def functional(*args: Any, out: Tensor, **kwargs: Any) -> Tensor:
        if name == "gemm":
            kwargs["out_dtype"] = out.dtype
        out.copy_(operator(*args, **kwargs))
        return out

    return functional


def register(library: torch.library.Library) -> None:
    for name, shape in _SHAPES.items():
        torch.library.register_fake(f"cairn::{name}", shape, lib=library)
    for name in WITH_OUT:
        torch.library.register_fake(f"cairn::{name}.out", _into_out(name), lib=library)
        library.impl(f"{name}.out", _functionalized(name), "Functionalize")
