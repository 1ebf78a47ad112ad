"""torch.nn.Linear with Cairn's product."""

# mypy: allow-subclassing-any

from __future__ import annotations

import sys
from typing import Any

from torch import Tensor, nn

from .._vectors import ACTIVATIONS, COMPUTE, word
from ._functions import linear


class Linear(nn.Linear):
    """torch.nn.Linear, and optionally an activation in the same kernel: none, relu, gelu, gelu_tanh or silu."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None, *,
                 activation: str | None = None, compute: str | None = None) -> None:
        super().__init__(in_features, out_features, bias, device, dtype)
        word("activation", activation, ACTIVATIONS)  # an unknown one is refused here, not in forward
        word("compute", compute, COMPUTE)
        self.activation = activation
        self.compute = compute

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias, self.activation, compute=self.compute)

    def extra_repr(self) -> str:
        extra = [super().extra_repr()]
        words = {"activation": self.activation, "compute": self.compute}
        extra += [f"{name}={word}" for name, word in words.items() if word]
        return ", ".join(extra)


def _replacement(layer: nn.Linear) -> Linear:
    new = Linear.__new__(Linear)
    # The same parameters, buffers, hooks and training mode: to optimizers and state_dict nothing has changed.
    new.__dict__.update(layer.__dict__)
    new.activation = new.compute = None
    return new


def replace_linear(model: nn.Module) -> int:
    """Replaces each torch.nn.Linear within `model` by a cairn.torch.Linear with its parameters; returns how many.

    Subclasses of torch.nn.Linear are left alone, since their forward may be another, as are parametrized layers, which
    torch makes subclasses of it. A layer that occurs in several places stays one layer.
    """
    if type(model) is nn.Linear:
        raise TypeError("model is itself a torch.nn.Linear, which cannot be replaced in place; "
                        "make a cairn.torch.Linear with its parameters")
    replaced: dict[nn.Module, Linear] = {}
    for parent in list(model.modules()):
        for name, child in parent._modules.items():
            if type(child) is nn.Linear:
                if child not in replaced:
                    replaced[child] = _replacement(child)
                parent._modules[name] = replaced[child]
    if "torch.distributed.tensor" in sys.modules:
        from ._sharding import register_sharding

        register_sharding()
    return len(replaced)
