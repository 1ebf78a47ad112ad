"""mm, bmm, addmm and their out variants against float64: types, strides, batches, empties, refusals."""

from __future__ import annotations

import pytest
import torch
from reference import assert_product, make

ops = torch.ops.cairn
TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn]
BYTES = torch.uint8


# Each makes an m x n matrix with other strides than the one before.
LAYOUTS = {
    "row-major": lambda t, m, n, d: make(m, n, dtype=t, device=d),
    "transposed": lambda t, m, n, d: make(n, m, dtype=t, device=d).t(),
    "rows with a leading dimension": lambda t, m, n, d: make(m, n + 5, dtype=t, device=d)[:, :n],
    "every other row": lambda t, m, n, d: make(2 * m, n, dtype=t, device=d)[::2],
    "every other column": lambda t, m, n, d: make(m, 2 * n, dtype=t, device=d)[:, ::2],
    "one row expanded": lambda t, m, n, d: make(1, n, dtype=t, device=d).expand(m, n),
    "one number expanded": lambda t, m, n, d: make(1, 1, dtype=t, device=d).expand(m, n),
    "rows that overlap": lambda t, m, n, d: make(n + 2 * (m - 1), dtype=t, device=d).as_strided((m, n), (2, 1)),
    "starting in the middle": lambda t, m, n, d: make(m * n + 3, dtype=t, device=d)[3:].view(m, n),
}


@pytest.mark.parametrize("layout_b", LAYOUTS)
@pytest.mark.parametrize("layout_a", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_mm_takes_any_strides(device, dtype, layout_a, layout_b):
    a, b = LAYOUTS[layout_a](dtype, 19, 33, device), LAYOUTS[layout_b](dtype, 33, 21, device)
    assert_product(ops.mm(a, b), a, b)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("layout", ["row-major", "transposed", "rows with a leading dimension", "every other row",
                                    "every other column", "starting in the middle"])
def test_out_may_have_any_strides_and_nothing_else_is_written(device, dtype, layout):
    a, b = make(19, 33, dtype=dtype, device=device), make(33, 21, dtype=dtype, device=device)
    out = LAYOUTS[layout](dtype, 19, 21, device)
    whole = out.new_empty(0).set_(out.untyped_storage()).view(BYTES)
    inside = torch.zeros(whole.numel() // out.element_size(), dtype=torch.bool)
    inside.as_strided(out.shape, out.stride(), out.storage_offset()).fill_(True)
    before = whole.cpu().clone().view(-1, out.element_size())
    assert ops.mm.out(a, b, out=out) is out
    assert_product(out, a, b)
    after = whole.cpu().view(-1, out.element_size())
    assert torch.equal(after[~inside], before[~inside])


@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (1, 300, 129), (300, 1, 129), (64, 64, 1), (130, 70, 257)])
def test_vectors_and_ragged_shapes(device, m, n, k):
    a, b = make(m, k, device=device), make(k, n, device=device)
    assert_product(ops.mm(a, b), a, b)
    assert_product(ops.mm(a.t().contiguous().t(), b.t().contiguous().t()), a, b)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("view_a, view_b", [
    (lambda a: a, lambda b: b), (lambda a: a[:1].expand(4, 5, 9), lambda b: b),
    (lambda a: a, lambda b: b[:1].expand(4, 9, 7)),
    (lambda a: a.transpose(1, 2).contiguous().transpose(1, 2), lambda b: b),
    (lambda a: a.transpose(0, 1).contiguous().transpose(0, 1),
     lambda b: b.permute(2, 1, 0).contiguous().permute(2, 1, 0)),
], ids=["packed", "stride 0 of a", "stride 0 of b", "transposed", "batch inside"])
def test_bmm_takes_any_batch_strides(device, dtype, view_a, view_b):
    def seen(tensor, view):  # float8 is viewed as bytes: torch copies little of it
        return view(tensor.view(BYTES)).view(dtype) if dtype == torch.float8_e4m3fn else view(tensor)

    a = seen(make(4, 5, 9, dtype=dtype, device=device), view_a)
    b = seen(make(4, 9, 7, dtype=dtype, device=device), view_b)
    assert_product(ops.bmm(a, b), a, b)


@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0)])
def test_bmm_out_may_be_any_permutation(device, axes):
    a, b = make(4, 5, 9, device=device), make(4, 9, 7, device=device)
    shape = (4, 5, 7)
    out = torch.empty([shape[axis] for axis in axes], device=device).permute([axes.index(i) for i in range(3)])
    ops.bmm.out(a, b, out=out)
    assert_product(out, a, b)


@pytest.mark.parametrize("shape", [(7,), (1, 7), (5, 1), (5, 7), (1,), ()], ids=str)
@pytest.mark.parametrize("beta, alpha", [(1.0, 1.0), (0.5, 2.0), (0.0, 1.0)])
def test_addmm_broadcasts_its_input(device, shape, beta, alpha):
    a, b, input = make(5, 9, device=device), make(9, 7, device=device), make(*shape, device=device)
    added = beta * input.double().expand(5, 7)
    assert_product(ops.addmm(input, a, b, beta=beta, alpha=alpha), a, b, added=added, alpha=alpha)


@pytest.mark.parametrize("m", [1, 5])
@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_addmm_adds_in_place(device, m, beta):
    a, b, c = make(m, 9, device=device), make(9, 7, device=device), make(m, 7, device=device)
    added = beta * c.double()
    ops.addmm.out(c, a, b, beta=beta, out=c)
    assert_product(c, a, b, added=added)


@pytest.mark.parametrize("transposed", [False, True])
def test_addmm_whose_input_is_copied_over_what_it_reads(device, transposed):
    a, b, c = (make(8, 8, device=device) for _ in range(3))
    exact, out = 0.5 * c.double(), a
    if transposed:  # input is another view of out
        exact, out = 0.5 * c.t().double(), c
    before = a.clone()
    ops.addmm.out(c.t() if transposed else c, a, b, beta=0.5, out=out)
    assert_product(out, before, b, added=exact)


@pytest.mark.parametrize("bad", [{"bias": torch.ones(3)}, {"compute": 1}, {"activation": 9}], ids=str)
def test_a_call_that_is_refused_writes_nothing(device, bad):
    a, b, input = (make(8, 8, dtype=torch.float16, device=device) for _ in range(3))
    out = torch.full((8, 8), 7.0, dtype=torch.float16, device=device)
    options = {key: value if key != "bias" else value.half().to(device) for key, value in bad.items()}
    with pytest.raises(RuntimeError, match="cairn: "):
        ops.gemm.out(a, b, input, beta=0.5, out=out, **options)
    assert bool((out == 7).all())


def test_beta_0_does_not_read_its_input(device):
    a, b = make(5, 9, device=device), make(9, 7, device=device)
    assert_product(ops.addmm(torch.full((5, 7), torch.nan, device=device), a, b, beta=0), a, b)


@pytest.mark.parametrize("m, n, k", [(0, 4, 3), (5, 0, 3), (5, 4, 0), (0, 0, 0)])
def test_empty_axes_are_legal(device, m, n, k):
    a, b = make(m, k, device=device), make(k, n, device=device)
    assert torch.equal(ops.mm(a, b).cpu(), torch.zeros(m, n))
    assert torch.equal(ops.addmm(torch.ones(n, device=device), a, b).cpu(), torch.ones(m, n))
    assert ops.bmm(a.expand(0, m, k), b.expand(0, k, n)).shape == (0, m, n)


def test_negative_bit_views_have_the_right_sign(device):
    a = torch.randn(5, 9, dtype=torch.complex64, device=device).conj().imag
    b, out = make(9, 7, device=device), torch.zeros(5, 7, dtype=torch.complex64, device=device).conj().imag
    assert a.is_neg() and out.is_neg()
    assert_product(ops.mm(a, b), a.resolve_neg(), b)
    ops.mm.out(a, b, out=out)
    assert_product(out.resolve_neg(), a.resolve_neg(), b)


def test_out_that_shares_memory_is_refused(device):
    a = make(8, 8, device=device)
    for out in (a, a.t()):
        with pytest.raises(RuntimeError, match="overlaps A; what is written must not share memory"):
            ops.mm.out(a, make(8, 8, device=device), out=out)
    with pytest.raises(RuntimeError, match="out is expanded"):
        ops.mm.out(a, a, out=torch.empty(1, 8, device=device).expand(8, 8))


@pytest.mark.parametrize("call, sentence", [
    (lambda a, b: ops.mm(a, a), "a is 5x9 and b is 5x9; the columns of a must be as many as the rows of b"),
    (lambda a, b: ops.mm(a[None], b), "a has 3 dimensions; it must have 2"),
    (lambda a, b: ops.mm(a, b.double()), "they must have one type"),
    (lambda a, b: ops.mm(a.int(), b.int()), "it must be float64, float32, float16, bfloat16 or float8_e4m3fn"),
    (lambda a, b: ops.bmm(a.expand(2, 5, 9), b.expand(3, 9, 7)), "their batches must be equal"),
    (lambda a, b: ops.mm.out(a, b, out=a.new_empty(4, 4)), "out is 4x4; the product is 5x7"),
    (lambda a, b: ops.mm.out(a, b, out=a.new_empty(5, 7).half()), "out is f16 for f32 inputs"),
    (lambda a, b: ops.addmm(a.new_empty(3, 3), a, b), "input is 3x3, which does not broadcast to 5x7"),
    (lambda a, b: ops.addmm(a.new_empty(7).half(), a, b), "they must have one type"),
    (lambda a, b: ops.gemm(a, b, None, a.new_empty(3)), "bias is a vector of 3; it must have 7 elements"),
    (lambda a, b: ops.gemm(a, b, activation=9), "activation is 9; it must be from 0 to 4"),
    (lambda a, b: ops.gemm(a.half(), b.half(), compute=1), "compute is tf32 for f16 inputs"),
    (lambda a, b: ops.mm(a, b.to("meta")), "they must be on one device"),
])
def test_what_is_wrong_is_said_in_a_sentence(device, call, sentence):
    with pytest.raises(RuntimeError, match=sentence):
        call(make(5, 9, device=device), make(9, 7, device=device))


def test_types_may_widen(device):
    for dtype in (torch.float16, torch.bfloat16, torch.float8_e4m3fn):
        a, b = make(5, 64, dtype=dtype, device=device), make(64, 16, dtype=dtype, device=device)
        wide = ops.gemm(a, b, out_dtype=torch.float32)
        assert wide.dtype == torch.float32
        assert_product(wide, a, b)


def test_threads_multiply_at_once(device):
    from concurrent.futures import ThreadPoolExecutor

    # Of many shapes, so that every thread plans and does not only run.
    pairs = [(make(1 + i % 37, 5, device=device), make(5, 1 + i % 41, device=device)) for i in range(1500)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda pair: [ops.mm(*pair) for _ in range(5)][-1], pairs))
    for (a, b), got in zip(pairs, results):
        assert_product(got, a, b)
