"""Loads numpy so that it keeps to one thread. Its products here are small: on two threads the faster one waits, and
beside a busy program a product of 0.1 ms took 30.
"""

from __future__ import annotations

import importlib
import os
import sys

_THREADS = "OPENBLAS_NUM_THREADS"  # read once, when numpy is loaded


def load_numpy() -> None:
    """Before the first `import numpy`. Servers inherit the environment, so it is left as it was."""
    if "numpy" in sys.modules or _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        importlib.import_module("numpy")
    finally:
        del os.environ[_THREADS]
