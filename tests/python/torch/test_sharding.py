"""DTensor's rules: four processes on the CPU, joined by gloo, against torch on one. sharded.py has the cases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PROCESSES = 4
pytestmark = pytest.mark.skipif(not torch.distributed.is_available() or not torch.distributed.is_gloo_available(),
                                reason="this torch has no gloo")

if torch.distributed.is_available():
    from sharded import CASES
else:
    CASES = {}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """What each case came to in each process: "" or a traceback."""
    folder = tmp_path_factory.mktemp("sharded")
    program = str(Path(__file__).with_name("sharded.py"))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    running = [subprocess.Popen([sys.executable, program, str(rank), str(PROCESSES), str(folder / "meeting"),
                                 str(folder / "results")], env=environment, stderr=subprocess.PIPE, text=True)
               for rank in range(PROCESSES)]
    try:
        errors = [process.communicate(timeout=150)[1] for process in running]
    finally:
        for process in running:
            process.kill()
    for process, error in zip(running, errors):
        assert process.returncode == 0, error
    return [json.loads((folder / f"results.{rank}").read_text()) for rank in range(PROCESSES)]


@pytest.mark.parametrize("name", CASES)
def test_sharded(outcome, name):
    assert [process[name] for process in outcome] == [""] * PROCESSES
