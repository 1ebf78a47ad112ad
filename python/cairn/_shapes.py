"""Shapes as numpy.matmul has them: any leading axes are a batch and broadcast, and a vector is a row or a column."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from . import _types
from ._error import Error
from ._layout import Shape
from ._view import View


@dataclass(slots=True, eq=False)
class Product:
    a: View  # (…, m, k)
    b: View  # (…, k, n)
    m: int
    n: int
    k: int
    batch: Shape  # the leading axes of the result
    row: bool  # a is a vector: the result has no rows
    column: bool  # b is a vector: the result has no columns

    @property
    def shape(self) -> Shape:
        """The result's."""
        return (*self.batch, *(() if self.row else (self.m,)), *(() if self.column else (self.n,)))

    def result(self, out: View) -> View:
        """The result with the axes that vectors left out."""
        return _with_axes(out, self.row, self.column)

    def vector(self, bias: View) -> View:
        """A bias, which broadcasts to the result, in the same way."""
        if not bias.shape:
            raise Error(f"bias has no axes; a result of {self.m} x {self.n} needs an element for each row or column")
        return _with_axes(bias, self.row and len(bias.shape) > 1, self.column)


def _with_axes(view: View, row: bool, column: bool) -> View:
    """Axes of one element: rows in front of the last axis, columns behind it."""
    if not row and not column:
        return view
    shape, steps = view.shape, view.strides
    if column:
        shape, steps = (*shape, 1), None if steps is None else (*steps, 0)
    if row:
        shape = (*shape[:-1], 1, *shape[-1:])
        steps = None if steps is None else (*steps[:-1], 0, *steps[-1:])
    return dataclasses.replace(view, shape=shape, strides=steps)


def product(a: View, b: View) -> Product:
    for view in (a, b):
        if not view.shape:
            raise Error(f"{view.name} has no axes; it must be a vector, a matrix or a batch of matrices")
    if a.code != b.code:
        raise Error(f"a is {_types.NAMES[a.code]} and b is {_types.NAMES[b.code]}; both must have one type")
    row, column = len(a.shape) == 1, len(b.shape) == 1
    left = _with_axes(a, True, False) if row else a
    right = _with_axes(b, False, True) if column else b
    (m, k), (rows, n) = left.shape[-2:], right.shape[-2:]
    if k != rows:
        raise Error(f"a has shape {a.shape} and b {b.shape}; the last axis of a, {k}, and the "
                    f"{'axis' if column else 'last but one'} of b, {rows}, must have one length")
    return Product(left, right, m, n, k, _broadcast(a, left.shape[:-2], b, right.shape[:-2]), row, column)


def _broadcast(a: View, of_a: Shape, b: View, of_b: Shape) -> Shape:
    length = max(len(of_a), len(of_b))
    sizes = []
    for x, y in zip((1,) * (length - len(of_a)) + of_a, (1,) * (length - len(of_b)) + of_b):
        if x != y and x != 1 and y != 1:
            raise Error(f"a has shape {a.shape} and b {b.shape}; their batches {of_a} and {of_b} do not broadcast: "
                        "axes must have one length, or one of them 1")
        sizes.append(y if x == 1 else x)
    return tuple(sizes)
