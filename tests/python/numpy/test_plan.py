"""What would run and why, kernels by name, and devices."""

from __future__ import annotations

import numpy as np
import pytest
from support import Place, assert_product, random

import cairn


def test_a_plan_says_what_runs_and_why_and_runs(place: Place) -> None:
    a, b = random((64, 48), seed=1), random((48, 32), seed=2)
    plan = cairn.plan(place.array(a), place.array(b), device=place.device)
    assert plan.id and plan.id in plan.why
    assert (plan.tile == "") == (place.name == "cpu")
    assert plan.workspace >= 0
    assert plan.problem == "f32 nn 64x32x48"
    assert_product(place.host(plan.run()), a, b)


def test_a_plan_runs_other_arrays_of_its_problem() -> None:
    plan = cairn.plan(random((8, 8)), random((8, 8)), epilogue="relu")
    a, b = random((8, 8), seed=3), random((8, 8), seed=4)
    assert_product(plan.run(a, b), a, b, exact=np.maximum(a.astype("f8") @ b, 0))
    out = np.empty((8, 8), "f4")
    assert plan.run(a, b, out=out) is out
    with pytest.raises(cairn.Error, match="these arrays are the problem .*m=8 n=9 .*; the plan is for .*m=8 n=8 "):
        plan.run(a, random((8, 9)))


def test_a_plan_of_a_text_is_that_of_the_arrays() -> None:
    plan = cairn.plan("f32 nn 64x32x48", device="emu")
    a, b = random((64, 48), seed=1), random((48, 32), seed=2)
    assert plan.id == cairn.plan(a, b, device="emu").id
    assert_product(plan.run(a, b), a, b)
    with pytest.raises(cairn.Error, match="has no arrays"):
        plan.run()


def test_a_text_that_is_no_problem_is_refused() -> None:
    with pytest.raises(cairn.Error, match="f33"):
        cairn.plan("f33 nn 64x32x48")


def test_a_batch_that_takes_many_calls_has_one_plan() -> None:
    a, b = random((6, 1, 3, 4), seed=1), random((1, 5, 4, 2), seed=2)
    assert_product(cairn.plan(a, b).run(), a, b)


@pytest.mark.parametrize("name", [id for id in cairn.rungs() if id.startswith("simt/")])
def test_a_rung_of_the_ladder_multiplies(name: str) -> None:
    a, b = random((40, 24), seed=1), random((24, 56), seed=2)
    assert_product(cairn.rung(name).matmul(a, b), a, b)
    assert cairn.rung(name).plan(a, b).id == name


def test_a_rung_may_be_named_in_short_and_with_a_tile() -> None:
    a = random((40, 40))
    assert cairn.rung("simt/13").plan(a, a).id == "simt/13_bank_linear"
    first, third = (cairn.rung(f"simt/22@{tile}").plan(a, a).tile for tile in (0, 2))
    assert first != third


def test_tensor_cores_take_what_they_take() -> None:
    a = random((64, 64), "float16")
    assert_product(cairn.rung("hopper/52").matmul(a, a, out_dtype="f32"), a, a, "float32")
    with pytest.raises(cairn.Error) as refused:
        cairn.rung("hopper/52").matmul(random((64, 64)), random((64, 64)))
    assert refused.value.status == "unsupported"


def test_the_cpu_has_no_rungs() -> None:
    with pytest.raises(cairn.Error):
        cairn.rung("simt/13", device="cpu").matmul(random((4, 4)), random((4, 4)))


def test_an_unknown_rung_is_refused_when_it_is_named() -> None:
    with pytest.raises(cairn.Error, match="there is no rung 'simt/99'; cairn.rungs"):
        cairn.rung("simt/99")


def test_devices_are_words() -> None:
    assert cairn.devices()[0] == "cpu"
    assert set(cairn.devices()) <= {"cpu", "emu", *(f"gpu:{n}" for n in range(64))}


@pytest.mark.parametrize("device", ["gpu", "gpu:0", "cuda:1"])
def test_arrays_of_the_host_are_not_sent_to_a_gpu(device: str) -> None:
    with pytest.raises(cairn.Error, match="a is in host memory and device is .*cupy.asarray"):
        cairn.matmul(random((2, 2)), random((2, 2)), device=device)


@pytest.mark.parametrize("device", ["GPU", "gpu:x", "tpu", 3])
def test_an_unknown_device_is_refused(device: object) -> None:
    with pytest.raises(cairn.Error, match="it must be 'cpu', 'emu', 'gpu' or 'gpu:N'"):
        cairn.matmul(random((2, 2)), random((2, 2)), device=device)  # type: ignore[arg-type]


def test_arrays_of_the_host_have_no_stream() -> None:
    with pytest.raises(cairn.Error, match="leave stream out"):
        cairn.matmul(random((2, 2)), random((2, 2)), stream=0)


def test_the_version_is_that_of_the_library() -> None:
    assert cairn.__version__.split(".")[:2] == ["0", "2"]
