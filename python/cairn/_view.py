"""An array as Cairn sees it, whoever made it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Optional, Protocol

from . import _types

CPU = -1
EMU = -2


class Family(Protocol):
    """Arrays of one library: how to make more of them."""

    def empty(self, shape: tuple[int, ...], code: int, like: View) -> Any:
        """A new array of this type, where `like` is."""

    def packed(self, view: View) -> Any:
        """A row-major copy."""

    def assign(self, target: View, source: Any) -> None:
        """Copies an array of the same shape into target."""

    def on_stream(self, device: int, stream: int) -> AbstractContextManager[Any]:
        """Within it, what the other three do is ordered on this stream."""


@dataclass(slots=True, eq=False)
class View:
    name: str  # of the argument, for messages
    array: Any  # keeps the memory
    family: Family
    address: int
    shape: tuple[int, ...]
    strides: Optional[tuple[int, ...]]  # in elements; None where they are no multiple of one
    code: int  # the element type, as in _types
    device: int  # CPU, or the number of a GPU
    writable: bool = True
    stream: Optional[int] = None  # what the array's own library orders its work on; None: the library does not say

    @property
    def steps(self) -> tuple[int, ...]:
        """The strides, where the caller knows that the array has them."""
        assert self.strides is not None
        return self.strides

    def extent(self) -> tuple[int, int]:
        """The first byte and one past the last; equal if there are none."""
        if 0 in self.shape or self.strides is None:
            return self.address, self.address
        bytes_ = _types.BITS[self.code] // 8
        reach = [(size - 1) * step * bytes_ for size, step in zip(self.shape, self.strides)]
        return (self.address + sum(min(r, 0) for r in reach),
                self.address + sum(max(r, 0) for r in reach) + bytes_)


def place(device: int) -> str:
    """Where a device's memory is, in words."""
    return "host memory" if device < 0 else f"GPU {device}'s memory"
