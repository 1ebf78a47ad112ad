"""The blocks of docs/python.md run, one after the other, as a reader would type them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support import PLACES, ml_dtypes

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return {}


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_blocks_run_in_their_order(number: int, names: dict[str, Any]) -> None:
    block = BLOCKS[number]
    if block.startswith("# needs a GPU") and PLACES["gpu"].missing:
        pytest.skip(PLACES["gpu"].missing)
    if ml_dtypes is None and re.search("ml_dtypes|scale_a", block):
        pytest.skip("ml_dtypes is not installed")
    exec(compile(block, f"{PAGE.name}, block {number + 1}", "exec"), names)


def test_the_page_has_ten_examples() -> None:
    examples = PAGE.read_text().split("## Ten examples")[1].split("\n## ")[0]
    assert examples.count("```python") == 10
