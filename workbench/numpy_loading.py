"""Loads numpy with one thread.

With two threads, beside two busy processes, the product of a 4,000 × 256 matrix and a vector took
20 to 48 ms (median of 300); with one thread, 0.08 ms.
"""

from __future__ import annotations

import importlib
import os
import sys

_THREADS = "OPENBLAS_NUM_THREADS"  # read once, when numpy is loaded


def load_numpy() -> None:
    """Call before the first `import numpy`. The environment, which servers inherit, is restored afterwards."""
    if "numpy" in sys.modules or _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        importlib.import_module("numpy")
    finally:
        del os.environ[_THREADS]
