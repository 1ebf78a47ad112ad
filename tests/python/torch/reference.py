"""What the tests compare with: products in float64, and how far a correct result may be from them."""

from __future__ import annotations

import torch
from torch import Tensor

UNIT = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8,
        torch.float8_e4m3fn: 2.0**-4}
# The smallest step of the type: what rounding costs where numbers are subnormal.
STEP = {torch.float64: 0.0, torch.float32: 0.0, torch.float16: 2.0**-24, torch.bfloat16: 0.0,
        torch.float8_e4m3fn: 2.0**-9}


def make(*shape: int, dtype: torch.dtype = torch.float32, device: str = "cpu") -> Tensor:
    return torch.randn(shape, dtype=torch.float64).to(dtype).to(device)


def assert_product(got: Tensor, a: Tensor, b: Tensor, *, added: Tensor | None = None, alpha: float = 1.0,
                   inputs: torch.dtype | None = None) -> None:
    """got = alpha * a @ b + added within the error of sums of k products in the accumulators' type, rounded once.

    The bound grows with k, so that a product which is wrong by an element is outside of it.
    """
    inputs = inputs or a.dtype
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    exact, size = alpha * (a @ b), abs(alpha) * (a.abs() @ b.abs())
    if added is not None:
        added = added.detach().cpu().double()
        exact, size = exact + added, size + added.abs()
    # Tensor cores truncate: 2^-22 an addition is what they are allowed here, and 2^-8 in all for products of e4m3,
    # which they cut off 13 bits behind the largest (docs/numerics.md).
    accumulator = 2.0**-53 if got.dtype == torch.float64 else 2.0**-22
    sums = (a.shape[-1] + 3) * accumulator + (2.0**-8 if inputs == torch.float8_e4m3fn else 0.0)
    bound = sums * size + UNIT[got.dtype] * exact.abs() * 1.01 + STEP[got.dtype]
    assert got.shape == exact.shape
    error = (got.detach().cpu().double() - exact).abs()
    wrong = ~(error <= bound)  # NaN is wrong too
    assert not wrong.any(), f"{int(wrong.sum())} of {error.numel()} elements; one is off by {error[wrong][0]}, " \
                            f"where {bound[wrong][0]} is allowed"
