"""Many threads at once: each has its own handle, and others run while one multiplies."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from support import Place, assert_product, random

import cairn


def test_threads_multiply_at_once(place: Place) -> None:
    def work(seed: int) -> None:
        a, b = random((17 + seed, 33), seed=seed), random((33, 20), seed=seed + 100)
        for _ in range(5):
            assert_product(place.matmul(a, b, epilogue="relu" if seed % 2 else None), a, b,
                           exact=(a.astype("f8") @ b).clip(0 if seed % 2 else None))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))


def test_threads_run_one_plan() -> None:
    a, b = random((40, 40), seed=1), random((40, 40), seed=2)
    plan = cairn.plan(a, b, device="emu")
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: plan.run(a, b), range(8)):
            assert_product(result, a, b)


def test_others_run_while_one_multiplies() -> None:
    a = random((1200, 1200), "float64")
    done = threading.Event()
    counted = 0

    def multiply() -> None:
        cairn.matmul(a, a)
        done.set()

    # With the GIL held, this thread would not come to count before the product is done.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        worker = threading.Thread(target=multiply)
        worker.start()
        while not done.is_set():
            counted += 1
            time.sleep(1e-3)
        worker.join()
    finally:
        sys.setswitchinterval(interval)
    assert counted >= 3


def test_a_thread_that_ends_closes_its_handles() -> None:
    a = random((8, 8))
    for _ in range(50):
        worker = threading.Thread(target=lambda: cairn.matmul(a, a, device="emu"))
        worker.start()
        worker.join()
    assert_product(cairn.matmul(a, a, device="emu"), a, a)
