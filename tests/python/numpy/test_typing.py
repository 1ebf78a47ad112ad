"""Type checkers see what there is: the stubs name what the module has, and a program of a user's is clean."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cairn
from cairn import _native

PACKAGE = Path(cairn.__file__).parent
PROGRAM = '''
import numpy as np
import numpy.typing as npt
import cairn

a: npt.NDArray[np.float32] = np.ones((4, 4), np.float32)
c = cairn.matmul(a, a, epilogue="relu", out=np.empty((4, 4), np.float32))
plan: cairn.Plan = cairn.plan(a, a, device="emu")
words: list[str] = [plan.id, plan.tile, plan.why, *cairn.rungs(), *cairn.devices()]
size: int = plan.workspace
d = cairn.rung("simt/13").matmul(a, a)
try:
    plan.run(a, a)
except cairn.Error as error:
    status: str = error.status
'''
WRONG = PROGRAM + "cairn.matmul(a, a, epilog=1)\ncairn.matmul(a, a, compute=3)\nnumber: int = plan.why\n"


def mypy(program: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    file = tmp_path / "program.py"
    file.write_text(program)
    environment = dict(os.environ)
    if PACKAGE.parent.name != "site-packages":  # where mypy looks by itself
        environment["MYPYPATH"] = str(PACKAGE.parent)
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)],
                          cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)


def test_a_users_program_is_clean(tmp_path: Path) -> None:
    found = mypy(PROGRAM, tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_users_mistakes_are_found(tmp_path: Path) -> None:
    found = mypy(WRONG, tmp_path)
    assert found.stdout.count("error:") == 3, found.stdout


def test_the_stub_names_what_the_module_has() -> None:
    names: set[str] = set()
    for node in ast.parse((PACKAGE / "_native.pyi").read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    there = {name for name in vars(_native) if not name.startswith("_")}
    for name, value in list(vars(_native).items()):
        if inspect.isclass(value):
            there |= {f"{name}.{part}" for part in vars(value) if not part.startswith("__") or part == "__init__"}
    assert names == there


def test_the_package_is_marked_as_typed() -> None:
    assert (PACKAGE / "py.typed").exists()
