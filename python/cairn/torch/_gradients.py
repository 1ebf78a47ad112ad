"""Gradients of the operators. They are products of Cairn themselves, so that they have gradients too."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_ops = torch.ops.cairn
_RELU, _GELU, _GELU_TANH, _SILU = 1, 2, 3, 4


def _sum_to(gradient: Tensor, like: Tensor) -> Tensor:
    return gradient.sum_to_size(like.shape).to(like.dtype)


def _through_activation(gradient: Tensor, before: Tensor, activation: int) -> Tensor:
    if activation == _RELU:
        return torch.ops.aten.threshold_backward(gradient, before, 0)
    if activation in (_GELU, _GELU_TANH):
        form = "tanh" if activation == _GELU_TANH else "none"
        return torch.ops.aten.gelu_backward(gradient, before, approximate=form)
    if activation == _SILU and torch.is_grad_enabled():  # aten.silu_backward has no gradient itself
        sigmoid = before.sigmoid()
        return gradient * sigmoid * (1 + before * (1 - sigmoid))
    if activation == _SILU:
        return torch.ops.aten.silu_backward(gradient, before)
    return gradient


def _of_operands(needed: tuple[bool, ...], gradient: Tensor, a: Tensor, b: Tensor, alpha: float,
                 compute: int) -> tuple[Tensor | None, Tensor | None]:
    """The gradients of a and b, each 2-D or 3-D; one that is shared by a batch gets the sum over it."""
    gradient = gradient.to(a.dtype)
    of_a = of_b = None
    if needed[0]:
        of_a = _ops.gemm(gradient, b.mT, alpha=alpha, compute=compute)
        of_a = of_a.sum(0) if of_a.dim() > a.dim() else of_a
    if needed[1]:
        of_b = _ops.gemm(a.mT, gradient, alpha=alpha, compute=compute)
        of_b = of_b.sum(0) if of_b.dim() > b.dim() else of_b
    return of_a, of_b


def _save_operands(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _mm(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
    a, b = ctx.saved_tensors
    of_a = _ops.mm(gradient, b.t()) if ctx.needs_input_grad[0] else None
    of_b = _ops.mm(a.t(), gradient) if ctx.needs_input_grad[1] else None
    return of_a, of_b


def _bmm(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
    a, b = ctx.saved_tensors
    of_a = _ops.bmm(gradient, b.mT) if ctx.needs_input_grad[0] else None
    of_b = _ops.bmm(a.mT, gradient) if ctx.needs_input_grad[1] else None
    return of_a, of_b


def _save_addmm(ctx: Any, inputs: tuple[Any, ...], keyword_only_inputs: dict[str, Any], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)
    ctx.beta, ctx.alpha = keyword_only_inputs["beta"], keyword_only_inputs["alpha"]


def _addmm(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    input, a, b = ctx.saved_tensors
    of_input = _sum_to(gradient * ctx.beta, input) if ctx.needs_input_grad[0] else None
    return of_input, *_of_operands(ctx.needs_input_grad[1:], gradient, a, b, ctx.alpha, 0)


def _save_gemm(ctx: Any, inputs: tuple[Any, ...], keyword_only_inputs: dict[str, Any], output: Tensor) -> None:
    a, b, input, bias, scale_a, scale_b = inputs
    if scale_a is not None or scale_b is not None or a.dtype == torch.float8_e4m3fn:
        raise RuntimeError("cairn: a product of scaled or float8 operands has no gradient; "
                           "detach them, or call it within torch.no_grad()")
    ctx.save_for_backward(a, b, input, bias)
    ctx.options = keyword_only_inputs


def _gemm(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    a, b, input, bias = ctx.saved_tensors
    options = {**ctx.options}
    activation = options.pop("activation")
    if activation:  # the value before it was not kept: cairn.torch.linear keeps it, by gemm_before
        gradient = _through_activation(gradient, _ops.gemm(a, b, input, bias, **options), activation)
    return *_of_inputs(ctx.needs_input_grad, gradient, a, b, input, bias, options), None, None


def _of_inputs(needed: tuple[bool, ...], gradient: Tensor, a: Tensor, b: Tensor, input: Tensor | None,
               bias: Tensor | None, options: dict[str, Any]) -> tuple[Tensor | None, ...]:
    of_a, of_b = _of_operands(needed, gradient, a, b, options["alpha"], options["compute"])
    of_input = _sum_to(gradient * options["beta"], input) if input is not None and needed[2] else None
    of_bias = _sum_to(gradient, bias) if bias is not None and needed[3] else None
    return of_a, of_b, of_input, of_bias


def _save_gemm_before(ctx: Any, inputs: tuple[Any, ...], keyword_only_inputs: dict[str, Any],
                      output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs, output[1])
    ctx.options = keyword_only_inputs
    ctx.set_materialize_grads(False)  # `before` is rarely used by anything else


def _gemm_before(ctx: Any, gradient: Tensor | None, of_before: Tensor | None) -> tuple[Tensor | None, ...]:
    a, b, input, bias, before = ctx.saved_tensors
    if gradient is not None:
        through = _through_activation(gradient, before, ctx.options["activation"])
        of_before = through if of_before is None else of_before + through
    if of_before is None:
        return None, None, None, None
    return _of_inputs(ctx.needs_input_grad, of_before, a, b, input, bias, ctx.options)


def register(library: torch.library.Library) -> None:
    for name, backward, save in (("mm", _mm, _save_operands), ("bmm", _bmm, _save_operands),
                                 ("addmm", _addmm, _save_addmm), ("gemm", _gemm, _save_gemm),
                                 ("gemm_before", _gemm_before, _save_gemm_before)):
        torch.library.register_autograd(f"cairn::{name}", backward, setup_context=save, lib=library)
