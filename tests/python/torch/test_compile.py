"""torch.compile, torch.export and AOTInductor see one operator, with static and with dynamic shapes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.utils.cpp_extension
from reference import make

import cairn.torch

ops = torch.ops.cairn
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="torch compiles C++ here, and there is no g++")


def _needs_triton(device):
    if device == "cuda":
        pytest.importorskip("triton", reason="torch compiles for a GPU with triton")


def _layer(x, weight, bias):
    return ops.mm(ops.gemm(x, weight.t(), None, bias, activation=4), weight).sin()


def _graph_operators(function, *args):
    """The operators of the graphs that torch.compile makes, by name."""
    seen = []

    def backend(module, inputs):
        seen.extend(str(node.target) for node in module.graph.nodes if node.op == "call_function")
        return module.forward

    torch.compile(function, fullgraph=True, backend=backend)(*args)
    return seen


@needs_compiler
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_compiled_is_as_eager_with_its_gradients(device, dynamic):
    _needs_triton(device)
    torch._dynamo.reset()
    compiled = torch.compile(_layer, fullgraph=True, dynamic=dynamic)
    for rows in (8, 12) if dynamic else (8,):
        inputs = [make(*s, device=device) for s in ((rows, 16), (24, 16), (24,))]
        results = []
        for function in (_layer, compiled):
            leaves = [tensor.clone().requires_grad_() for tensor in inputs]
            out = function(*leaves)
            out.square().sum().backward()
            results.append([out, *(leaf.grad for leaf in leaves)])
        torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-4)


def test_dynamic_shapes_are_compiled_once(device):
    torch._dynamo.reset()
    count = 0

    def backend(module, inputs):
        nonlocal count
        count += 1
        return module.forward

    compiled = torch.compile(ops.mm, fullgraph=True, dynamic=True, backend=backend)
    for rows in (8, 12, 20, 33):
        compiled(make(rows, 16, device=device), make(16, 24, device=device))
    assert count == 1


def test_an_operator_is_one_node_of_the_graph(device):
    torch._dynamo.reset()
    layer = cairn.torch.Linear(16, 24, activation="silu", device=device)
    with torch.no_grad():
        found = _graph_operators(layer, make(8, 16, device=device))
    assert sum("cairn" in name for name in found) == 1


@needs_compiler
def test_out_within_a_compiled_function(device):
    _needs_triton(device)
    torch._dynamo.reset()

    def function(a, b, out):
        ops.mm.out(a, b, out=out)
        return out + 1

    a, b, out = make(8, 16, device=device), make(16, 24, device=device), torch.zeros(8, 24, device=device)
    got = torch.compile(function, fullgraph=True)(a, b, out)
    torch.testing.assert_close(out, a @ b)
    torch.testing.assert_close(got, a @ b + 1)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_export(device, dynamic):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = cairn.torch.Linear(16, 24, activation="gelu", device=device)

        def forward(self, x):
            return self.layer(x)

    model, rows = Model(), torch.export.Dim("rows", min=2, max=64)
    with torch.no_grad():
        program = torch.export.export(model, (make(8, 16, device=device),),
                                      dynamic_shapes={"x": {0: rows}} if dynamic else None)
        x = make(33 if dynamic else 8, 16, device=device)
        torch.testing.assert_close(program.module()(x), model(x))
    assert "cairn.gemm" in program.graph_module.code


@needs_compiler
def test_aot_inductor_packages_the_operator(device, tmp_path):
    _needs_triton(device)
    if device == "cuda" and torch.utils.cpp_extension.CUDA_HOME is None:
        pytest.skip("AOTInductor compiles against the CUDA toolkit, which is not here")

    def run(layer):
        return subprocess.run([sys.executable, Path(__file__).parent / "packaged.py", layer, device, tmp_path / layer],
                              capture_output=True, text=True, check=False)

    done = run("cairn")
    if done.returncode < 0 and run("torch").returncode < 0:
        pytest.skip(f"AOTInductor of torch {torch.__version__} crashes here without Cairn, too")
    assert done.returncode == 0, done.stderr
