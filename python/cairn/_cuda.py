"""What Cairn asks of the CUDA driver: how many GPUs there are, whose memory an address is, and to wait for a stream."""

from __future__ import annotations

import ctypes
import functools
from typing import Optional

from ._error import Error

_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


@functools.cache
def _driver() -> Optional[ctypes.CDLL]:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None


def count() -> int:
    """GPUs, without touching one: a context on each would cost hundreds of megabytes."""
    driver = _driver()
    number = ctypes.c_int(0)
    if driver is None or driver.cuDeviceGetCount(ctypes.byref(number)) != 0:
        return 0
    return number.value


def device_of(name: str, address: int) -> int:
    """The GPU whose memory this is."""
    driver = _driver()
    device = ctypes.c_int(-1)
    if driver is None or driver.cuPointerGetAttribute(
            ctypes.byref(device), _DEVICE_ORDINAL, ctypes.c_uint64(address)) != 0:
        raise Error(f"{name} says that it is on a GPU, but its address {address:#x} is in no GPU's memory")
    return device.value


def synchronize(stream: int) -> None:
    """Waits for a stream of the device that this thread used last."""
    driver = _driver()
    if driver is None or driver.cuStreamSynchronize(ctypes.c_void_p(stream)) != 0:
        raise Error("the GPU reported an error while the product was computed", "device_error")
