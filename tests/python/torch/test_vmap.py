"""torch.vmap of each operator is the loop over it."""

from __future__ import annotations

import itertools

import pytest
import torch
from reference import make

ops = torch.ops.cairn

SHAPES = {"mm": [(5, 4), (4, 3)], "bmm": [(2, 5, 4), (2, 4, 3)], "addmm": [(3,), (5, 4), (4, 3)],
          "addmm of a matrix": [(5, 3), (5, 4), (4, 3)], "gemm": [(5, 4), (4, 3), (5, 3), (3,)],
          "gemm of a batch": [(2, 5, 4), (4, 3), (2, 5, 3), (5, 1)], "gemm_before": [(5, 4), (4, 3), (5, 3), (3,)],
          "gemm scaled": [(5, 4), (4, 3), (5, 3), (3,), (5,), (3,)],
          "gemm with numbers": [(5, 4), (4, 3), (5, 3), (3,), (), ()]}
OPTIONS = {"addmm": {"beta": 0.5, "alpha": 2.0}, "gemm": {"activation": 4, "beta": 0.5},
           "gemm_before": {"activation": 4}}


def _dims(count):
    """Every choice of which of the first three are mapped, with all or none of the rest; and all by the last axis."""
    for first in itertools.product((0, None), repeat=min(count, 3)):
        rest = (first[-1],) * (count - len(first))
        if any(dim is not None for dim in first):
            yield first + rest
    yield (-1,) * count


@pytest.mark.parametrize("name, dims", [(name, dims) for name, shapes in SHAPES.items() for dims in _dims(len(shapes))],
                         ids=str)
def test_vmap_is_the_loop(device, name, dims):
    operator = getattr(ops, name.split()[0])
    options = OPTIONS.get(name, {})
    tensors = []
    for shape, dim in zip(SHAPES[name], dims):
        batched = shape if dim is None else (6, *shape) if dim == 0 else (*shape, 6)
        tensors.append(make(*batched, device=device))
    got = torch.vmap(lambda *args: operator(*args, **options), in_dims=dims)(*tensors)
    each = [operator(*(t if d is None else t.select(d, i) for t, d in zip(tensors, dims)), **options) for i in range(6)]
    want = tuple(map(torch.stack, zip(*each))) if isinstance(each[0], tuple) else torch.stack(each)
    torch.testing.assert_close(got, want)


def test_a_vectorized_jacobian_is_that_of_torch(device):
    a, b = make(5, 4, device=device), make(4, 3, device=device)
    got = torch.autograd.functional.jacobian(ops.mm, (a, b), vectorize=True)
    want = torch.autograd.functional.jacobian(torch.mm, (a, b))
    torch.testing.assert_close(got, want)


def test_vmap_of_vmap(device):
    a, b = make(2, 6, 5, 4, device=device), make(6, 4, 3, device=device)
    got = torch.vmap(lambda x: torch.vmap(ops.mm)(x, b))(a)
    torch.testing.assert_close(got, a @ b)
