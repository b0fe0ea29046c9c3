"""Measures the time that `./test` takes before pytest starts, once everything is installed.

    python benchmarks/setup.py [RUNS]

The result is the time of `./test --version` minus the time of `pytest --version`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(runs: int) -> None:
    subprocess.run([ROOT / "test", "--version"], check=True, capture_output=True)  # installs what is missing
    whole = _median([str(ROOT / "test"), "--version"], runs)
    alone = _median([str(ROOT / ".venv/bin/python"), "-m", "pytest", "--version"], runs)
    print(f"./test starts pytest after {(whole - alone) * 1000:.0f} ms (p50 of {runs} runs)")


def _median(command: list[str], runs: int) -> float:
    return statistics.median(_once(command) for _ in range(runs))


def _once(command: list[str]) -> float:
    before = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - before


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
