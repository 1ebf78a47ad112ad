"""Cairn in PyTorch: the operators torch.ops.cairn.*, and layers that use them.

Importing this registers the operators with autograd, torch.compile, torch.export, vmap and autocast. DTensor's sharding
rules are registered too if torch.distributed.tensor has been imported before; else register_sharding() does it.
"""

from __future__ import annotations

import sys

from . import _autocast, _batching, _fake, _gradients
from ._load import library as _library
from ._load import load as _load

compiled: bool = _load()
"""Whether the operators are the compiled ones; else they are those in Python."""

_fake.register(_library)
_gradients.register(_library)
_batching.register(_library)
_autocast.register(_library)

from ._functions import linear, matmul  # noqa: E402  (they need the operators)
from ._modules import Linear, replace_linear  # noqa: E402
from ._sharding import register_sharding  # noqa: E402

if "torch.distributed.tensor" in sys.modules:
    register_sharding()

__all__ = ["Linear", "compiled", "linear", "matmul", "register_sharding", "replace_linear"]
