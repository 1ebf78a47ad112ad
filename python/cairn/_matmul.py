"""cairn.matmul, and the same with a plan that one can look at."""

from __future__ import annotations

from typing import Any, Optional

from . import _call, _devices, _native, _types, _vectors
from ._error import Error
from ._view import CPU, EMU


def matmul(a: Any, b: Any, *, out: Any = None, alpha: float = 1.0, beta: float = 0.0, bias: Any = None,
           epilogue: Optional[str] = None, scale_a: Any = None, scale_b: Any = None, out_dtype: Any = None,
           compute: Optional[str] = None, stream: Any = None, device: Optional[str] = None) -> Any:
    """epilogue(alpha · scale_a · scale_b · (a @ b) + beta · out + bias), where the arrays are.

    a and b are arrays of NumPy, CuPy, PyTorch, JAX or any library with DLPack, and the result is one too. Shapes are
    those of numpy.matmul; transposed views and batches are read through their strides.

    out        written and returned; beta multiplies what it holds
    bias       (n,): an element for each column of the result; (m, 1): for each row
    epilogue   'relu', 'gelu', 'gelu_tanh' or 'silu'
    scale_a    what a is multiplied by: a number, () or (m,), or for float8_e4m3fn blocks of 128: (m, ⌈k/128⌉) or
               (⌈m/128⌉, ⌈k/128⌉); scale_b for b: (n,), (⌈k/128⌉, n) or (⌈k/128⌉, ⌈n/128⌉)
    out_dtype  the result's type: that of a and b unless it says otherwise; 'float32' goes with all narrower ones
    compute    'tf32' or 'split' for float32, 'fast' for float8_e4m3fn
    stream     a stream of CuPy or PyTorch, or its address; by default the one that the arrays' library works on
    device     'emu' multiplies arrays of the host on the emulator; 'cpu', 'gpu' and 'gpu:N' say where arrays must be
    """
    return _call.prepare(a, b, out=out, alpha=alpha, beta=beta, bias=bias, epilogue=epilogue, scale_a=scale_a,
                         scale_b=scale_b, out_dtype=out_dtype, compute=compute, stream=stream, device=device).run()


class Plan:
    """What Cairn would run for a problem, and why."""

    def __init__(self, native: _native.Plan, device: int, problem: dict[str, int],
                 call: Optional[_call.Call] = None) -> None:
        self._native, self._device, self._problem, self._call = native, device, problem, call

    @property
    def id(self) -> str:
        """The kernel: a rung, as 'hopper/59', or a backend of the CPU."""
        return self._native.id

    @property
    def tile(self) -> str:
        """Its tile; '' on the CPU."""
        return self._native.tile

    @property
    def why(self) -> str:
        """Every candidate with its forecast, and what ruled the others out."""
        return self._native.why

    @property
    def workspace(self) -> int:
        """Bytes of scratch memory that a run takes."""
        return self._native.workspace

    @property
    def problem(self) -> str:
        """The problem, as the command prints it and cairn.plan reads it."""
        return _native.print_problem(self._problem)

    def run(self, a: Any = None, b: Any = None, **keywords: Any) -> Any:
        """Multiplies the arrays that the plan was made with, or others of the same problem."""
        if a is None and b is None and not keywords:
            if self._call is None:
                raise Error("this plan was made from a text and has no arrays; give run() a and b")
            return self._call.run(self._native)
        call = _call.prepare(a, b, host_device=self._device, **{**_planned(self._problem), **keywords})
        if call.device != self._device or _full(call.problem) != _full(self._problem):
            raise Error(f"these arrays are the problem '{_full(call.problem)}'; the plan is for "
                        f"'{_full(self._problem)}'")
        return call.run(self._native)

    def __repr__(self) -> str:
        return f"<cairn.Plan {self.id}{' ' + self.tile if self.tile else ''} for {self.problem}>"


def _full(problem: dict[str, int]) -> str:
    """All of a problem; the strides of a single product lead nowhere."""
    if problem.get("batch", 1) <= 1:
        problem = {name: 0 if name.startswith("stride_") else value for name, value in problem.items()}
    return _native.print_problem(problem, True)


def _planned(problem: dict[str, int]) -> dict[str, Any]:
    """The words that belong to a problem, and are therefore the same for other arrays of it."""
    return {"out_dtype": _types.NAMES[problem["out"]],
            "compute": list(_vectors.COMPUTE)[problem["compute"]],
            "epilogue": list(_vectors.ACTIVATIONS)[problem["activation"]]}


def plan(a: Any, b: Any = None, *, device: Optional[str] = None, **keywords: Any) -> Plan:
    """The plan of cairn.matmul with the same arguments, or of a text such as 'bf16 nt 4096x4096x4096'."""
    if isinstance(a, str):
        if b is not None or keywords:
            raise Error("a plan of a text takes device and nothing else: the text says the rest")
        number = _devices.parse(device)
        number = number if number is not None else CPU if device is None else 0
        problem = _native.parse_problem(a)
        return Plan(_native.Plan(number, problem), number, problem)
    call = _call.prepare(a, b, device=device, **keywords)
    return Plan(_native.Plan(call.device, call.problem), call.device, call.problem, call)


class Rung:
    """A step of the ladder, to be run as it is."""

    def __init__(self, id: str, device: Optional[str] = None) -> None:
        self.id = id
        self._device = device

    def matmul(self, a: Any, b: Any, **keywords: Any) -> Any:
        """cairn.matmul by this kernel; refused where it does not take the problem."""
        keywords.setdefault("device", self._device)
        call = _call.prepare(a, b, host_device=EMU, **keywords)
        if not call.offsets:
            return call.result
        return call.run(_native.Plan(call.device, call.problem, self.id))

    def plan(self, a: Any, b: Any, **keywords: Any) -> Plan:
        """cairn.plan of this kernel."""
        keywords.setdefault("device", self._device)
        call = _call.prepare(a, b, host_device=EMU, **keywords)
        return Plan(_native.Plan(call.device, call.problem, self.id), call.device, call.problem, call)

    def __repr__(self) -> str:
        return f"<cairn.Rung {self.id}>"


def rung(id: str, device: Optional[str] = None) -> Rung:
    """A rung by its id, 'simt/13', or with a tile, 'simt/22@2'. Arrays of the host are multiplied on the emulator."""
    name, _, _ = str(id).partition("@")
    if not any(known == name or known.startswith(name) for known in rungs()):
        raise Error(f"there is no rung '{id}'; cairn.rungs() lists them, from {rungs()[0]} to {rungs()[-1]}")
    _devices.parse(device)  # refused here and not when it is used
    return Rung(id, device)


def rungs() -> list[str]:
    """The ids of all rungs that multiply, from the bottom of the ladder."""
    return _native.rungs()
