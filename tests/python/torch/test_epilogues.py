"""torch.ops.cairn.gemm: bias, activation, the value before it, scales, compute modes."""

from __future__ import annotations

import pytest
import torch
from reference import assert_product, make
from torch.nn import functional

ops = torch.ops.cairn
ACTIVATIONS = {0: lambda x: x, 1: torch.relu, 2: functional.gelu,
               3: lambda x: functional.gelu(x, approximate="tanh"), 4: functional.silu}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("shape", [(24,), (1, 24), (17, 1)], ids=str)
def test_bias_and_activation_are_torchs(device, activation, dtype, shape):
    a, b, bias = (make(*s, dtype=dtype, device=device) for s in ((17, 40), (40, 24), shape))
    exact = a.double() @ b.double() + bias.double()
    tolerance = {"rtol": 2e-2, "atol": 2e-2} if dtype == torch.bfloat16 else {"rtol": 1e-4, "atol": 1e-4}
    torch.testing.assert_close(ops.gemm(a, b, None, bias, activation=activation),
                               ACTIVATIONS[activation](exact).to(dtype), **tolerance)
    if activation == 0:
        with pytest.raises(RuntimeError, match="before"):
            ops.gemm_before(a, b, None, bias)
        return
    out, before = ops.gemm_before(a, b, None, bias, activation=activation)
    torch.testing.assert_close(out, ACTIVATIONS[activation](exact).to(dtype), **tolerance)
    assert_product(before, a, b, added=bias)


@pytest.mark.parametrize("shape", [(3, 1, 24), (3, 17, 1), (1, 1, 24), (24,)], ids=str)
def test_bias_of_a_batch(device, shape):
    a, b, bias = (make(*s, device=device) for s in ((3, 17, 40), (3, 40, 24), shape))
    assert_product(ops.gemm(a, b, None, bias), a, b, added=bias)


def test_a_matrix_is_shared_by_a_batch(device):
    a, b = make(3, 17, 40, device=device), make(3, 40, 24, device=device)
    assert_product(ops.gemm(a, b[0]), a, b[0])
    assert_product(ops.gemm(a[0], b), a[0], b)


def test_input_and_bias_are_added(device):
    a, b, input, bias = (make(*s, device=device) for s in ((17, 40), (40, 24), (17, 24), (24,)))
    assert_product(ops.gemm(a, b, input, bias, beta=0.5, alpha=2), a, b, added=0.5 * input + bias, alpha=2)


@pytest.mark.parametrize("shape_a, shape_b", [((), ()), ((17, 1), (1, 24)), ((17,), (24,)), ((1, 1), (24,)),
                                              ((17, 1), None), (None, (1, 24))], ids=str)
def test_scales_multiply_rows_and_columns(device, shape_a, shape_b):
    a, b = make(17, 40, device=device), make(40, 24, device=device)
    scale_a = None if shape_a is None else torch.rand(shape_a, device=device) + 0.5
    scale_b = None if shape_b is None else torch.rand(shape_b, device=device) + 0.5
    scaled_a = a.double() if scale_a is None else a.double() * (scale_a[:, None] if scale_a.dim() == 1 else scale_a)
    scaled_b = b.double() if scale_b is None else b.double() * scale_b
    assert_product(ops.gemm(a, b, None, None, scale_a, scale_b), scaled_a, scaled_b)


@pytest.mark.parametrize("m, n, k", [(300, 200, 256), (300, 200, 100), (64, 64, 384), (64, 200, 128)])
@pytest.mark.parametrize("by_row", [True, False])
def test_scales_of_blocks_of_128(device, m, n, k, by_row):
    a = make(m, k, dtype=torch.float8_e4m3fn, device=device)
    b = make(n, k, dtype=torch.float8_e4m3fn, device=device).t()
    deep, wide = -(-k // 128), -(-n // 128)
    scale_a = torch.rand(m if by_row else -(-m // 128), deep, device=device) + 0.5
    scale_b = (torch.rand(wide, deep, device=device) + 0.5).t()

    def spread(scale, rows, cols, high):
        return scale.double().repeat_interleave(high, 0)[:rows].repeat_interleave(128, 1)[:, :cols]

    exact_a = a.double() * spread(scale_a, m, k, 1 if by_row else 128)
    exact_b = b.double() * spread(scale_b.t(), n, k, 128).t()
    got = ops.gemm(a, b, None, None, scale_a, scale_b, out_dtype=torch.float32)
    assert_product(got, exact_a, exact_b, inputs=a.dtype)


@pytest.mark.parametrize("dtype, scale", [(torch.float32, torch.ones(3)), (torch.float32, torch.ones(2, 17))])
def test_scales_of_no_shape_are_refused(device, dtype, scale):
    with pytest.raises(RuntimeError, match="scale_a"):
        ops.gemm(make(17, 40, device=device), make(40, 24, device=device), None, None, scale.to(device))


@pytest.mark.parametrize("word, bits", [("tf32", 10), ("split", 20)])
def test_compute_says_how_f32_is_multiplied(device, word, bits):
    import cairn.torch

    a, b = make(33, 70, device=device), make(70, 20, device=device)
    got = cairn.torch.matmul(a, b, compute=word).double()
    size = a.double().abs() @ b.double().abs()
    assert bool(((got - a.double() @ b.double()).abs() <= 3 * 2.0**-bits * size).all())


@pytest.mark.parametrize("shape_a, shape_b", [((5, 9), (9, 7)), ((9,), (9, 7)), ((5, 9), (9,)), ((9,), (9,)),
                                              ((2, 3, 5, 9), (9, 7)), ((2, 3, 5, 9), (3, 9, 7)), ((5, 9), (2, 9, 7)),
                                              ((2, 1, 5, 9), (3, 9, 7)), ((0, 5, 9), (9, 7))], ids=str)
def test_matmul_broadcasts_as_torch(device, shape_a, shape_b):
    import cairn.torch

    a, b = make(*shape_a, device=device), make(*shape_b, device=device)
    torch.testing.assert_close(cairn.torch.matmul(a, b), torch.matmul(a, b), rtol=1e-4, atol=1e-4)
