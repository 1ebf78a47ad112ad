#!/usr/bin/env python3
"""The rungs of the ladder beside torch.matmul: first values, times, and whether the product is right.

    python examples/torch_ladder.py                                          # all rungs; on a GPU if torch has one
    python examples/torch_ladder.py --rungs 'simt/0*' --size 512 --device emu
    python examples/torch_ladder.py --rungs 'hopper/*' --type bf16 --size 4096 --device gpu

On the emulator a rung's time is that of one host emulating a GPU, and says nothing of a GPU's. Without torch, the rows
are beside numpy.matmul.
"""

from __future__ import annotations

import argparse
import fnmatch
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import cairn

try:
    import torch
except (ImportError, OSError):
    torch = None

# Type of the elements, what the rung is asked to compute in, and the unit of its accumulators: tensor cores truncate.
TYPES = {"f32": ("float32", None, 2.0**-24), "bf16": ("bfloat16", None, 2.0**-22), "f16": ("float16", None, 2.0**-22),
         "tf32": ("float32", "tf32", 2.0**-22), "split": ("float32", "split", 2.0**-22),
         "f64": ("float64", None, 2.0**-53)}
ROUNDING = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}  # of a result
OF_FACTORS = {"tf32": 2.0**-10 * 1.01, "split": 2.0**-20}  # what rounding a and b first costs


class Case(NamedTuple):
    a: Any
    b: Any
    compute: str | None
    exact: np.ndarray  # float64
    bound: np.ndarray  # how far from it a product may be: it grows with k


class Emulator:
    """NumPy's arrays, on the emulator; the product beside them is the host's."""

    name = "the emulator (times are the host's)"
    keywords = {"device": "emu"}
    other = "numpy" if torch is None else "torch"

    def array(self, values: np.ndarray, dtype: str) -> Any:
        if dtype != "bfloat16":
            return values.astype(dtype)
        import ml_dtypes

        return values.astype(ml_dtypes.bfloat16)

    def values(self, array: Any) -> np.ndarray:
        return np.asarray(array).astype(np.float64)

    def seconds(self, call: Callable[[], Any], budget: float) -> float:
        times: list[float] = []
        while not times or (sum(times) < budget and len(times) < 1000):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    def other_product(self, case: Case) -> Callable[[], Any]:
        if torch is None:
            return lambda: np.matmul(case.a, case.b)
        names = {"bfloat16": torch.bfloat16, "float16": torch.float16}
        a, b = (torch.from_numpy(self.values(x)).to(names.get(str(x.dtype), torch.float32)) for x in (case.a, case.b))
        return lambda: torch.matmul(a, b)


class Gpu:
    """torch's tensors, on its current GPU."""

    keywords: dict[str, str] = {}
    other = "torch"

    def __init__(self) -> None:
        self.name = torch.cuda.get_device_name()

    def array(self, values: np.ndarray, dtype: str) -> Any:
        return torch.from_numpy(values).to(getattr(torch, dtype)).cuda()

    def values(self, array: Any) -> np.ndarray:
        return array.double().cpu().numpy()

    def seconds(self, call: Callable[[], Any], budget: float) -> float:
        def measure(calls: int) -> float:
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(5_000_000)  # 3 ms, while the host issues the calls: its time is not a kernel's
            start.record()
            for _ in range(calls):
                call()
            end.record()
            end.synchronize()
            return float(start.elapsed_time(end)) / 1e3 / calls

        measure(1)
        calls, began, times = max(1, min(20, int(0.02 / measure(1)))), time.perf_counter(), []
        while not times or (time.perf_counter() - began < budget and len(times) < 100):
            times.append(measure(calls))
        return statistics.median(times)

    def other_product(self, case: Case) -> Callable[[], Any]:
        torch.backends.cuda.matmul.allow_tf32 = case.compute == "tf32"
        return lambda: torch.matmul(case.a, case.b)


def cases(machine: Emulator | Gpu, size: int, types: list[str]) -> dict[tuple[str, str], Callable[[], Case]]:
    """For each type and layout (nn, nt) the operands with the exact product, made when a rung first wants them."""
    random = np.random.default_rng(2026)
    raw_a, raw_b = (random.standard_normal((size, size), np.float32) for _ in range(2))
    made: dict[tuple[str, str], Case] = {}

    def make(word: str, layout: str) -> Case:
        if (word, layout) not in made:
            dtype, compute, unit = TYPES[word]
            a = machine.array(raw_a, dtype)
            b = machine.array(raw_b, dtype) if layout == "nn" else machine.array(np.ascontiguousarray(raw_b.T), dtype).T
            exact_a, exact_b = machine.values(a), machine.values(b)
            exact, magnitude = exact_a @ exact_b, np.abs(exact_a) @ np.abs(exact_b)
            bound = ((size + 2) * unit + OF_FACTORS.get(word, 0.0)) * magnitude + ROUNDING[dtype] * np.abs(exact)
            made[word, layout] = Case(a, b, compute, exact, bound)
        return made[word, layout]

    return {(word, layout): lambda word=word, layout=layout: make(word, layout)
            for word in types for layout in ("nn", "nt")}


def first_taken(rung: Any, found: dict[tuple[str, str], Callable[[], Case]],
                machine: Emulator | Gpu) -> tuple[str, Case] | str:
    """The first type that the rung takes, or its reason to refuse the last."""
    reason = ""
    for (word, _), make in found.items():
        try:
            case = make()
            rung.plan(case.a, case.b, compute=case.compute, **machine.keywords)
            return word, case
        except ImportError:
            reason = "bf16 in NumPy needs ml_dtypes"
        except cairn.Error as error:
            reason = str(error)
    return reason


def rows(machine: Emulator | Gpu, ids: list[str], options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """A line for each rung, and whether its product was right."""
    found, beside = cases(machine, options.size, options.type), {}
    for name in ids:
        rung = cairn.rung(name)
        taken = first_taken(rung, found, machine)
        if isinstance(taken, str):
            yield f"{name:34} left out: {taken}", True
            continue
        word, case = taken

        result = rung.matmul(case.a, case.b, compute=case.compute, **machine.keywords)
        product = machine.values(result)
        right = bool((np.abs(product - case.exact) <= case.bound).all())
        if word not in beside:
            beside[word] = machine.seconds(machine.other_product(case), options.seconds)
        plan = rung.plan(case.a, case.b, out=result, compute=case.compute, **machine.keywords)
        seconds = machine.seconds(plan.run, options.seconds)
        values = " ".join(f"{value:9.4f}" for value in product.flat[:3])
        yield (f"{name:34} {word:5} {values} {seconds * 1e3:10.3f} {2e-12 * options.size**3 / seconds:9.3f} "
               f"{beside[word] / seconds:8.3f}  {'yes' if right else 'NO'}"), right


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rungs", default="*", help="ids or globs, separated by commas (default: all)")
    parser.add_argument("--size", type=int, default=0, help="m, n and k (default: 4096 on a GPU, 256 on the emulator)")
    parser.add_argument("--type", default=",".join(TYPES), help=f"in order of preference, of {', '.join(TYPES)}")
    parser.add_argument("--device", choices=("auto", "gpu", "emu"), default="auto")
    parser.add_argument("--seconds", type=float, default=0.2, help="for a rung")
    options = parser.parse_args()
    options.type = options.type.split(",")
    for word in options.type:
        if word not in TYPES:
            parser.error(f"--type has {word!r}; it must be of {', '.join(TYPES)}")
    has_gpu = torch is not None and torch.cuda.is_available()
    if options.device == "gpu" and not has_gpu:
        parser.error("--device gpu needs a GPU and a torch that finds it; --device emu needs neither")
    options.device = "gpu" if has_gpu and options.device != "emu" else "emu"
    options.size = options.size or (4096 if options.device == "gpu" else 256)
    if options.size < 1:
        parser.error(f"--size is {options.size}; it must be at least 1")
    return options


def main() -> int:
    options = parse()
    globs = options.rungs.split(",")
    ids = [name for name in cairn.rungs() if any(fnmatch.fnmatch(name, glob + "*") for glob in globs)]
    if not ids:
        known = cairn.rungs()
        print(f"no rung is called {options.rungs!r}; they are {known[0]} to {known[-1]}", file=sys.stderr)
        return 2
    machine = Gpu() if options.device == "gpu" else Emulator()
    print(f"C = A B, {options.size}x{options.size}x{options.size}, on {machine.name}\n")
    print(f"{'rung':34} {'type':5} {'first three values':29} {'ms':>10} {'TFLOP/s':>9} "
          f"{'x ' + machine.other:>8}  verified")
    wrong = 0
    for line, right in rows(machine, ids, options):
        print(line, flush=True)
        wrong += not right
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
