"""numpy keeps to one thread, and nobody who is started later knows of it."""

from __future__ import annotations

import os
import subprocess
import sys

ASKED = """
import os
os.environ.pop("OPENBLAS_NUM_THREADS", None)
from workbench.numpy_loading import load_numpy
load_numpy()
import threading, numpy
numpy.ones((4000, 400), numpy.float32) @ numpy.ones(400, numpy.float32)
print(len(os.listdir("/proc/self/task")), "OPENBLAS_NUM_THREADS" in os.environ)
"""


def test_numpy_starts_no_threads_and_the_environment_stays_as_it_was() -> None:
    asked = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, timeout=60, check=True)
    assert asked.stdout.split() == ["1", "False"]


def test_who_wants_more_threads_says_so_in_the_environment() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "3"}
    code = "from workbench.numpy_loading import load_numpy; load_numpy(); import os, sys; print('numpy' in sys.modules)"
    command = [sys.executable, "-c", code]
    asked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert asked.stdout.split() == ["False"]
