"""Products as functions of tensors of any number of dimensions, by torch.ops.cairn.gemm."""

from __future__ import annotations

import torch
from torch import Tensor

from .._vectors import ACTIVATIONS, COMPUTE, word

_ops = torch.ops.cairn
_RELU = 1


def _wants_gradient(*tensors: Tensor | None) -> bool:
    return torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str | None = None, *,
           compute: str | None = None) -> Tensor:
    """activation(input @ weight.T + bias) in one kernel, as torch.nn.functional.linear has them.

    With gelu, gelu_tanh or silu, the value before the activation is stored too where a gradient will need it.
    """
    code, mode = word("activation", activation, ACTIVATIONS), word("compute", compute, COMPUTE)
    rows = input if input.dim() == 2 else input.reshape(-1, input.shape[-1])
    if code > _RELU and _wants_gradient(input, weight, bias):
        out, _ = _ops.gemm_before(rows, weight.t(), None, bias, activation=code, compute=mode)
    else:
        out = _ops.gemm(rows, weight.t(), None, bias, activation=code, compute=mode)
    return out if input.dim() == 2 else out.reshape(*input.shape[:-1], weight.shape[0])


def _batch_of_one_dimension(tensor: Tensor, batch: torch.Size) -> Tensor:
    if tensor.dim() == 2:
        return tensor
    if tensor.shape[:-2] != batch:
        tensor = tensor.expand(*batch, *tensor.shape[-2:])
    return tensor if tensor.dim() == 3 else tensor.reshape(-1, *tensor.shape[-2:])


def matmul(a: Tensor, b: Tensor, *, bias: Tensor | None = None, activation: str | None = None, alpha: float = 1,
           scale_a: Tensor | None = None, scale_b: Tensor | None = None, out_dtype: torch.dtype | None = None,
           compute: str | None = None) -> Tensor:
    """activation(alpha * a @ b + bias), where a and b broadcast as for torch.matmul.

    bias has an element for each column, or is m x 1; scales are described in docs/python_torch.md.
    """
    left = a.unsqueeze(0) if a.dim() == 1 else a
    right = b.unsqueeze(1) if b.dim() == 1 else b
    batch = torch.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    m, n = left.shape[-2], right.shape[-1]
    code, mode = word("activation", activation, ACTIVATIONS), word("compute", compute, COMPUTE)
    if right.dim() == 2 and left.dim() > 2 and scale_a is None and (bias is None or bias.dim() == 1):
        left = left.reshape(-1, left.shape[-1])  # one product with more rows
    out = _ops.gemm(_batch_of_one_dimension(left, batch), _batch_of_one_dimension(right, batch), None, bias, scale_a,
                    scale_b, alpha=alpha, activation=code, compute=mode, out_dtype=out_dtype)
    shape = (*batch, *((m,) if a.dim() > 1 else ()), *((n,) if b.dim() > 1 else ()))
    return out.reshape(shape)
