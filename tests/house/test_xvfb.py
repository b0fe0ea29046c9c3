"""Runs the end-to-end tests and the window tests on a real X server, because some faults do not occur offscreen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PLATFORM = "MCP_WORKBENCH_TEST_PLATFORM"
HANG = 1800  # seconds; only prevents endless waiting on a busy machine
ON_SCREEN = ("tests/flows/test_window_walks_the_roads.py", "tests/gui/screens/test_screens.py")


@pytest.fixture
def display() -> Iterator[str]:
    """An X display on a number that the server itself finds free."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("Xvfb is not installed (Debian: xvfb)")
    reading, writing = os.pipe()
    screen = [program, "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(screen, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(60)


def test_the_roads_and_the_screens_work_on_a_real_x_server(display: str, root: Path) -> None:
    existing = [path for path in ON_SCREEN if (root / path).exists()]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *existing]
    world = {**os.environ, "DISPLAY": display, PLATFORM: "xcb", "QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(command, cwd=root, env=world, capture_output=True, text=True, check=False, timeout=HANG)
    if done.returncode != 0:
        pytest.fail(f"below Xvfb:\n{done.stdout[-12_000:]}\n{done.stderr[-4_000:]}", pytrace=False)
    print(done.stdout.splitlines()[-1])
