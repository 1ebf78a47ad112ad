"""Gradients, and gradients of gradients, against finite differences in f64 and against torch."""

from __future__ import annotations

import operators
import pytest
import torch
from reference import make
from torch.autograd import gradcheck, gradgradcheck

ops = torch.ops.cairn


def _differentiated(sample):
    """The operator as a function of those arguments that are tensors."""
    places = [i for i, arg in enumerate(sample.args) if arg is not None]

    def function(*tensors):
        args = list(sample.args)
        for place, tensor in zip(places, tensors):
            args[place] = tensor
        return sample.operator(*args, **sample.kwargs)

    return function, tuple(sample.args[place].detach().clone().requires_grad_() for place in places)


@pytest.mark.parametrize("name", operators.NAMES)
def test_gradients_are_those_of_finite_differences(device, name):
    function, inputs = _differentiated(operators.named(operators.samples(device), name))
    assert gradcheck(function, inputs)


# ReLU's second derivative is 0 but where it has none; the others say as much about it.
@pytest.mark.parametrize("name", [name for name in operators.NAMES if not name.endswith(" 1")])
def test_gradients_of_gradients(device, name):
    function, inputs = _differentiated(operators.named(operators.samples(device), name))
    assert gradgradcheck(function, inputs)


def test_expanded_gradients_arrive_with_stride_0(device):
    a, b = make(5, 9, device=device).requires_grad_(), make(9, 7, device=device).requires_grad_()
    ops.mm(a, b).sum().backward()  # the gradient of a sum is one number, expanded
    torch.testing.assert_close(a.grad, b.detach().sum(1).expand(5, 9))
    torch.testing.assert_close(b.grad, a.detach().sum(0)[:, None].expand(9, 7))


@pytest.mark.parametrize("needed", [(True, False), (False, True)])
def test_only_the_gradient_that_is_needed(device, needed):
    a, b = make(5, 9, device=device).requires_grad_(needed[0]), make(9, 7, device=device).requires_grad_(needed[1])
    ops.mm(a, b).sum().backward()
    assert ((a.grad is not None), (b.grad is not None)) == needed


def test_scaled_products_say_that_they_have_no_gradient(device):
    a = make(5, 9, device=device).requires_grad_()
    with pytest.raises(RuntimeError, match="scaled or float8 operands has no gradient"):
        ops.gemm(a, make(9, 7, device=device), None, None, torch.ones((), device=device))


def test_backward_of_f32_result_of_bf16(device):
    a, b = (make(*s, dtype=torch.bfloat16, device=device).requires_grad_() for s in ((5, 9), (9, 7)))
    ops.gemm(a, b, out_dtype=torch.float32).sum().backward()
    assert a.grad.dtype == torch.bfloat16
    torch.testing.assert_close(a.grad.float(), b.detach().float().sum(1).expand(5, 9), rtol=1e-2, atol=1e-2)
