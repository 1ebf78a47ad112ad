"""The cells of docs/python_ladder.md run, and draw the picture that the page shows."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import cairn
import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "python_ladder.md"


def test_the_cells_run_and_draw_every_rung(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    # The command is in the environment of a wheel, or in the build that the package is in.
    package = Path(cairn.__file__)
    folders = [Path(sys.executable).parent, package.parents[2] / "bin"]
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
    if shutil.which("cairn") is None:
        pytest.skip("the cairn command was not built")
    (tmp_path / "results").symlink_to(ROOT / "results")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    cells = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(cells) == 5
    for number, cell in enumerate(cells, 1):
        exec(compile(cell, f"{PAGE.name}, cell {number}", "exec"), names)
    drawn = (tmp_path / "python_ladder.svg").read_text()
    shown = (ROOT / "docs" / "python_ladder.svg").read_text()
    for name in names["simt"]:
        assert name in drawn and name in shown, f"{name} is not in the picture: draw docs/python_ladder.svg again"
