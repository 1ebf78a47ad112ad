"""The examples of docs/python_torch.md run, in the order of the page."""

from __future__ import annotations

import re
from pathlib import Path

import torch

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python_torch.md"


def test_examples_of_the_page_run():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    names: dict[str, object] = {}
    torch._dynamo.reset()
    for block in blocks:
        if block.startswith("# needs several processes") or (block.startswith("# needs a GPU")
                                                             and not torch.cuda.is_available()):
            continue
        line = PAGE.read_text()[:PAGE.read_text().index(block)].count("\n")
        exec(compile("\n" * line + block, str(PAGE), "exec"), names)  # with the page's line numbers
