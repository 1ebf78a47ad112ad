"""What only a GPU has: graphs, streams, and neighbours in its memory."""

from __future__ import annotations

import pytest
import torch
from reference import assert_product, make
from torch import nn

import cairn.torch

ops = torch.ops.cairn
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch has no GPU here")

# The last is split along k, and so needs a workspace.
SHAPES = [(64, 64, 64), (300, 200, 129), (16, 4096, 14336)]


@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn], ids=str)
def test_a_captured_product_is_replayed_with_new_data(m, n, k, dtype):
    a, b = make(m, k, dtype=dtype, device="cuda"), make(n, k, dtype=dtype, device="cuda").t()
    options = {"out_dtype": torch.bfloat16} if dtype == torch.float8_e4m3fn else {}
    ops.gemm(a, b, **options)  # kernels are loaded on first use, which a capture does not allow
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = ops.gemm(a, b, **options)
    for _ in range(3):
        a.view(torch.uint8).copy_(make(m, k, dtype=dtype, device="cuda").view(torch.uint8))
        captured.fill_(torch.nan)
        graph.replay()
        assert_product(captured, a, b)


def test_graphs_share_no_workspace_with_what_runs_beside_them():
    """A capture's tensors are in a pool of its own, the workspace among them: others are not given that memory."""
    m, n, k = SHAPES[-1]
    a, b = make(m, k, dtype=torch.bfloat16, device="cuda"), make(k, n, dtype=torch.bfloat16, device="cuda")
    ops.mm(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = ops.mm(a, b)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    for _ in range(20):
        graph.replay()
        with torch.cuda.stream(side):
            beside = ops.mm(a, b)
    torch.cuda.synchronize()
    assert_product(captured, a, b)
    assert_product(beside, a, b)


def test_a_graphed_layer_trains_as_an_eager_one():
    def train(graphed):
        torch.manual_seed(3)
        layer = cairn.torch.Linear(128, 256, device="cuda")
        x = torch.randn(64, 128).cuda()
        optimizer = torch.optim.SGD(layer.parameters(), lr=10)
        called = torch.cuda.make_graphed_callables(layer, (x.clone(),)) if graphed else layer
        losses = []
        for _ in range(10):
            # A gradient that is kept may be the graph's own buffer, to which the next one would be added twice.
            optimizer.zero_grad(set_to_none=True)
            loss = called(x).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return torch.tensor(losses)

    graphed, eager = train(True), train(False)
    assert eager[-1] < eager[0] / 2
    torch.testing.assert_close(graphed, eager, rtol=1e-4, atol=1e-5)


def test_products_run_on_the_current_stream():
    a, b = make(512, 512, device="cuda"), make(512, 512, device="cuda")
    late, side = torch.empty_like(a), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)  # a tenth of a second
        late.copy_(a)
        on_side = ops.mm(late, b)  # reads what is not there yet, if it runs on another stream
    elsewhere = ops.mm(a, b)
    torch.cuda.synchronize()
    assert_product(on_side, a, b)
    assert_product(elsewhere, a, b)


def test_many_streams_and_threads_at_once():
    from concurrent.futures import ThreadPoolExecutor

    pairs = [(make(200, 900, dtype=torch.bfloat16, device="cuda"), make(900, 300, dtype=torch.bfloat16, device="cuda"))
             for _ in range(16)]
    torch.cuda.synchronize()

    def multiply(pair):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            results = [ops.mm(*pair) for _ in range(10)]
            stream.synchronize()
        return results

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(multiply, pairs))
    for (a, b), results in zip(pairs, found):
        for got in results:
            assert_product(got, a, b)


def test_cupy_round_trip():
    cupy = pytest.importorskip("cupy")
    a, b = make(300, 200, device="cuda"), make(200, 100, device="cuda")
    theirs = cairn.matmul(cupy.from_dlpack(a), cupy.from_dlpack(b))
    assert isinstance(theirs, cupy.ndarray)
    back = torch.from_dlpack(theirs)
    torch.testing.assert_close(back, ops.mm(a, b))
    out = torch.empty(300, 100, device="cuda")
    ops.mm.out(torch.from_dlpack(cupy.asarray(a)), b, out=out)
    assert_product(out, a, b)


def test_bf16_network_trained_with_cairn_and_with_torch():
    """Two layers, 50 steps in bf16: the losses differ by the rounding of bf16."""

    def train(replace):
        torch.manual_seed(5)
        model = nn.Sequential(nn.Linear(256, 512), nn.SiLU(), nn.Linear(512, 64)).to("cuda", torch.bfloat16)
        if replace:
            assert cairn.torch.replace_linear(model) == 2
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        x, want = torch.randn(512, 256).cuda().bfloat16(), torch.randn(512, 64).cuda()
        losses = []
        for _ in range(50):
            optimizer.zero_grad()
            loss = (model(x).float() - want).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return torch.tensor(losses)

    mine, torchs = train(True), train(False)
    assert torchs[-1] < torchs[0]
    torch.testing.assert_close(mine, torchs, rtol=2e-2, atol=2e-2)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there is one GPU")
def test_products_run_where_their_tensors_are():
    a, b = make(100, 200, device="cuda:1"), make(200, 300, device="cuda:1")
    assert torch.cuda.current_device() == 0
    assert_product(ops.mm(a, b), a, b)
    with pytest.raises(RuntimeError, match="b is on cuda:0 and a on cuda:1; they must be on one device"):
        ops.mm(a, b.to("cuda:0"))
