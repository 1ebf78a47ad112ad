"""packaged.py cairn|torch cpu|cuda FOLDER: a layer compiled and packaged by AOTInductor, loaded and called.

A process of its own for test_compile.py: what AOTInductor loads has been seen to crash.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

import cairn.torch


class Model(torch.nn.Module):
    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x).sin()


def main(layer: str, device: str, folder: Path) -> None:
    torch.manual_seed(2026)
    folder.mkdir()
    x = torch.randn(8, 16, device=device)
    model = Model(cairn.torch.Linear(16, 24, activation="gelu", device=device) if layer == "cairn"
                  else torch.nn.Linear(16, 24, device=device))
    with torch.no_grad():
        program = torch.export.export(model, (x,))
        package = torch._inductor.aoti_compile_and_package(program, package_path=str(folder / "model.pt2"))
        torch.testing.assert_close(torch._inductor.aoti_load_package(package)(x), model(x))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
