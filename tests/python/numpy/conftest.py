"""Where the tests run: on the CPU, on the emulator, and with CuPy on a GPU where there is one."""

from __future__ import annotations

import pytest
from support import PLACES, Place


@pytest.fixture(params=list(PLACES))
def place(request: pytest.FixtureRequest) -> Place:
    found = PLACES[request.param]
    if found.missing:
        pytest.skip(found.missing)
    return found
