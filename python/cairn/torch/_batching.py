"""torch.vmap of the operators: one batched product."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_ops = torch.ops.cairn
Dims = tuple[int | None, ...]
_SCALE_A = 4  # its place among gemm's operands


def _as_matrix(tensor: Tensor, batched: bool, column: bool) -> Tensor:
    """A scalar or vector, behind vmap's dimension if it has that, as a row, or as a column."""
    if tensor.dim() == batched:
        tensor = tensor.unsqueeze(-1)
    if tensor.dim() == 1 + batched:
        tensor = tensor.unsqueeze(-1 if column else -2)
    return tensor


def _joined(tensor: Tensor, mapped: bool, over: int, batch: int) -> Tensor:
    """vmap's dimension and the batch's in one; what has neither is shared by all products and stays as it is."""
    own_batch = tensor.dim() == 3 + mapped
    if not mapped and not own_batch:
        return tensor
    tensor = tensor if mapped else tensor.unsqueeze(0)
    tensor = tensor if own_batch else tensor.unsqueeze(1)
    return tensor.expand(over, batch, -1, -1).reshape(over * batch, *tensor.shape[2:])


def _one_batch(over: int, dims: Dims, tensors: tuple[Tensor | None, ...]) -> tuple[list[Tensor | None], int | None]:
    """The operands with a single batch dimension, and how large the batch was without vmap's."""
    places = list(dims) + [None] * (len(tensors) - len(dims))
    moved = [tensor if tensor is None or dim is None else tensor.movedim(dim, 0)
             for tensor, dim in zip(tensors, places, strict=True)]
    if places[0] is None and places[1] is None and moved[0] is not None:  # only what is added differs
        moved[0], places[0] = moved[0].expand(over, *moved[0].shape), 0
    mapped = [dim is not None for dim in places]
    batches = [tensor.shape[-3] for tensor, has in zip(moved[:2], mapped) if tensor is not None
               and tensor.dim() == 3 + has]
    batch = batches[0] if batches else None
    return [tensor if tensor is None else
            _joined(_as_matrix(tensor, has, column=place == _SCALE_A), has, over, 1 if batch is None else batch)
            for place, (tensor, has) in enumerate(zip(moved, mapped))], batch


def _split(out: Tensor, over: int, batch: int | None) -> Tensor:
    return out if batch is None else out.unflatten(0, (over, batch))


def _gemm(info: Any, dims: Dims, *tensors: Tensor | None, **options: Any) -> tuple[Tensor, int]:
    operands, batch = _one_batch(info.batch_size, dims, tensors)
    return _split(_ops.gemm(*operands, **options), info.batch_size, batch), 0


def _gemm_before(info: Any, dims: Dims, *tensors: Tensor | None, **options: Any) -> Any:
    operands, batch = _one_batch(info.batch_size, dims, tensors)
    pair = _ops.gemm_before(*operands, **options)
    return tuple(_split(tensor, info.batch_size, batch) for tensor in pair), (0, 0)


def _addmm(info: Any, dims: Dims, input: Tensor, a: Tensor, b: Tensor, **scalars: float) -> tuple[Tensor, int]:
    return _gemm(info, (dims[1], dims[2], dims[0]), a, b, input, **scalars)


def register(library: torch.library.Library) -> None:
    for name, batched in (("mm", _gemm), ("bmm", _gemm), ("addmm", _addmm), ("gemm", _gemm),
                          ("gemm_before", _gemm_before)):
        torch.library.register_vmap(f"cairn::{name}", batched, lib=library)
