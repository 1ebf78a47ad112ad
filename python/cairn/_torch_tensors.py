"""PyTorch's tensors, read directly: by DLPack a negative bit or requires_grad would be lost.

This is for kernels called by hand (cairn.rung) and for work outside of autograd; a model wants cairn.torch.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from . import _types
from ._error import Error
from ._view import CPU, View


def is_tensor(array: Any) -> bool:
    torch = sys.modules.get("torch")  # who has a tensor has imported it
    return torch is not None and isinstance(array, torch.Tensor)


class _Torch:
    def empty(self, shape: tuple[int, ...], code: int, like: View) -> Any:
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, _types.NAMES[code]), device=like.array.device)

    def packed(self, view: View) -> Any:
        return view.array.clone(memory_format=sys.modules["torch"].contiguous_format)

    def assign(self, target: View, source: Any) -> None:
        target.array.copy_(source)

    def on_stream(self, device: int, stream: int) -> AbstractContextManager[Any]:
        cuda = sys.modules["torch"].cuda
        if device < 0 or stream == cuda.current_stream(device).cuda_stream:
            return nullcontext()
        other = cuda.ExternalStream(stream, device=device) if stream else cuda.default_stream(device)
        context: AbstractContextManager[Any] = cuda.stream(other)
        return context


FAMILY = _Torch()


def view(name: str, tensor: Any) -> View:
    torch = sys.modules["torch"]
    if tensor.requires_grad and torch.is_grad_enabled():
        raise Error(f"{name} requires a gradient, which cairn.matmul does not compute; torch.ops.cairn.mm of "
                    "`import cairn.torch` does, or call this within torch.no_grad()")
    if tensor.layout != torch.strided or tensor.device.type not in ("cpu", "cuda"):
        raise Error(f"{name} is {tensor.layout} on {tensor.device}; it must be a strided tensor on cpu or cuda")
    if tensor.is_neg() or tensor.is_conj():
        raise Error(f"{name} is a view whose elements are negated when they are read; give {name}.resolve_neg()")
    code = _types.of_dtype(tensor.dtype, name)
    device, stream = CPU, None
    if tensor.device.type == "cuda":
        device = tensor.device.index
        stream = torch.cuda.current_stream(device).cuda_stream
    return View(name, tensor.detach(), FAMILY, tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), code,
                device, True, stream)
