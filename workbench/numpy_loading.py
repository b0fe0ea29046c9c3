"""Loads numpy with a single OpenBLAS thread.

With two threads, on a machine with two other busy processes, the product of a 4,000 × 256 matrix and a vector took
20 to 48 ms (median of 300); with one thread, 0.08 ms.
"""

from __future__ import annotations

import importlib
import os
import sys

_THREADS = "OPENBLAS_NUM_THREADS"  # OpenBLAS reads it once, when numpy is imported


def load_numpy() -> None:
    """Import numpy with one thread. Call it before the first `import numpy`.

    The environment variable is restored afterwards, because server processes inherit the environment.
    """
    if "numpy" in sys.modules or _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        importlib.import_module("numpy")
    finally:
        del os.environ[_THREADS]
