"""From strides to what a GEMM knows: a transpose and a leading dimension, a batch and its strides."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

Shape = tuple[int, ...]


class Matrix(NamedTuple):
    column_major: bool
    ld: int


def matrix(rows: int, cols: int, row_step: int, col_step: int) -> Optional[Matrix]:
    """How a matrix of these strides is stored, or None: no leading dimension describes it, and it must be copied.

    The step of an axis with one element leads nowhere and may be anything.
    """
    if rows == 0 or cols == 0:
        return Matrix(False, max(cols, 1))
    if (col_step == 1 or cols == 1) and (row_step >= cols or rows == 1):
        return Matrix(False, row_step if rows > 1 else cols)
    if (row_step == 1 or rows == 1) and (col_step >= rows or cols == 1):
        return Matrix(True, col_step if cols > 1 else rows)
    return None


def contiguous(shape: Shape) -> Shape:
    """The strides of a packed row-major array."""
    steps, step = [], 1
    for size in reversed(shape):
        steps.append(step)
        step *= size
    return tuple(reversed(steps))


def broadcast_steps(shape: Shape, steps: Shape, to: Shape) -> Shape:
    """The strides of an array that is seen with more or longer axes, all but the last two of it: 0 along those."""
    missing = len(to) - len(shape)
    return (0,) * missing + tuple(0 if have == 1 else step for have, step in zip(shape, steps))


class Batch(NamedTuple):
    """One call's batch, and the offsets of further calls: for each, an offset in elements for every operand."""

    size: int
    strides: tuple[int, ...]
    offsets: list[tuple[int, ...]]


def merge(shape: Shape, strides: Sequence[Shape]) -> list[tuple[int, tuple[int, ...]]]:
    """Batch axes as few as possible: (size, a stride for each operand), outermost first.

    Two axes are one where for every operand a step along the outer one is a walk along the whole inner one; stride 0
    of a broadcast operand included.
    """
    axes: list[tuple[int, tuple[int, ...]]] = []
    for axis in range(len(shape) - 1, -1, -1):
        size, steps = shape[axis], tuple(s[axis] for s in strides)
        if size == 1:
            continue
        if axes:
            inner, inner_steps = axes[0]
            if all(outer == inner * step for outer, step in zip(steps, inner_steps)):
                axes[0] = (inner * size, inner_steps)
                continue
        axes.insert(0, (size, steps))
    return axes


def choose(axes: list[tuple[int, tuple[int, ...]]], operands: int) -> Batch:
    """One axis becomes the batch of the call, the longest that no operand walks backwards; the others take a call each.

    That the products of a batch write no element twice is known by then: C's elements are apart, whatever its strides.
    """
    forwards = [i for i, (_, steps) in enumerate(axes) if min(steps) >= 0]
    best = max(forwards, key=lambda i: axes[i][0], default=None)
    size, strides = axes[best] if best is not None else (1, (0,) * operands)
    offsets = [(0,) * operands]
    for i, (count, steps) in enumerate(axes):
        if i != best:
            offsets = [tuple(o + n * s for o, s in zip(offset, steps)) for offset in offsets for n in range(count)]
    return Batch(size, strides, offsets)
