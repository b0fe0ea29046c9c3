"""The window as a process of its own: what it imports before the first frame, and how it leaves."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from workbench.paths import Paths

LOOK = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from workbench.paths import paths_of
from workbench.gui.app import open_window
app = QApplication([])
window = open_window(app, paths_of(Path(sys.argv[1])))
window.show()
app.processEvents()
slow = {"mcp", "keyring", "pygments", "pydantic", "qasync", "sqlite3"}
print(sorted({name.split(".")[0] for name in sys.modules} & slow))
print(window.isVisible(), "workbench.api.client" in sys.modules)
"""


def test_the_first_frame_needs_nothing_slow(paths: Paths) -> None:
    done = subprocess.run([sys.executable, "-c", LOOK, str(paths.project)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", "True False"]


@pytest.mark.parametrize("ending", ["close", "signal"])
def test_the_window_leaves_in_order(paths: Paths, ending: str, tmp_path: Any) -> None:
    script = LIVE.format(ending=ending)
    done = subprocess.run(
        [sys.executable, "-c", script, str(paths.project)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "left 0 tasks" in done.stdout
    assert "Traceback" not in done.stderr
    assert paths.window.exists()


LIVE = """
import asyncio, os, signal, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from workbench import events
from workbench.gui import app as door
from workbench.paths import paths_of

app = QApplication([])
window = door.open_window(app, paths_of(Path(sys.argv[1])))
async def no_core():
    await asyncio.sleep(60)
window.bridge._connect = no_core
window.show()
loop = door.make_loop(app)
QTimer.singleShot(300, window.close if "{ending}" == "close" else lambda: os.kill(os.getpid(), signal.SIGTERM))
with loop:
    loop.run_until_complete(door.live(window))
print("left", len(events.living()), "tasks")
"""
