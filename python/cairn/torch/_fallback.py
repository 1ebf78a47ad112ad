"""torch.ops.cairn in Python, on cairn._native: what python/torch_ops does, where that library cannot be loaded."""

from __future__ import annotations

from typing import Any, NoReturn

import torch
from torch import Tensor

from .. import _native
from .._error import Error
from .._layout import matrix
from ._schemas import SCHEMAS

_TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn)  # as in cairn_type
_BLOCK, _ALIGNMENT = 128, 256
_NONE, _TENSOR, _VECTOR, _VECTOR_BLOCKS, _BLOCKS = range(5)  # cairn_scale
Problem = dict[str, int]


def _refuse(sentence: str) -> NoReturn:
    raise RuntimeError(f"cairn: {sentence}")


def _shape(tensor: Tensor) -> str:
    if tensor.dim() < 2:
        return f"a vector of {tensor.shape[0]}" if tensor.dim() else "a scalar"
    return "x".join(str(size) for size in tensor.shape)


def _type(tensor: Tensor, name: str) -> int:
    if tensor.dtype not in _TYPES:
        _refuse(f"{name} is {tensor.dtype}; it must be float64, float32, float16, bfloat16 or float8_e4m3fn")
    return _TYPES.index(tensor.dtype)


def _on_one_device(a: Tensor, **others: Tensor | None) -> None:
    for name, tensor in others.items():
        if tensor is not None and tensor.device != a.device:
            _refuse(f"{name} is on {tensor.device} and a on {a.device}; they must be on one device")


def _batch_stride(tensor: Tensor) -> int:
    return tensor.stride(0) if tensor.dim() == 3 else 0


def _operand(tensor: Tensor, name: str, problem: Problem) -> Tensor:
    """Describes a or b in the problem; returns the tensor, or a copy where strides have no leading dimension."""
    stored = matrix(*tensor.shape[-2:], *tensor.stride()[-2:])
    if stored is None:
        tensor = tensor.contiguous()
        stored = matrix(*tensor.shape[-2:], *tensor.stride()[-2:])
    assert stored is not None
    problem[f"op_{name}"] = int(stored.column_major != bool(problem["order"]))
    problem[f"ld{name}"], problem[f"stride_{name}"] = stored.ld, _batch_stride(tensor)
    return tensor


def _product_shape(a: Tensor, b: Tensor) -> tuple[int, ...]:
    for name, tensor in (("a", a), ("b", b)):
        if tensor.dim() not in (2, 3):
            _refuse(f"{name} has {tensor.dim()} dimensions; it must have 2, or 3 for a batch of matrices")
    if a.shape[-1] != b.shape[-2]:
        _refuse(f"a is {_shape(a)} and b is {_shape(b)}; the columns of a must be as many as the rows of b")
    if a.dim() == 3 and b.dim() == 3 and a.shape[0] != b.shape[0]:
        _refuse(f"a is {_shape(a)} and b is {_shape(b)}; their batches must be equal")
    batch = a.shape[:-2] or b.shape[:-2]
    return (*batch, a.shape[-2], b.shape[-1])


def _bias(bias: Tensor, problem: Problem) -> Tensor:
    m, n = problem["m"], problem["n"]
    rows, cols = (1, *bias.shape)[-2:] if bias.dim() else (0, 0)
    if rows == 1 and cols == n:
        problem["bias"] = 2
    elif rows == m and cols == 1:
        problem["bias"] = 1
    else:
        _refuse(f"bias is {_shape(bias)}; it must have {n} elements, or be 1x{n} or {m}x1")
    bias = bias.contiguous()
    problem["bias_type"] = _type(bias, "bias")
    problem["stride_bias"] = bias.stride(0) if bias.dim() == 3 and bias.shape[0] > 1 else 0
    return bias


def _scale(scale: Tensor, name: str, lines: int, k: int, problem: Problem) -> Tensor:
    wanted = torch.float64 if problem["in"] == 0 else torch.float32
    if scale.dtype != wanted:
        _refuse(f"{name} is {scale.dtype}; it must be {wanted}")
    blocks = -(-k // _BLOCK)
    rows, cols = (scale.numel(), 1) if scale.dim() < 2 else scale.shape[-2:]
    if (rows, cols) == (1, 1):
        kind = _TENSOR
    elif (rows, cols) == (lines, 1):
        kind = _VECTOR
    elif scale.dim() > 1 and (rows, cols) == (lines, blocks):
        kind = _VECTOR_BLOCKS
    elif scale.dim() > 1 and (rows, cols) == (-(-lines // _BLOCK), blocks):
        kind = _BLOCKS
    else:
        _refuse(f"{name} is {_shape(scale)}, which fits neither {lines} rows or columns nor blocks of {_BLOCK}")
    scale = scale.contiguous()
    problem[name] = kind
    problem[f"stride_{name}"] = scale.stride(0) if scale.dim() == 3 and scale.shape[0] > 1 else 0
    return scale


def _match_blocks(problem: Problem) -> None:
    """Where k is at most 128, scales for rows and for blocks have one shape, and the other operand decides."""
    if problem["k"] > _BLOCK:
        return
    for name, other, lines in (("scale_a", "scale_b", problem["m"]), ("scale_b", "scale_a", problem["n"])):
        if problem.get(other, _NONE) >= _VECTOR_BLOCKS:
            if problem.get(name) == _VECTOR:
                problem[name] = _VECTOR_BLOCKS
            elif problem.get(name) == _TENSOR and lines <= _BLOCK:
                problem[name] = _BLOCKS


def _added(input: Tensor, bias: Tensor | None, out: Tensor,
           beta: float) -> tuple[Tensor | None, Tensor | None, float]:
    """What becomes of input: a bias, what is to be copied to out before the call, or what out holds times beta."""
    if input.dtype != out.dtype:
        _refuse(f"input is {input.dtype} and out is {out.dtype}; they must have one type")
    if input.dim() > out.dim() or any(have not in (1, want) for have, want in zip(input.shape[::-1], out.shape[::-1])):
        _refuse(f"input is {_shape(input)}, which does not broadcast to {_shape(out)}")
    if input.data_ptr() == out.data_ptr() and input.shape == out.shape and input.stride() == out.stride():
        return bias, None, beta
    m, n = out.shape[-2:]
    if bias is None and beta == 1 and tuple(input.shape) in ((n,), (1, n), (m, 1)):
        return input, None, 0.0
    return bias, input, beta


def _shares_memory(out: Tensor, *others: Tensor | None) -> bool:
    address = out.untyped_storage().data_ptr()
    return any(other is not None and other.untyped_storage().data_ptr() == address for other in others)


def _call(problem: Problem, alpha: float, beta: float, a: Tensor, b: Tensor, out: Tensor, copied: Tensor | None,
          extra: dict[str, Tensor]) -> None:
    device = a.device.index if a.is_cuda else -1
    stream = torch.cuda.current_stream(a.device).cuda_stream if a.is_cuda else 0
    pointers = {name: tensor.data_ptr() for name, tensor in extra.items()}
    try:
        size = _native.workspace_size(device, problem)
        if size:  # a tensor, so that torch's allocator and CUDA graphs know of it
            workspace = torch.empty(size + _ALIGNMENT, dtype=torch.uint8, device=a.device)
            pointers["workspace"] = -(-workspace.data_ptr() // _ALIGNMENT) * _ALIGNMENT
            pointers["workspace_bytes"] = size
        if copied is not None:  # now that the problem is known to break no rule
            out.copy_(copied)
        _native.gemm_pointers(device, stream, problem, alpha, beta, a.data_ptr(), b.data_ptr(), out.data_ptr(),
                              **pointers)
    except Error as error:
        raise RuntimeError(f"cairn: {error}") from None


def _multiply(out: Tensor, a: Tensor, b: Tensor, input: Tensor | None = None, bias: Tensor | None = None,
              scale_a: Tensor | None = None, scale_b: Tensor | None = None, *, alpha: float = 1, beta: float = 1,
              activation: int = 0, compute: int = 0, before: Tensor | None = None) -> Tensor:
    _on_one_device(a, b=b, out=out, input=input, bias=bias, scale_a=scale_a, scale_b=scale_b)
    shape = _product_shape(a, b)
    if tuple(out.shape) != shape:
        _refuse(f"out is {_shape(out)}; the product is {'x'.join(map(str, shape))}")
    if any(size > 1 and step == 0 for size, step in zip(out.shape, out.stride())):
        _refuse("out is expanded: several of its elements are one in memory; it must be a tensor of its own")
    copied, scaled_out = None, 0.0
    if input is not None and beta != 0:
        bias, copied, scaled_out = _added(input, bias, out, beta)
    stored = matrix(*out.shape[-2:], *out.stride()[-2:])
    if stored is None or (copied is not None and _shares_memory(out, a, b, input, bias, scale_a, scale_b)):
        dense = torch.empty(shape, dtype=out.dtype, device=out.device)
        options: dict[str, Any] = {"alpha": alpha, "beta": beta, "activation": activation, "compute": compute,
                                   "before": before}
        return out.copy_(_multiply(dense, a, b, input, None if bias is input else bias, scale_a, scale_b, **options))
    m, n, k = a.shape[-2], b.shape[-1], a.shape[-1]
    problem: Problem = {"in": _type(a, "a"), "out": _type(out, "out"), "compute": compute, "activation": activation,
                        "order": int(stored.column_major), "m": m, "n": n, "k": k, "ldc": stored.ld,
                        "batch": shape[0] if len(shape) == 3 else 1, "stride_c": _batch_stride(out)}
    if a.dtype != b.dtype:
        _refuse(f"a is {a.dtype} and b is {b.dtype}; they must have one type")
    extra: dict[str, Tensor] = {}
    if bias is not None:
        extra["bias"] = _bias(bias, problem)
    if scale_a is not None:
        extra["scale_a"] = _scale(scale_a, "scale_a", m, k, problem)
    if scale_b is not None:
        extra["scale_b"] = _scale(scale_b.mT if scale_b.dim() > 1 else scale_b, "scale_b", n, k, problem)
    _match_blocks(problem)
    if before is not None:
        problem["before"], extra["before"] = 1, before
    if out.numel():
        a, b = _operand(a, "a", problem), _operand(b, "b", problem)
        _call(problem, alpha, scaled_out, a, b, out, copied, extra)
    return out


def _result(a: Tensor, b: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    return torch.empty(_product_shape(a, b), dtype=dtype or a.dtype, device=a.device)


def _dims(dims: int, **tensors: Tensor) -> None:
    for name, tensor in tensors.items():
        if tensor.dim() != dims:
            _refuse(f"{name} has {tensor.dim()} dimensions; it must have {dims}")


def _mm(a: Tensor, b: Tensor, *, out: Tensor | None = None) -> Tensor:
    _dims(2, a=a, b=b)
    return _multiply(_result(a, b) if out is None else out, a, b)


def _bmm(a: Tensor, b: Tensor, *, out: Tensor | None = None) -> Tensor:
    _dims(3, a=a, b=b)
    return _multiply(_result(a, b) if out is None else out, a, b)


def _addmm(input: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1,
           out: Tensor | None = None) -> Tensor:
    _dims(2, a=a, b=b)
    return _multiply(_result(a, b) if out is None else out, a, b, input, beta=beta, alpha=alpha)


def _gemm(a: Tensor, b: Tensor, *operands: Tensor | None, out: Tensor | None = None,
          out_dtype: torch.dtype | None = None, **options: Any) -> Tensor:
    return _multiply(_result(a, b, out_dtype) if out is None else out, a, b, *operands, **options)


def _gemm_before(a: Tensor, b: Tensor, *operands: Tensor | None, **options: Any) -> tuple[Tensor, Tensor]:
    out, before = _result(a, b), _result(a, b)
    return _multiply(out, a, b, *operands, before=before, **options), before


def define(library: torch.library.Library) -> None:
    functions = {"mm": _mm, "bmm": _bmm, "addmm": _addmm, "gemm": _gemm, "gemm_before": _gemm_before}
    for schema in SCHEMAS:
        library.define(schema)
        name = schema.partition("(")[0]
        for device in ("CPU", "CUDA"):
            library.impl(name, functions[name.removesuffix(".out")], device)
