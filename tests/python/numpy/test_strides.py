"""Views are multiplied where they lie: a transpose or a leading dimension is no copy, and any other stride is one."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from support import DTYPES, Place, assert_product, random

import cairn
from cairn._call import prepare

BIG = (40, 50)
IN_PLACE: dict[str, Callable[[Any], Any]] = {
    "packed": lambda x: x[:20, :20].copy(),
    "block of a larger matrix": lambda x: x[5:25, 7:27],
    "transposed": lambda x: x[:20, :20].copy().T,
    "block, transposed": lambda x: x[5:25, 7:27].T,
    "Fortran's order": lambda x: x[:20, :20].copy(order="F"),
    "every other row": lambda x: x[::2, :20],
}
COPIED: dict[str, Callable[[Any], Any]] = {
    "every other column": lambda x: x[:20, ::2][:, :20],
    "backwards": lambda x: x[:20, :20][::-1],
    "mirrored": lambda x: x[:20, :20][:, ::-1],
    "one row for all": lambda x: np.broadcast_to(x[0, :20], (20, 20)),
    "one element for all": lambda x: np.broadcast_to(x[0, 0], (20, 20)),
}
VIEWS = IN_PLACE | COPIED


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("view_a", VIEWS)
@pytest.mark.parametrize("view_b", ["packed", "block, transposed", "every other column"])
def test_views_are_multiplied_as_they_are_seen(view_a: str, view_b: str, name: str) -> None:
    a = VIEWS[view_a](random(BIG, name, seed=1))
    b = VIEWS[view_b](random(BIG, name, seed=2))
    assert_product(cairn.matmul(a, b), a, b)


@pytest.mark.parametrize("view", VIEWS)
def test_devices_see_the_same_views(place: Place, view: str) -> None:
    a, b = random(BIG, seed=1), random(BIG, seed=2)
    got = cairn.matmul(VIEWS[view](place.array(a)), place.array(b)[:20, :30], device=place.device)
    assert_product(place.host(got), VIEWS[view](a), b[:20, :30])


@pytest.mark.parametrize("view", IN_PLACE)
def test_a_leading_dimension_needs_no_copy(view: str) -> None:
    a = IN_PLACE[view](random(BIG))
    assert prepare(a, a).addresses[0] == a.ctypes.data
    assert prepare(a, a).addresses[1] == a.ctypes.data


@pytest.mark.parametrize("view", COPIED)
def test_other_strides_are_copied(view: str) -> None:
    a = COPIED[view](random(BIG))
    assert prepare(a, a).addresses[0] != a.ctypes.data


@pytest.mark.parametrize("view", [view for view in VIEWS if not view.endswith("for all")])
def test_out_may_have_any_strides_that_keep_its_elements_apart(place: Place, view: str) -> None:
    whole = np.full(BIG, 7, "f4")
    a, b = random((20, 9), seed=1), random((9, 20), seed=2)
    on_device = place.array(whole)
    out = VIEWS[view](on_device)
    result = cairn.matmul(place.array(a), place.array(b), out=out, device=place.device)
    assert result is out
    assert_product(place.host(out), a, b)
    written = whole.size - np.count_nonzero(place.host(on_device) == 7)
    assert written in (0, out.size)  # out is a copy, or nothing beside it was written


def test_beta_reads_an_out_that_has_to_be_copied() -> None:
    a, b, whole = random((20, 9), seed=1), random((9, 20), seed=2), random((40, 50), seed=3)
    out = whole[:20, ::2][:, :20]
    exact = a.astype("f8") @ b + 2 * out.astype("f8")
    cairn.matmul(a, b, out=out, beta=2)
    assert_product(out, a, b, exact=exact, extra=2)


@pytest.mark.parametrize("swap", [(0, 1), (0, 2), (1, 2)])
def test_batches_are_walked_by_their_strides(place: Place, swap: tuple[int, int]) -> None:
    a = random((6, 6, 6), seed=1).swapaxes(*swap)
    b = random((6, 6, 6), seed=2)
    assert_product(place.matmul(a, b), a, b)


def test_a_batch_may_be_walked_backwards(place: Place) -> None:
    a, b = random((4, 8, 9), seed=1), random((4, 9, 7), seed=2)
    got = cairn.matmul(place.array(a)[::-1], place.array(b), device=place.device)
    assert_product(place.host(got), a[::-1], b)


def test_a_broadcast_batch_is_read_in_place() -> None:
    a, b = random((5, 8, 9), seed=1), random((9, 7), seed=2)
    every = np.broadcast_to(b, (5, 9, 7))
    call = prepare(a.swapaxes(-1, -2).copy().swapaxes(-1, -2), every)  # transposed, so that it stays a batch
    assert call.problem["batch"] == 5 and call.problem["stride_b"] == 0
    assert call.addresses[1] == b.ctypes.data
    assert_product(cairn.matmul(a, every), a, every)


def test_results_side_by_side_are_one_batch() -> None:
    a, b = random((4, 8, 9), seed=1), random((4, 9, 7), seed=2)
    wide = np.empty((8, 4, 7), "f4")
    call = prepare(a, b, out=wide.swapaxes(0, 1))
    assert call.problem["batch"] == 4 and len(call.offsets) == 1
    assert_product(call.run(), a, b)


def test_misaligned_elements_are_copied() -> None:
    raw = np.zeros(4 * 64 + 1, np.uint8)
    a = raw[1:].view("f4").reshape(8, 8)
    a[:] = random((8, 8))
    assert not a.flags.aligned
    assert_product(cairn.matmul(a, a), a, a)


def test_fields_of_a_record_are_copied() -> None:
    records = np.zeros((8, 8), np.dtype([("x", "f4"), ("tag", "u1")]))
    a = records["x"]
    a[:] = random((8, 8))
    assert_product(cairn.matmul(a, a), a, a)
