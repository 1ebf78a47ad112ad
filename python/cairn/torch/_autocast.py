"""The operators within torch.autocast: operands of f32, f16 and bf16 get the type of the region, as for torch.mm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ._schemas import FUNCTIONAL

_CAST = (torch.float32, torch.float16, torch.bfloat16)
_FIRST_SCALE = 4  # gemm's scales stay as they are


def _kernel(name: str, device: str) -> Callable[..., Any]:
    operator = getattr(torch.ops.cairn, name).default
    key = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, f"Autocast{device.upper()}"))

    def cast(*args: Tensor | None, **kwargs: Any) -> Any:
        target = torch.get_autocast_dtype(device)
        operands = [operand.to(target) if operand is not None and operand.dtype in _CAST else operand
                    for operand in args[:_FIRST_SCALE]]
        with torch._C._ExcludeDispatchKeyGuard(key):
            return operator(*operands, *args[_FIRST_SCALE:], **kwargs)

    return cast


def register(library: torch.library.Library) -> None:
    for device in ("cpu", "cuda"):
        for name in FUNCTIONAL:
            library.impl(name, _kernel(name, device), f"Autocast{device.upper()}")
