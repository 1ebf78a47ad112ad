"""A product that is ready to run: arguments of cairn.matmul, checked and turned into a problem and addresses."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np

from . import _arrays, _cuda, _devices, _layout, _native, _types, _vectors
from ._error import Error
from ._layout import Shape
from ._shapes import Product, product
from ._vectors import Vector
from ._view import View


@dataclass(slots=True, eq=False)
class Call:
    problem: dict[str, int]
    device: int
    stream: int
    alpha: float
    beta: float
    result: Any
    addresses: tuple[int, ...]  # of A, B, C, bias, scale_a, scale_b; 0 for what there is none of
    offsets: list[tuple[int, ...]]  # in bytes, one for each address: the calls that a batch takes
    keep: list[Any]  # the arrays that those addresses are in
    target: Optional[View] = None  # where the result is copied to at last, if its strides need it
    wait: bool = False

    def run(self, plan: Optional[_native.Plan] = None) -> Any:
        for offset in self.offsets:
            A, B, C, bias, scale_a, scale_b = (a + o for a, o in zip(self.addresses, offset))
            if plan is not None:
                plan.run(self.stream, self.alpha, self.beta, A, B, C, bias, 0, scale_a, scale_b)
            else:
                _native.gemm_pointers(self.device, self.stream, self.problem, self.alpha, self.beta, A, B, C, bias, 0,
                                      scale_a, scale_b)
        if self.target is not None:
            with self.target.family.on_stream(self.device, self.stream):
                self.target.family.assign(self.target, self.keep[2].array)
        if self.wait:
            _cuda.synchronize(self.stream)
        return self.result


def prepare(a: Any, b: Any, *, out: Any = None, alpha: Any = 1.0, beta: Any = 0.0, bias: Any = None,
            epilogue: Optional[str] = None, scale_a: Any = None, scale_b: Any = None, out_dtype: Any = None,
            compute: Optional[str] = None, stream: Any = None, device: Optional[str] = None,
            host_device: Optional[int] = None) -> Call:
    """cairn.matmul's arguments. host_device: where arrays in host memory are multiplied if device does not say."""
    factor = number("alpha", alpha)
    scale_a, factor = _scalar(scale_a, factor)
    scale_b, factor = _scalar(scale_b, factor)
    inputs = {name: _arrays.view(name, array)
              for name, array in (("a", a), ("b", b), ("bias", bias), ("scale_a", scale_a), ("scale_b", scale_b))
              if array is not None}
    if "a" not in inputs or "b" not in inputs:
        raise Error(f"{'b' if 'a' in inputs else 'a'} is None; it must be an array")
    target = None if out is None else _arrays.view("out", out)
    at = _devices.choose(device, [*inputs.values(), *([target] if target else [])])
    if at < 0 and device is None and host_device is not None:
        at = host_device
    queue, wait = _devices.stream_of(stream, [*inputs.values(), *([target] if target else [])])
    p = product(inputs["a"], inputs["b"])
    code = inputs["a"].code
    keeps = number("beta", beta)
    if target is None and keeps != 0:
        raise Error(f"beta is {keeps:g}, but there is no out whose values it could multiply; give out, or leave beta 0")
    wanted = None if out_dtype is None else _types.of_dtype(out_dtype, "out_dtype")
    if target is not None:
        _check_out(target, p.shape, wanted)

    with inputs["a"].family.on_stream(at, queue):
        if target is None:
            out = inputs["a"].family.empty(p.shape, code if wanted is None else wanted, inputs["a"])
            target = _arrays.view("out", out)
            target.writable = True  # nobody else has seen it
        return _lay(p, inputs, target, Call(
            problem={"in": code, "out": target.code, "m": p.m, "n": p.n, "k": p.k,
                     "compute": _vectors.word("compute", compute, _vectors.COMPUTE),
                     "activation": _vectors.word("epilogue", epilogue, _vectors.ACTIVATIONS)},
            device=at, stream=queue, alpha=factor, beta=keeps, result=out, addresses=(), offsets=[], keep=[],
            wait=wait))


def number(argument: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Error(f"{argument} is {value!r}; it must be a real number") from None


def _scalar(scale: Any, alpha: float) -> tuple[Any, float]:
    """A scale that the host knows is part of alpha."""
    if scale is None or hasattr(scale, "shape") and not _is_numpy_scalar(scale):
        return scale, alpha
    return None, alpha * number("a scale", scale)


def _is_numpy_scalar(value: Any) -> bool:
    return isinstance(value, np.generic)


def _check_out(target: View, shape: Shape, wanted: Optional[int]) -> None:
    if target.shape != shape:
        raise Error(f"out has shape {target.shape}; the result has {shape}")
    if not target.writable:
        raise Error("out is read-only; it must be an array that can be written")
    if wanted is not None and wanted != target.code:
        raise Error(f"out_dtype is {_types.NAMES[wanted]} and out is {_types.NAMES[target.code]}; give one of the two")
    reach = 0  # of the axes with smaller strides: one that is no larger leads back into what they cover
    for step, size in sorted((abs(step), size) for step, size in zip(target.strides or (), shape)):
        if size > 1 and step <= reach and 0 not in shape:
            raise Error(f"out has strides {target.strides}, by which elements share memory; each must have its own")
        reach += step * (size - 1)


def _lay(p: Product, inputs: dict[str, View], target: View, call: Call) -> Call:
    """Finds strides, leading dimensions and batches, and copies what has none."""
    problem, m, n, k = call.problem, p.m, p.n, p.k
    a, layout_a = _matrix(p.a, m, k)
    b, layout_b = _matrix(p.b, k, n)
    c = p.result(target)
    layout_c = _layout.matrix(m, n, *c.strides[-2:]) if c.strides is not None else None
    copied = [view for view in (p.a, p.b) if view not in (a, b)]
    if layout_c is None:
        copied = list(inputs.values())
        call.target = target
        family = target.family
        fresh = family.packed(target) if call.beta != 0 else family.empty(target.shape, target.code, target)
        c = p.result(_arrays.view("out", fresh))
        layout_c = _layout.matrix(m, n, *c.steps[-2:])
    assert layout_c is not None  # it is packed
    for view in copied:
        _refuse_overlap(view, target)

    vectors: dict[str, Vector] = {}
    if "bias" in inputs:
        vectors["bias"] = _vectors.bias(p.vector(inputs["bias"]), m, n, c.code, a.code)
        problem["bias"], problem["bias_type"] = vectors["bias"].kind, inputs["bias"].code
    scales = _vectors.scales(inputs.get("scale_a"), inputs.get("scale_b"), m, n, k, a.code)
    for name, scale in zip(("scale_a", "scale_b"), scales):
        if scale is not None:
            vectors[name], problem[name] = scale, scale.kind

    # The order is C's; in row-major order a column-major factor is a transposed one.
    column = layout_c.column_major
    problem.update(order=int(column), op_a=int(layout_a.column_major != column),
                   op_b=int(layout_b.column_major != column), lda=layout_a.ld, ldb=layout_b.ld, ldc=layout_c.ld)
    ready = {name: _packed(vector) for name, vector in vectors.items()}
    views: list[Optional[View]] = [a, b, c, *(ready.get(name) for name in ("bias", "scale_a", "scale_b"))]
    _batch(p, views, call)
    return call


def _matrix(view: View, rows: int, cols: int) -> tuple[View, _layout.Matrix]:
    """A factor as it is if a leading dimension describes it, else a copy."""
    found = None if view.strides is None else _layout.matrix(rows, cols, *view.strides[-2:])
    if found is not None:
        return view, found
    copy = _arrays.view(view.name, view.family.packed(view))
    copy.shape = view.shape  # as it was seen: a vector has two axes
    copy.strides = _layout.contiguous(view.shape)
    found = _layout.matrix(rows, cols, *copy.steps[-2:])
    assert found is not None
    return copy, found


def _packed(vector: Vector) -> View:
    """A bias or scales with the strides that the library expects, copied if they have others."""
    view, tail = vector.view, vector.view.shape[-2:]
    if view.strides is not None and all(size <= 1 or have == want
                                        for size, have, want in zip(tail, view.strides[-2:], vector.packed)):
        return view
    # In blocks along k of B the successive ones are next to each other: column-major.
    turned = min(tail) > 1 and vector.packed[0] == 1
    array = view.array.swapaxes(-1, -2) if turned else view.array
    copy = _arrays.view(view.name, view.family.packed(dataclasses.replace(view, array=array)))
    copy.shape = view.shape
    copy.strides = (*_layout.contiguous(view.shape)[:-2], *vector.packed)
    return copy


def _refuse_overlap(view: View, target: View) -> None:
    """For what was copied; the library itself looks at the rest, element by element."""
    (first, last), (begin, end) = view.extent(), target.extent()
    if view.device != target.device or first >= end or begin >= last:
        return
    if isinstance(view.array, np.ndarray) and not np.shares_memory(view.array, target.array):
        return
    raise Error(f"out overlaps {view.name}; what is written must not share memory with anything else")


def _batch(p: Product, views: Sequence[Optional[View]], call: Call) -> None:
    """The strides of all operands along the batch, and the calls that it takes."""
    problem = call.problem
    call.keep = list(views)
    call.addresses = tuple(view.address if view is not None else 0 for view in views)
    if not p.batch:
        call.offsets = [(0,) * len(views)]
        return
    if 0 in p.batch:
        problem["batch"] = 0
        return
    none = (0,) * len(p.batch)
    steps = [none if view is None else _layout.broadcast_steps(view.shape[:-2], view.steps[:-2], p.batch)
             for view in views]
    axes = _layout.merge(p.batch, steps)
    batch = _layout.choose(axes, len(views))
    names = ("stride_a", "stride_b", "stride_c", "stride_bias", "stride_scale_a", "stride_scale_b")
    problem["batch"] = batch.size
    problem.update(zip(names, batch.strides))
    _fold(problem)
    sizes = [0 if view is None else _types.BITS[view.code] // 8 for view in views]
    call.offsets = [tuple(o * size for o, size in zip(offset, sizes)) for offset in batch.offsets]


def _fold(problem: dict[str, int]) -> None:
    """A batch of row-major A with one B is one product of more rows, where rows follow each other throughout.

    So a layer applied to (batch, tokens, features) is one large product and not many small ones.
    """
    m, batch = problem["m"], problem["batch"]
    if batch < 2 or problem["stride_b"] != 0 or problem["order"] or problem["op_a"]:
        return
    lda, ldc = problem["lda"], problem["ldc"]
    if m == 1:  # one row's ld leads nowhere; that of all of them is the stride
        lda, ldc = problem["stride_a"], problem["stride_c"]
    along_rows = [problem["stride_bias"] if problem.get("bias") == _vectors.BIAS_ROWS else m,
                  problem["stride_scale_a"] if problem.get("scale_a") == _vectors.VECTOR else m]
    shared = [0 if problem.get("bias") == _vectors.BIAS_ROWS else problem["stride_bias"], problem["stride_scale_b"],
              0 if problem.get("scale_a", 0) == _vectors.VECTOR else problem["stride_scale_a"]]
    if (problem["stride_a"] == m * lda and problem["stride_c"] == m * ldc and lda >= max(problem["k"], 1)
            and ldc >= max(problem["n"], 1) and problem.get("scale_a", 0) <= _vectors.VECTOR
            and along_rows == [m, m] and shared == [0, 0, 0]):
        problem.update(m=m * batch, lda=lda, ldc=ldc, batch=1, stride_a=0, stride_c=0, stride_bias=0, stride_scale_a=0)
