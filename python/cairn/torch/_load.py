"""Defines torch.ops.cairn: from cairn/_torch_ops.so, or in Python where that cannot be loaded."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import torch

import cairn

OLDEST, OLDEST_STABLE_ABI = (2, 5), (2, 10)
_version = tuple(int(part) for part in torch.__version__.split(".")[:2])
if _version < OLDEST:
    raise ImportError("cairn.torch needs torch 2.5 or newer, for torch.library.register_vmap; "
                      f"this is {torch.__version__}")

library = torch.library.Library("cairn", "FRAGMENT")  # what Python registers lives as long as this module


def _load_library() -> str:
    """Loads it, and returns "", or says why that was not possible."""
    asked = os.environ.get("CAIRN_TORCH_OPS", "native")
    if asked == "python":
        return "CAIRN_TORCH_OPS is python"
    if asked != "native":
        return f"CAIRN_TORCH_OPS is {asked!r}, neither native nor python"
    if _version < OLDEST_STABLE_ABI:
        return f"torch is {torch.__version__}, and the compiled ones need 2.10"
    # Beside the package that was imported: in a build tree the Python files are links to the sources.
    path = Path(cairn.__file__).parent / "_torch_ops.so"
    if not path.exists():
        return "this cairn was built without torch"
    try:
        torch.ops.load_library(path)
    except OSError as error:
        return str(error)
    return ""


def load() -> bool:
    """Whether the operators are the compiled ones."""
    reason = _load_library()
    if reason:
        from . import _fallback

        _fallback.define(library)
        warnings.warn(f"cairn.torch: the operators are those in Python, which take longer to call ({reason})",
                      RuntimeWarning, stacklevel=3)
    return not reason
