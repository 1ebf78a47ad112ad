"""DTensor's sharding rules: what each device multiplies when operands are shared out along a dimension.

Every rule is for one dimension of the device mesh; DTensor combines them where a mesh has several.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_ops = torch.ops.cairn
_done = False


def _along(operand: Any, dim: int, dims: int) -> Any:
    """The placement of what is added to C, if C is sharded along `dim` of `dims`: where it broadcasts, replicated."""
    from torch.distributed.tensor import Replicate, Shard

    its = dim - (dims - len(operand.shape))
    return Replicate() if its < 0 or operand.shape[its] == 1 else Shard(its)


def _product_rules(a: Any, b: Any, added: tuple[Any, ...], linear: bool, outputs: int = 1) -> list[Any]:
    """Rules of out = a @ b + added: (placements of the outputs, placements of a, b and what is added)."""
    from torch.distributed.tensor import Partial, Replicate, Shard

    dims = max(len(a.shape), len(b.shape))
    rows, columns = dims - 2, dims - 1
    whole = Replicate()

    def rule(out: Any, of_a: Any, of_b: Any) -> Any:
        of_added = [None if operand is None else _along(operand, out.dim, dims) if isinstance(out, Shard) else out
                    for operand in added]
        return [out] * outputs, [of_a, of_b, *of_added]

    rules = [rule(whole, whole, whole),
             rule(Shard(rows), Shard(len(a.shape) - 2), whole),
             rule(Shard(columns), whole, Shard(len(b.shape) - 1))]
    if dims == 3:
        rules.append(rule(Shard(0), Shard(0) if len(a.shape) == 3 else whole, Shard(0) if len(b.shape) == 3 else whole))
    if linear:  # partial sums may be added after the product, but not after an activation
        rules += [rule(Partial(), Shard(len(a.shape) - 1), Shard(len(b.shape) - 2)),
                  rule(Partial(), Partial(), whole), rule(Partial(), whole, Partial())]
    return rules


def _mm(a: Any, b: Any) -> list[Any]:
    return _product_rules(a, b, (), linear=True)


def _addmm(input: Any, a: Any, b: Any, **scalars: Any) -> list[Any]:
    return [(out, [of_input, of_a, of_b]) for out, (of_a, of_b, of_input) in
            _product_rules(a, b, (input,), linear=True)]


def _gemm(a: Any, b: Any, input: Any = None, bias: Any = None, scale_a: Any = None, scale_b: Any = None, *,
          activation: int = 0, **options: Any) -> list[Any]:
    if scale_a is not None or scale_b is not None:
        raise NotImplementedError("cairn: scaled products of DTensors have no sharding rules; multiply local tensors")
    return _product_rules(a, b, (input, bias), linear=activation == 0)


def _gemm_before(a: Any, b: Any, input: Any = None, bias: Any = None, *, activation: int = 0,
                 **options: Any) -> list[Any]:
    return _product_rules(a, b, (input, bias), linear=activation == 0, outputs=2)


def register_sharding() -> None:
    """Lets DTensor shard torch.ops.cairn.*: by rows, columns, batch, or along k with partial sums."""
    global _done
    if _done:
        return
    from torch.distributed.tensor.experimental import register_sharding as register

    rules: dict[Any, Callable[..., list[Any]]] = {_ops.mm.default: _mm, _ops.bmm.default: _mm,
                                                  _ops.addmm.default: _addmm, _ops.gemm.default: _gemm,
                                                  _ops.gemm_before.default: _gemm_before}
    for operator, rule in rules.items():
        register(operator)(rule)
    _done = True
