"""cairn.torch.Linear and replace_linear."""

from __future__ import annotations

import copy

import pytest
import torch
from reference import make
from torch import nn
from torch.nn import functional

import cairn.torch

FUNCTIONS = {None: lambda x: x, "relu": torch.relu, "gelu": functional.gelu, "silu": functional.silu,
             "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh")}


@pytest.mark.parametrize("activation", FUNCTIONS)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(4, 16), (16,), (2, 3, 16), (0, 16), (2, 0, 16)], ids=str)
def test_linear_and_its_gradients_are_torchs(device, activation, bias, shape):
    layer = cairn.torch.Linear(16, 24, bias, device, activation=activation)
    plain = nn.Linear(16, 24, bias, device)
    plain.load_state_dict(layer.state_dict())
    x = make(*shape, device=device).requires_grad_()
    y = x.detach().clone().requires_grad_()
    got, want = layer(x), FUNCTIONS[activation](plain(y))
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    weights = make(*want.shape, device=device)
    (got * weights).sum().backward()
    (want * weights).sum().backward()
    torch.testing.assert_close(x.grad, y.grad, rtol=1e-4, atol=1e-4)
    for mine, theirs in zip(layer.parameters(), plain.parameters()):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-4, atol=1e-4)


def test_unknown_words_are_refused_when_the_layer_is_made():
    with pytest.raises(cairn.Error, match="activation is 'tanh'; it must be one of none, relu"):
        cairn.torch.Linear(4, 4, activation="tanh")
    assert "activation=silu" in repr(cairn.torch.Linear(4, 4, activation="silu"))


class OwnForward(nn.Linear):
    def forward(self, x):
        return super().forward(x) + 1


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 32)
        self.block = nn.Sequential(nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 16, bias=False))
        self.own = OwnForward(16, 16)
        self.tied = self.first

    def forward(self, x):
        return self.tied(self.own(self.block(self.first(x)))).sum(-1)


def test_replace_linear_keeps_parameters_subclasses_hooks_and_ties(device):
    model = Model().to(device)
    calls = []
    model.first.register_forward_hook(lambda *_: calls.append(1))
    plain, names, parameters = copy.deepcopy(model), list(model.state_dict()), list(model.parameters())
    assert cairn.torch.replace_linear(model) == 3
    assert type(model.first) is type(model.block[0]) is type(model.block[2]) is cairn.torch.Linear
    assert type(model.own) is OwnForward and model.tied is model.first
    assert list(model.state_dict()) == names
    assert all(new is old for new, old in zip(model.parameters(), parameters))
    x = make(5, 16, device=device)
    torch.testing.assert_close(model(x), plain(x), rtol=1e-4, atol=1e-4)
    assert len(calls) == 2 + 2  # the copy has the hook too
    assert cairn.torch.replace_linear(model) == 0


def test_replace_linear_refuses_what_it_cannot_replace_in_place():
    with pytest.raises(TypeError, match="itself a torch.nn.Linear"):
        cairn.torch.replace_linear(nn.Linear(4, 4))


def test_a_replaced_model_compiles_in_one_graph(device):
    torch._dynamo.reset()
    model = Model().to(device)
    x = make(5, 16, device=device)
    want = model(x)
    cairn.torch.replace_linear(model)
    torch.testing.assert_close(torch.compile(model, fullgraph=True, backend="aot_eager")(x), want, rtol=1e-4, atol=1e-4)


def test_a_network_trained_with_cairn_is_the_one_trained_with_torch(device):
    """Two layers, 50 steps: the losses differ by rounding, which training amplifies a little."""

    def train(replace):
        torch.manual_seed(7)
        model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 10)).to(device)
        if replace:
            assert cairn.torch.replace_linear(model) == 2
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        x, labels = torch.randn(128, 32).to(device), torch.randint(10, (128,)).to(device)
        losses = []
        for _ in range(50):
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(x), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return torch.tensor(losses)

    mine, torchs = train(True), train(False)
    assert torchs[-1] < torchs[0] * 0.9
    torch.testing.assert_close(mine, torchs, rtol=1e-3, atol=1e-4)
