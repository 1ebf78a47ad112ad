"""The `cairn` command, as the wheel has it: the compiled program, beside the library that it shares."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    command = Path(__file__).parent / "bin" / "cairn"
    if not command.exists():
        sys.exit("cairn: this package was built without the command, which needs CLI11, fmt and nlohmann_json "
                 "(libcli11-dev libfmt-dev nlohmann-json3-dev) when it is compiled")
    os.execv(command, ["cairn", *sys.argv[1:]])
