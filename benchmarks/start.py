"""Measures the time from the start of the window's process to its first frame and until it is usable.

    python benchmarks/start.py [RUNS]

Each run starts a new process on the same project without a running core, so "usable" includes starting the core. An
uncounted run fills the catalogue's cache, and our modules are compiled, as pip does at installation. Without a display
the window is drawn offscreen.
"""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

GOALS = {"first-frame": 600, "usable": 1000}  # milliseconds, on a quiet machine
PATIENCE = 60  # seconds for one run


def main(runs: int) -> None:
    compileall.compile_dir(Path(__file__).resolve().parents[1] / "workbench", quiet=1)
    with tempfile.TemporaryDirectory(prefix="mw-") as folder:
        world = _world(Path(folder))
        project = Path(folder) / "project"
        project.mkdir()
        _start(project, world)
        measured = [_start(project, world) for _ in range(runs)]
    for name, goal in GOALS.items():
        times = [run[name] for run in measured]
        spread = f"{min(times):.0f} to {max(times):.0f}"
        print(f"{name}: p50 {statistics.median(times):.0f} ms ({spread}, {runs} runs; goal {goal} ms)")


def _world(folder: Path) -> dict[str, str]:
    screen = any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    platform = {} if screen else {"QT_QPA_PLATFORM": "offscreen"}
    return {**os.environ, **platform, "MCP_WORKBENCH_HOME": str(folder / "home"), "MCP_WORKBENCH_TRACE_START": "1"}


def _start(project: Path, world: dict[str, str]) -> dict[str, float]:
    """Open the window, read its two times, close it, and end its core."""
    times: dict[str, float] = {}
    command = [sys.executable, "-m", "workbench"]
    with subprocess.Popen([*command, str(project)], env=world, stderr=subprocess.PIPE, text=True) as window:
        assert window.stderr is not None
        for line in window.stderr:
            name, _, number = line.strip().partition(" ")
            if name in GOALS:
                times[name] = float(number)
            if len(times) == len(GOALS):
                break
        window.terminate()
        window.communicate(timeout=PATIENCE)
    subprocess.run([*command, "stop", "--project", str(project)], env=world, capture_output=True, check=False)
    if len(times) < len(GOALS):
        raise SystemExit("The window ended before it could be used.")
    return times


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
