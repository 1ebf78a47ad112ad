"""Devices by name, and the stream of a call."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from . import _cuda, _native
from ._error import Error
from ._view import CPU, EMU, View, place

_LEGACY = 1  # another name of CUDA's default stream, 0


def devices() -> list[str]:
    """What can multiply here: cpu, emu (the emulator), and each GPU as gpu:N."""
    found = []
    for name, number in (("cpu", CPU), ("emu", EMU), ("gpu:0", 0)):
        try:
            if number < 0 or _cuda.count() > 0:
                _native.open(number)
                found.append(name)
        except Error:
            continue  # a library without it
    return found + [f"gpu:{number}" for number in range(1, _cuda.count()) if "gpu:0" in found]


def parse(device: Optional[str]) -> Optional[int]:
    """The number of 'cpu', 'emu', 'gpu:N' (or 'cuda:N', as torch says); None for 'gpu' and for no device."""
    if device is None or device in ("gpu", "cuda"):
        return None
    if device in ("cpu", "emu"):
        return CPU if device == "cpu" else EMU
    kind, _, number = str(device).partition(":")
    if kind not in ("gpu", "cuda") or not number.isdecimal():
        raise Error(f"device is {device!r}; it must be 'cpu', 'emu', 'gpu' or 'gpu:N'")
    return int(number)


def choose(device: Optional[str], views: Sequence[View]) -> int:
    """Where a call runs: where its arrays are, or on the emulator, which works in host memory."""
    wanted = parse(device)
    first = views[0]
    for other in views[1:]:
        if other.device != first.device:
            raise Error(f"{first.name} is in {place(first.device)} and {other.name} in {place(other.device)}; all "
                        "arrays of a call must be in one place")
    at = first.device
    if device in ("gpu", "cuda") and at < 0 or wanted is not None and wanted >= 0 > at:
        raise Error(f"{first.name} is in host memory and device is {device!r}; give arrays on the GPU, as cupy.asarray "
                    "or torch.Tensor.cuda make them: Cairn copies nothing from one memory to another")
    if wanted is None:
        return at
    if at >= 0 and wanted != at:
        raise Error(f"{first.name} is on GPU {at} and device is {device!r}; a call runs where its arrays are")
    return wanted


def stream_of(stream: Any, views: Sequence[View]) -> tuple[int, bool]:
    """The CUDA stream of a call, and whether the call must wait for it because nobody else would.

    By default it is the stream on which the library of the arrays orders its work. Where that says nothing, the call
    runs on CUDA's default stream and returns when it is done.
    """
    if views[0].device < 0:
        if stream is not None:
            raise Error(f"stream is {stream!r}, but {views[0].name} is in host memory, where calls are done when they "
                        "return; leave stream out")
        return 0, False
    if stream is not None:
        return _handle(stream), False
    known = {0 if view.stream == _LEGACY else view.stream for view in views if view.stream is not None}
    if len(known) > 1:
        raise Error("the arrays belong to different streams (" + ", ".join(f"{s:#x}" for s in sorted(known)) +
                    "); give stream, and have it wait for the others")
    return (known.pop(), False) if known else (0, True)


def _handle(stream: Any) -> int:
    for attribute in ("ptr", "cuda_stream"):  # CuPy's and PyTorch's
        value = getattr(stream, attribute, None)
        if isinstance(value, int):
            return value
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    raise Error(f"stream is {type(stream).__name__}; it must be a stream of CuPy or PyTorch, or the address of "
                "a CUDA stream")
