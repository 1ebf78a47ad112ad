"""The tests run on the CPU, and on CUDA too where torch has a GPU. Without torch they are left out, with the reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for reference.py

try:
    import torch

    DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
except (ImportError, OSError, AttributeError) as error:
    sys.modules.pop("torch", None)  # without PyTorch, `import torch` finds this folder: a module with nothing in it
    collect_ignore_glob = ["test_*.py"]
    sys.stderr.write(f"tests/python/torch left out: torch cannot be imported ({error})\n")
else:
    import cairn.torch  # noqa: F401  (registers the operators)

    @pytest.fixture(params=DEVICES)
    def device(request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture(autouse=True)
    def seed() -> None:
        torch.manual_seed(2026)
