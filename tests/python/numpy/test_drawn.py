"""Shapes, strides, batches, out and bias by lot, against NumPy: what nobody thought of writing down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cairn


class Draw:
    def __init__(self, seed: int) -> None:
        self.lot = np.random.default_rng(seed)

    def chance(self, probability: float) -> bool:
        return bool(self.lot.random() < probability)

    def batch(self, axes: list[int]) -> list[int]:
        """Some of the last of these axes, some of them to be broadcast."""
        first = self.lot.integers(0, len(axes) + 1)
        return [1 if self.chance(0.3) else size for size in axes[first:]]

    def view(self, shape: list[int]) -> Any:
        """A part of a larger array, its axes in any order, some with steps, some backwards."""
        order = self.lot.permutation(len(shape))
        whole = self.lot.uniform(-1, 1, [shape[axis] * self.lot.integers(1, 3) + self.lot.integers(0, 3)
                                         for axis in order]).astype("f4").transpose(np.argsort(order))
        parts = []
        for size, room in zip(shape, whole.shape):
            step = 2 if room >= 2 * size and self.chance(0.3) else 1
            reach = (size - 1) * step + 1 if size else 0
            first = int(self.lot.integers(0, room - reach + 1))
            parts.append(slice(first, first + reach, step) if size else slice(0, 0))
        seen = whole[tuple(parts)]
        for axis in range(len(shape)):
            seen = np.flip(seen, axis) if self.chance(0.15) else seen
        return seen


@pytest.mark.parametrize("seed", range(300))
def test_drawn_products_are_numpys(seed: int) -> None:
    draw = Draw(seed)
    m, n, k = (int(size) for size in draw.lot.integers(0, 9, 3))
    axes = [int(size) for size in draw.lot.integers(1, 4, draw.lot.integers(0, 4))]
    a, b = draw.view([*draw.batch(axes), m, k]), draw.view([*draw.batch(axes), k, n])
    a = a[..., 0, :] if m and draw.chance(0.1) else a
    b = b[..., 0] if n and draw.chance(0.1) else b
    try:
        right = np.asarray(np.matmul(a, b))
    except ValueError:
        with pytest.raises(cairn.Error, match="do not broadcast|must have one length"):
            cairn.matmul(a, b)
        return
    out = draw.view(list(right.shape)) if right.ndim and draw.chance(0.6) else None
    beta = float(draw.lot.integers(0, 2)) if out is not None else 0
    bias = None
    if right.ndim and draw.chance(0.4):
        rows = a.ndim > 1 and b.ndim > 1 and draw.chance(0.5)
        bias = draw.view([right.shape[-2], 1] if rows else [right.shape[-1]])
    right = right + (0 if out is None else beta * out) + (0 if bias is None else bias)
    got = cairn.matmul(a, b, out=out, beta=beta, bias=bias)
    assert got.shape == right.shape
    assert np.allclose(got, right, atol=1e-4)
