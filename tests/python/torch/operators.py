"""Arguments for every operator and overload, for the tests that say the same about all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from reference import make

ops = torch.ops.cairn


class Sample(NamedTuple):
    name: str
    operator: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def samples(device: str, dtype: torch.dtype = torch.float64, requires_grad: bool = True) -> list[Sample]:
    """Functional overloads. Shapes are unlike each other, so that a transpose too many or too few is an error."""

    def tensor(*shape: int) -> torch.Tensor:
        return make(*shape, dtype=dtype, device=device).requires_grad_(requires_grad)

    a, b, A, B = tensor(5, 4), tensor(4, 3), tensor(2, 5, 4), tensor(2, 4, 3)
    found = [Sample("mm", ops.mm.default, (a, b), {}),
             Sample("mm of transposed", ops.mm.default, (tensor(4, 5).t(), tensor(3, 4).t()), {}),
             Sample("bmm", ops.bmm.default, (A, B), {}),
             Sample("gemm with a shared b", ops.gemm.default, (A, b), {"alpha": 1.5}),
             Sample("gemm with a shared a", ops.gemm.default, (a, B), {"alpha": 1.5}),
             Sample("gemm of a batch with bias", ops.gemm.default, (A, B, None, tensor(2, 1, 3)), {})]
    for shape in ((5, 3), (3,), (5, 1), (1, 3)):
        found.append(Sample(f"addmm {shape}", ops.addmm.default, (tensor(*shape), a, b), {"beta": 0.5, "alpha": 2.0}))
    for activation in range(5):
        options = {"alpha": 1.5, "beta": 0.5, "activation": activation}
        found.append(Sample(f"gemm {activation}", ops.gemm.default, (a, b, tensor(5, 3), tensor(3)), options))
        if activation:
            found.append(Sample(f"gemm_before {activation}", ops.gemm_before.default, (a, b, None, tensor(3)),
                                {"activation": activation}))
    return found


def out_samples(device: str, dtype: torch.dtype = torch.float64) -> list[Sample]:
    found = []
    for sample in samples(device, dtype, requires_grad=False):
        packet = sample.operator._opname
        if packet != "gemm_before":
            out = torch.empty_like(sample.operator(*sample.args, **sample.kwargs))
            found.append(Sample(f"{sample.name} out", getattr(ops, packet).out, sample.args,
                                {**sample.kwargs, "out": out}))
    return found


NAMES = [sample.name for sample in samples("cpu")]
OUT_NAMES = [sample.name for sample in out_samples("cpu")]


def named(found: list[Sample], name: str) -> Sample:
    return next(sample for sample in found if sample.name == name)
