"""The cases of test_sharding.py, each run by every process of a group. As a program: one process of it.

python sharded.py RANK SIZE RENDEZVOUS_FILE RESULTS_FILE
"""

from __future__ import annotations

import copy
import itertools
import json
import sys
import traceback
from collections.abc import Callable

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional

import cairn.torch

ops = torch.ops.cairn
CASES: dict[str, Callable[[DeviceMesh], None]] = {}


def case(function: Callable[[DeviceMesh], None]) -> Callable[[DeviceMesh], None]:
    CASES[function.__name__] = function
    return function


def make(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


def place(tensor: Tensor, mesh: DeviceMesh, placement: Replicate | Shard | Partial) -> DTensor:
    if isinstance(placement, Partial):  # summands that differ from process to process
        share = (dist.get_rank() + 1) / sum(range(1, dist.get_world_size() + 1))
        return DTensor.from_local(tensor * share, mesh, [placement])
    return distribute_tensor(tensor, mesh, [placement])


def assert_close(got: DTensor | Tensor, want: Tensor) -> None:
    torch.testing.assert_close(got.full_tensor() if isinstance(got, DTensor) else got, want)


@case
def mm_of_every_pair_of_placements(mesh: DeviceMesh) -> None:
    a, b = make(8, 12), make(12, 16)
    for of_a, of_b in itertools.product((Replicate(), Shard(0), Shard(1), Partial()), repeat=2):
        assert_close(ops.mm(place(a, mesh, of_a), place(b, mesh, of_b)), a @ b)


@case
def rows_columns_and_sums_need_no_communication(mesh: DeviceMesh) -> None:
    a, b = make(8, 12), make(12, 16)
    for of_a, of_b, result in ((Shard(0), Replicate(), Shard(0)), (Replicate(), Shard(1), Shard(1)),
                               (Shard(1), Shard(0), Partial()), (Replicate(), Replicate(), Replicate()),
                               (Partial(), Replicate(), Partial()), (Replicate(), Partial(), Partial())):
        operands = place(a, mesh, of_a), place(b, mesh, of_b)
        with CommDebugMode() as communication:
            out = ops.mm(*operands)
        assert communication.get_total_counts() == 0, (of_a, of_b)
        assert out.placements == (result,), (of_a, of_b, out.placements)


@case
def uneven_shards(mesh: DeviceMesh) -> None:
    a, b = make(7, 10), make(10, 5)
    for of_a, of_b in ((Shard(0), Replicate()), (Replicate(), Shard(1)), (Shard(1), Shard(0))):
        assert_close(ops.mm(place(a, mesh, of_a), place(b, mesh, of_b)), a @ b)


@case
def bmm_of_every_pair_of_placements(mesh: DeviceMesh) -> None:
    a, b = make(4, 8, 12), make(4, 12, 16)
    placements = (Replicate(), Shard(0), Shard(1), Shard(2), Partial())
    for of_a, of_b in itertools.product(placements, repeat=2):
        assert_close(ops.bmm(place(a, mesh, of_a), place(b, mesh, of_b)), a @ b)
    operands = place(a, mesh, Shard(0)), place(b, mesh, Shard(0))
    with CommDebugMode() as communication:
        out = ops.bmm(*operands)
    assert communication.get_total_counts() == 0
    assert out.placements == (Shard(0),)


@case
def addmm_with_inputs_that_broadcast(mesh: DeviceMesh) -> None:
    a, b = make(8, 12), make(12, 16)
    for shape in ((16,), (1, 16), (8, 1), (8, 16)):
        input = make(*shape)
        want = torch.addmm(input, a, b, beta=0.5, alpha=2)
        for of_a, of_b in itertools.product((Replicate(), Shard(0), Shard(1), Partial()), repeat=2):
            for of_input in (Replicate(), Shard(len(shape) - 1)):
                operands = place(input, mesh, of_input), place(a, mesh, of_a), place(b, mesh, of_b)
                assert_close(ops.addmm(*operands, beta=0.5, alpha=2), want)


@case
def linear_sharded_both_ways_with_gradients(mesh: DeviceMesh) -> None:
    x, weight, bias = make(8, 12), make(16, 12), make(16)
    for activation, function in ((None, lambda y: y), ("silu", functional.silu), ("relu", torch.relu)):
        plain = [tensor.clone().requires_grad_() for tensor in (x, weight, bias)]
        want = function(functional.linear(*plain))
        want.square().sum().backward()
        for of_x, of_weight in ((Replicate(), Shard(0)), (Shard(1), Shard(1)), (Shard(0), Replicate())):
            of_bias = Shard(0) if of_weight == Shard(0) else Replicate()
            leaves = [place(t, mesh, p).requires_grad_() for t, p in ((x, of_x), (weight, of_weight), (bias, of_bias))]
            out = cairn.torch.linear(*leaves, activation=activation)
            assert_close(out, want)
            out.square().sum().backward()
            for leaf, expected in zip(leaves, plain):
                assert_close(leaf.grad, expected.grad)


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(16, 32, dtype=torch.float64), nn.Linear(32, 16, dtype=torch.float64)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(functional.gelu(self.up(x)))


def _train(model: nn.Module, x: Tensor) -> list[float]:
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.05), []
    for _ in range(5):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@case
def tensor_parallel_mlp_trains_as_on_one_device(mesh: DeviceMesh) -> None:
    plain = Mlp()
    model, x = copy.deepcopy(plain), make(2, 8, 16)
    assert cairn.torch.replace_linear(model) == 2
    parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    assert model.up.weight.placements == (Shard(0),) and model.down.weight.placements == (Shard(1),)
    torch.testing.assert_close(torch.tensor(_train(model, x)), torch.tensor(_train(plain, x)))
    with torch.no_grad(), CommDebugMode() as communication:
        torch.testing.assert_close(model(x), plain(x))
    assert communication.get_total_counts() == 1  # the sum at the end


@case
def mesh_of_two_dimensions(_: DeviceMesh) -> None:
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("rows", "columns"))
    a, b = make(8, 12), make(12, 16)
    by_rows, by_columns = [Shard(0), Replicate()], [Replicate(), Shard(1)]
    out = ops.mm(distribute_tensor(a, mesh, by_rows), distribute_tensor(b, mesh, by_columns))
    assert out.placements == (Shard(0), Shard(1))
    assert_close(out, a @ b)


@case
def scaled_products_are_refused(mesh: DeviceMesh) -> None:
    a, b, scale = (place(tensor, mesh, Replicate()) for tensor in (make(8, 12), make(12, 16), make(8, 1)))
    try:
        ops.gemm(a, b, None, None, scale)
    except Exception as error:  # DTensor wraps what a rule raises
        assert "scaled products of DTensors have no sharding rules" in str(error)
    else:
        raise AssertionError("a scaled product of DTensors was not refused")


def main(rank: int, size: int, rendezvous: str, results: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=size)
    cairn.torch.register_sharding()
    mesh, found = init_device_mesh("cpu", (size,)), {}
    for name, function in CASES.items():
        torch.manual_seed(2026)  # the same numbers in every process
        try:
            function(mesh)
            found[name] = ""
        except Exception:
            found[name] = traceback.format_exc()
    with open(f"{results}.{rank}", "w") as file:
        json.dump(found, file)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
