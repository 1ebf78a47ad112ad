"""What goes along with a product: a bias, scales, and the words for activations and ways to compute."""

from __future__ import annotations

from typing import NamedTuple, Optional

from . import _types
from ._error import Error
from ._view import View

ACTIVATIONS = {"none": 0, "relu": 1, "gelu": 2, "gelu_tanh": 3, "silu": 4}
COMPUTE = {"native": 0, "tf32": 1, "split": 2, "fast": 3}
BIAS_ROWS, BIAS_COLUMNS = 1, 2
TENSOR, VECTOR, VECTOR_BLOCKS, BLOCKS = 1, 2, 3, 4  # cairn_scale
_BLOCK = 128  # of k, and of rows or columns, that share a scale


class Vector(NamedTuple):
    """A bias or scales: a view of at least two axes, whose last two belong to one product."""

    view: View
    kind: int
    packed: tuple[int, int]  # the strides that the last two axes must have; where they have others, it is copied


def word(argument: str, value: Optional[str], words: dict[str, int]) -> int:
    """The number of a word; None is the first."""
    if value is None:
        return 0
    if not isinstance(value, str) or value not in words:
        raise Error(f"{argument} is {value!r}; it must be one of {', '.join(words)}")
    return words[value]


def bias(view: View, m: int, n: int, out: int, code: int) -> Vector:
    """Along the columns of C as (…, n) or (…, 1, n), along its rows as (…, m, 1): as NumPy adds it to C."""
    if view.code not in (_types.accumulator(code), out):
        raise Error(f"bias is {_types.NAMES[view.code]}; it must be {_types.NAMES[_types.accumulator(code)]} or have "
                    f"the type of the result, {_types.NAMES[out]}")
    if len(view.shape) == 1:
        view.shape = (1, *view.shape)
        view.strides = None if view.strides is None else (0, *view.strides)
    rows, cols = view.shape[-2:] if len(view.shape) > 1 else (0, 0)
    if len(view.shape) > 1 and cols == n and rows == 1:
        return Vector(view, BIAS_COLUMNS, (0, 1))
    if len(view.shape) > 1 and rows == m and cols == 1:
        return Vector(view, BIAS_ROWS, (1, 0))
    raise Error(f"bias has shape {view.shape}; for a result of {m} x {n} it must be ({n},), an element for each "
                f"column, or ({m}, 1), one for each row")


def _kinds(view: View, lines: int, k: int, of_a: bool) -> list[tuple[int, tuple[int, int]]]:
    """What the shape of scales can mean, and the strides for it. lines: rows of op(A), columns of op(B)."""
    blocks = -(-k // _BLOCK)
    if len(view.shape) < 2:
        flat = view.shape[0] if view.shape else 1
        shape = (flat, 1) if of_a else (1, flat)
        steps = None if view.strides is None else (*view.strides, *(0,) * (1 - len(view.strides)))
        view.shape = shape
        view.strides = None if steps is None else ((steps[0], 0) if of_a else (0, steps[0]))
        along, deep = flat, 1
        flat_only = True
    else:
        along, deep = view.shape[-2:] if of_a else (view.shape[-1], view.shape[-2])
        flat_only = False

    def steps_of(line: int, block: int) -> tuple[int, int]:
        return (line, block) if of_a else (block, line)

    found = []
    if along == 1 and deep == 1:
        found.append((TENSOR, (0, 0)))
    if along == lines and deep == 1:
        found.append((VECTOR, steps_of(1, 0)))
    if not flat_only and deep == blocks:
        if along == lines:
            found.append((VECTOR_BLOCKS, steps_of(blocks, 1)))
        if along == -(-lines // _BLOCK):
            found.append((BLOCKS, steps_of(blocks, 1)))
    return found


def scales(a: Optional[View], b: Optional[View], m: int, n: int, k: int,
           code: int) -> tuple[Optional[Vector], Optional[Vector]]:
    """What scale_a and scale_b are, by their shapes. Where a shape can mean two things, the other one decides."""
    wide = _types.accumulator(code)
    for view in (a, b):
        if view is not None and view.code != wide:
            raise Error(f"{view.name} is {_types.NAMES[view.code]}; scales of {_types.NAMES[code]} are "
                        f"{_types.NAMES[wide]}")
    options_a = _kinds(a, m, k, True) if a is not None else []
    options_b = _kinds(b, n, k, False) if b is not None else []
    deep = -(-k // _BLOCK)
    if a is not None and not options_a:
        raise Error(f"scale_a has shape {a.shape}; for {m} x {k} it must be (), ({m},), or for blocks of 128 "
                    f"({m}, {deep}) or ({-(-m // _BLOCK)}, {deep})")
    if b is not None and not options_b:
        raise Error(f"scale_b has shape {b.shape}; for {k} x {n} it must be (), ({n},), or for blocks of 128 "
                    f"({deep}, {n}) or ({deep}, {-(-n // _BLOCK)})")
    if a is None or b is None:
        one, options = (a, options_a) if a is not None else (b, options_b)
        if one is None:
            return None, None
        vector = Vector(one, *options[0])
        return (vector, None) if a is not None else (None, vector)
    for kind_a, steps_a in options_a:
        for kind_b, steps_b in options_b:
            if (kind_a >= VECTOR_BLOCKS) == (kind_b >= VECTOR_BLOCKS):
                return Vector(a, kind_a, steps_a), Vector(b, kind_b, steps_b)
    raise Error(f"scale_a has shape {a.shape} and scale_b {b.shape}; scales for blocks of 128 come for both or for "
                "none")
