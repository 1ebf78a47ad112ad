"""Within torch.autocast the operators have the type that torch.mm has."""

from __future__ import annotations

import operators
import pytest
import torch
from reference import make

import cairn.torch

ops = torch.ops.cairn
NAMES = [name for name in operators.NAMES if name in ("mm", "bmm", "addmm (3,)", "gemm 4", "gemm_before 4")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("region", [torch.bfloat16, torch.float16], ids=str)
def test_f32_operands_get_the_type_of_the_region(device, name, region):
    sample = operators.named(operators.samples(device, torch.float32), name)
    with torch.autocast(device, dtype=region):
        inside = sample.operator(*sample.args, **sample.kwargs)
    lower = [arg.detach().to(region) if arg is not None else None for arg in sample.args]
    want = sample.operator(*lower, **sample.kwargs)
    for got, expected in zip(inside, want) if isinstance(inside, tuple) else [(inside, want)]:
        assert got.dtype == region
        assert torch.equal(got, expected)


def test_mixed_operands_meet_in_the_type_of_the_region(device):
    a, b = make(5, 9, device=device), make(9, 7, dtype=torch.bfloat16, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert ops.mm(a, b).dtype == torch.mm(a, b).dtype == torch.bfloat16


def test_f64_and_scales_stay_as_they_are(device):
    a, b = make(5, 9, dtype=torch.float64, device=device), make(9, 7, dtype=torch.float64, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert ops.mm(a, b).dtype == torch.float64
        scaled = ops.gemm(a.float(), b.float(), None, None, torch.full((), 3.0, device=device))  # of bf16: refused
    torch.testing.assert_close(scaled, ops.gemm(a.bfloat16(), b.bfloat16(), alpha=3.0))


def test_gradients_pass_through_the_casts(device):
    layer, x = cairn.torch.Linear(16, 8, activation="silu", device=device), make(4, 16, device=device).requires_grad_()
    with torch.autocast(device, dtype=torch.bfloat16):
        layer(x).sum().backward()
    assert layer.weight.grad.dtype == layer.bias.grad.dtype == x.grad.dtype == torch.float32


def test_outside_of_a_region_nothing_is_cast(device):
    with torch.autocast(device, dtype=torch.bfloat16), torch.autocast(device, enabled=False):
        assert ops.mm(make(5, 9, device=device), make(9, 7, device=device)).dtype == torch.float32
