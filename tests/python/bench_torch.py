#!/usr/bin/env python3
"""What Cairn costs and brings in PyTorch, as JSON. Run by hand, 40 seconds; it makes results/h200/torch.json.

    python tests/python/bench_torch.py --out results/h200/torch.json     # on a quiet GPU
    python tests/python/bench_torch.py --device cpu --smoke              # the same paths, tiny, to see that they work

host_us   host time of a call of 64x64x64, torch.ops.cairn beside torch, in microseconds
mlp       a gated MLP as Llama has it, bf16, 4096 -> 14336 -> 4096, in CUDA graphs: torch.nn.Linear, the same after
          cairn.torch.replace_linear, and with SiLU in the first product's kernel; a ratio above 1: Cairn is faster

Contenders take turns, and the median is taken over the turns, so that a clock that drifts drifts for all.
"""

from __future__ import annotations

import argparse
import copy
import datetime
import json
import os
import statistics
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

import cairn
import cairn.torch

Call = Callable[[], Any]
TYPES = {torch.bfloat16: "bf16", torch.float32: "f32"}


class Gpu:
    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def captured(self, call: Call) -> Call:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                call()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            call()
        return graph.replay

    def seconds(self, call: Call, calls: int) -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end)) / 1e3 / calls


class Cpu:
    def synchronize(self) -> None:
        pass

    def captured(self, call: Call) -> Call:
        return call

    def seconds(self, call: Call, calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) / calls


def in_turns(measures: dict[str, Callable[[], float]], seconds: float, at_least: int) -> dict[str, list[float]]:
    """A sample of each contender in each turn, the order reversed in every other turn."""
    samples: dict[str, list[float]] = {name: [] for name in measures}
    end, turn = time.perf_counter() + seconds, 0
    while turn < at_least or time.perf_counter() < end:
        names = list(measures)
        for name in names if turn % 2 == 0 else reversed(names):
            samples[name].append(measures[name]())
        turn += 1
    return samples


def quartiles(samples: list[float], scale: float, name: str) -> dict[str, Any]:
    low, median, high = (round(value * scale, 4) for value in statistics.quantiles(samples, n=4))
    return {f"{name}_low": low, name: median, f"{name}_high": high}


def host_time(machine: Gpu | Cpu, device: str, dtype: torch.dtype, seconds: float) -> list[dict[str, Any]]:
    """Calls are issued in batches that the GPU's queue takes at once, and waited for between batches."""
    a, b = (torch.randn(64, 64, device=device).to(dtype) for _ in range(2))
    out, ops = torch.empty_like(a), torch.ops.cairn
    mm, mm_out = ops.mm.default, ops.mm.out
    contenders: dict[str, Call] = {
        "torch.mm out": lambda: torch.mm(a, b, out=out), "cairn.mm.out": lambda: mm_out(a, b, out=out),
        "torch.mm": lambda: torch.mm(a, b), "cairn.mm": lambda: mm(a, b),
        "functional.linear": lambda: functional.linear(a, b), "cairn.torch.linear": lambda: cairn.torch.linear(a, b)}

    def measure(call: Call, calls: int = 100) -> float:
        machine.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        taken = time.perf_counter() - start
        machine.synchronize()
        return taken / calls

    with torch.inference_mode():
        for call in contenders.values():
            measure(call)
        samples = in_turns({name: lambda call=call: measure(call) for name, call in contenders.items()}, seconds, 5)
    with torch.no_grad():  # tensors that autograd knows pass through its Python part
        measure(contenders["cairn.mm"])
        graded = in_turns({"cairn.mm in no_grad": lambda: measure(contenders["cairn.mm"])}, seconds / 5, 5)
    return [{"id": name, "problem": "64x64x64", "type": TYPES[dtype], "samples": len(taken),
             **quartiles(taken, 1e6, "host_us")} for name, taken in {**samples, **graded}.items()]


class Mlp(nn.Module):
    def __init__(self, width: int, hidden: int, device: str, dtype: torch.dtype) -> None:
        super().__init__()
        make = {"bias": False, "device": device, "dtype": dtype}
        self.gate, self.up = nn.Linear(width, hidden, **make), nn.Linear(width, hidden, **make)
        self.down = nn.Linear(hidden, width, **make)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class FusedMlp(Mlp):
    """After replace_linear, and with gate.activation = "silu"."""

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.gate(x) * self.up(x))


def models(width: int, hidden: int, device: str) -> dict[str, Mlp]:
    """Three forms of one model, which share their weights."""
    plain = Mlp(width, hidden, device, torch.bfloat16)
    shared = {id(parameter): parameter for parameter in plain.parameters()}
    replaced, fused = copy.deepcopy(plain, dict(shared)), copy.deepcopy(plain, dict(shared))
    for model in (replaced, fused):
        if cairn.torch.replace_linear(model) != 3:
            raise RuntimeError("replace_linear did not replace three layers")
    fused.__class__ = FusedMlp
    fused.gate.activation = "silu"
    return {"torch": plain, "cairn": replaced, "cairn fused": fused}


def mlp(machine: Gpu | Cpu, forms: dict[str, Mlp], tokens: int, what: str, width: int, device: str,
        seconds: float) -> list[dict[str, Any]]:
    x = torch.randn(tokens, width, device=device).bfloat16()
    with torch.no_grad():
        exact = forms["torch"](x).float()
        largest = float(exact.abs().max())
        differ = {name: float((form(x).float() - exact).abs().max()) / largest for name, form in forms.items()}
        calls = {name: machine.captured(lambda form=form: form(x)) for name, form in forms.items()}
        for call in calls.values():
            machine.seconds(call, 3)
        count = max(1, min(50, int(0.01 / machine.seconds(calls["torch"], 3))))  # 10 ms for a sample
        samples = in_turns({name: lambda call=call: machine.seconds(call, count) for name, call in calls.items()},
                           seconds, 5)
    rows: list[dict[str, Any]] = []
    for name, taken in samples.items():
        row = {"id": name, "problem": f"MLP {what}, {tokens} tokens", "type": "bf16", "samples": len(taken),
               **quartiles(taken, 1e6, "us")}
        if name != "torch":
            row |= quartiles([torchs / mine for torchs, mine in zip(samples["torch"], taken)], 1, "torch_over_it")
            row["largest_difference"] = differ[name]  # of the largest value
        rows.append(row)
    return rows


def attempt(function: Callable[..., list[dict[str, Any]]], *arguments: Any) -> list[dict[str, Any]]:
    """What was measured, or why it could not be: the rest is worth having."""
    try:
        return function(*arguments)
    except Exception:
        traceback.print_exc()
        return [{"id": function.__name__, "error": traceback.format_exc(limit=3)}]


def conclusions(rows: list[dict[str, Any]]) -> list[str]:
    host = {(row["id"], row["type"]): row["host_us"] for row in rows if "host_us" in row}
    found = [f"{dtype}: torch.ops.cairn.mm.out takes {host['cairn.mm.out', dtype] - host['torch.mm out', dtype]:+.2f} µs "
             "of host time beside torch.mm with out" for dtype in TYPES.values() if ("cairn.mm.out", dtype) in host]
    return found + [f"{row['problem']}: {row['id']} is {row['torch_over_it']:.3f} times as fast as torch"
                    for row in rows if "torch_over_it" in row]


def commit() -> str:
    if "CAIRN_COMMIT" in os.environ:
        return os.environ["CAIRN_COMMIT"]
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--smoke", action="store_true", help="tiny shapes and times")
    parser.add_argument("--out", help="a file; else the standard output")
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("torch finds no GPU; --device cpu --smoke runs the same paths on the CPU", file=sys.stderr)
        return 77
    torch.manual_seed(2026)
    machine = Gpu() if options.device == "cuda" else Cpu()
    width, hidden, tokens = (64, 128, (1, 16)) if options.smoke else (4096, 14336, (1, 16, 512, 4096))
    host_seconds, mlp_seconds = (0.1, 0.1) if options.smoke else (4.0, 5.0)
    name = torch.cuda.get_device_name() if options.device == "cuda" else "the CPU"
    rows: list[dict[str, Any]] = []
    for dtype in (torch.bfloat16, torch.float32):
        rows += attempt(host_time, machine, options.device, dtype, host_seconds)
    forms = models(width, hidden, options.device)
    for count in tokens:
        rows += attempt(mlp, machine, forms, count, f"{width} to {hidden}", width, options.device, mlp_seconds)
    record = {
        "schema": 1, "kind": "lab", "experiment": "torch", "command": " ".join(["python", *sys.argv]),
        "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "build": {"version": cairn.__version__, "commit": commit(),
                  "compiler": f"operators {'compiled' if cairn.torch.compiled else 'in Python'}"},
        "machine": f"{name}, PyTorch {torch.__version__}", "conclusions": conclusions(rows), "rows": rows}
    text = json.dumps(record, indent=1) + "\n"
    if options.out:
        Path(options.out).write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
