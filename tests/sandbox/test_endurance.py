"""A short run of `benchmarks/endurance.py`: many runs, and kills at any time, leak no resources.

It runs in a process of its own (`enduring.py`), because memory, open files and child processes of other tests would be
counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HANGS = 240  # seconds


def test_many_runs_leave_nothing_and_none_grows(tmp_path: Path) -> None:
    told = endured("runs", "native", tmp_path)
    before, after = told["before"], told["after"]
    assert told["ends"] == {"done": 70}
    assert (before["processes"], after["processes"]) == (1, 1)
    assert after["descriptors"] <= before["descriptors"]
    assert after["launcher_kb"] < before["launcher_kb"] + 2_000
    assert after["core_kb"] < before["core_kb"] + 8_000


@pytest.mark.parametrize("backend", ["native", "reduced"])
def test_a_kill_at_any_moment_is_told_and_the_next_run_is_fine(backend: str, tmp_path: Path) -> None:
    told = endured("kills", backend, tmp_path)
    ends = told["ends"]
    assert ends["next done"] == 12, ends
    assert set(ends) <= {"next done", "done", "killed", "lost", "not built"}, ends
    assert told["after"]["processes"] == 1


def endured(what: str, backend: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.sandbox.enduring", what, backend, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    if "skipped" in told:
        pytest.skip(told["skipped"])
    return told
