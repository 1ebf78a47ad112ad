"""What torch is told of the operators: schemas, shapes without data, aliasing, and when they are registered."""

from __future__ import annotations

import os
import subprocess
import sys

import operators
import pytest
import torch

from cairn.torch._schemas import SCHEMAS

ops = torch.ops.cairn


@pytest.mark.parametrize("name", operators.NAMES)
def test_opcheck(device, name):
    sample = operators.named(operators.samples(device), name)
    torch.library.opcheck(sample.operator, sample.args, sample.kwargs)


@pytest.mark.parametrize("name", operators.OUT_NAMES)
def test_opcheck_of_out(device, name):
    sample = operators.named(operators.out_samples(device), name)
    torch.library.opcheck(sample.operator, sample.args, sample.kwargs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_opcheck_of_types(device, dtype):
    sample = operators.named(operators.samples(device, dtype), "gemm 4")
    torch.library.opcheck(sample.operator, sample.args, sample.kwargs, test_utils=("test_schema", "test_faketensor"))


@pytest.mark.parametrize("schema", SCHEMAS, ids=[schema.partition("(")[0] for schema in SCHEMAS])
def test_schemas_of_the_library_and_of_python_are_the_same(schema):
    name, _, overload = schema.partition("(")[0].partition(".")
    registered = getattr(getattr(ops, name), overload or "default")._schema
    assert registered == torch._C.parse_schema("cairn::" + schema)


def test_meta_tensors_have_shapes_and_refusals():
    a, b = torch.empty(5, 9, device="meta"), torch.empty(9, 7, device="meta")
    assert ops.mm(a, b).shape == (5, 7)
    assert ops.gemm(a, b, out_dtype=torch.float64).dtype == torch.float64
    with pytest.raises(RuntimeError, match="the columns of a must be as many as the rows of b"):
        ops.mm(a, a)
    with pytest.raises(RuntimeError, match="out is 5x5; the product is 5x7"):
        ops.mm.out(a, b, out=torch.empty(5, 5, device="meta"))


def _python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=120, check=False)


def test_importing_cairn_does_not_import_torch():
    done = _python("import cairn, sys; assert 'torch' not in sys.modules and 'cairn.torch' not in sys.modules")
    assert done.returncode == 0, done.stderr


def test_operators_in_python_say_so_once_and_multiply():
    done = _python("import torch, cairn.torch\n"
                   "assert not cairn.torch.compiled\n"
                   "a = torch.randn(5, 9, requires_grad=True); b = torch.randn(9, 7)\n"
                   "c = torch.ops.cairn.mm(a, b); torch.testing.assert_close(c, a @ b)\n"
                   "c.sum().backward(); torch.testing.assert_close(a.grad, b.sum(1).expand(5, 9))\n",
                   CAIRN_TORCH_OPS="python")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the operators are those in Python") == 1


def test_an_unknown_choice_of_operators_is_named():
    done = _python("import cairn.torch", CAIRN_TORCH_OPS="fast")
    assert "CAIRN_TORCH_OPS is 'fast', neither native nor python" in done.stderr
