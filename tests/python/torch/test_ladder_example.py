"""examples/torch_ladder.py on the emulator: a right row for every rung, and refusals in a line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cairn

SCRIPT = Path(__file__).resolve().parents[3] / "examples" / "torch_ladder.py"


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ), check=False)


def test_every_rung_has_a_row_and_is_right():
    done = _run("--device", "emu", "--size", "64", "--seconds", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if "/" in line.partition(" ")[0]]
    assert [row[0] for row in rows] == cairn.rungs()
    # NumPy has no bfloat16 without ml_dtypes; then rungs that take nothing else are left out, and say so.
    assert all(row[-1] == "yes" or "ml_dtypes" in row for row in rows), done.stdout
    assert sum(row[-1] == "yes" for row in rows) > 20


def test_rungs_are_chosen_by_globs():
    done = _run("--device", "emu", "--size", "32", "--seconds", "0", "--rungs", "simt/0*,simt/13")
    assert sum("simt/" in line for line in done.stdout.splitlines()) == 10


def test_a_rung_that_is_none_is_named():
    done = _run("--device", "emu", "--rungs", "nothing")
    assert done.returncode == 2 and "no rung is called 'nothing'" in done.stderr
