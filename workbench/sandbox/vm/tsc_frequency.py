"""Frequency of this processor's time stamp counter, which a guest under software emulation cannot measure.

itself while the host is busy: its kernel would give up on it, or hang.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import time
from pathlib import Path

_READ_CLOCK = bytes.fromhex("0f3148c1e2204809d0c3")  # rdtsc; shl rdx, 32; or rax, rdx; ret
_WHILE = 0.05


def khz() -> int:
    """Counted here; where no code may be made at run time, what the system says; 0: nobody knows."""
    try:
        return _counted()
    except OSError:
        return _told()


def _counted() -> int:
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as page:
        page.write(_READ_CLOCK)
        start = ctypes.c_char.from_buffer(page)
        read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(start))
        first, began = read(), time.perf_counter_ns()
        time.sleep(_WHILE)
        last, ended = read(), time.perf_counter_ns()
        del start, read
    return int((last - first) * 1_000_000 // (ended - began))


def _told() -> int:
    try:
        found = re.search(r"^cpu MHz\s*:\s*([\d.]+)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return round(float(found[1]) * 1000) if found else 0
