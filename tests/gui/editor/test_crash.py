"""A window that is killed while the user types without a pause: its draft is whole."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

from workbench.gui.editor.drafts import Drafts, digest_of
from workbench.gui.editor.program_tab import KEEP_MS

TYPIST = """
import asyncio, sys
from pathlib import Path
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from workbench.gui.app import make_loop, open_window
from workbench.paths import paths_of

application = QApplication([])
loop = make_loop(application)
window = open_window(application, paths_of(Path(sys.argv[1])))

async def type_on():
    window.centre.editor.open_code("typed", "first = 1\\n")
    editor = window.centre.editor.current_tab().editor
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    while True:
        QTest.keyClicks(editor, "x")
        await asyncio.sleep(0.01)

with loop:
    loop.run_until_complete(type_on())
"""


def test_a_killed_window_loses_only_the_last_moment(paths: Any) -> None:
    child = subprocess.Popen([sys.executable, "-c", TYPIST, str(paths.project)], stderr=subprocess.DEVNULL)
    try:
        drafts, end = Drafts(paths.editor), time.monotonic() + 60
        while not any(draft.code.count("x") >= 20 for draft in drafts.all()) and time.monotonic() < end:
            time.sleep(0.02)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    (draft,) = drafts.all()
    typed = draft.code.removeprefix("first = 1\n")
    assert len(typed) >= 20
    assert {*typed} == {"x"}
    assert draft.saved == digest_of("first = 1\n")


def test_the_pause_before_text_is_kept_is_short() -> None:
    assert KEEP_MS <= 1_000
