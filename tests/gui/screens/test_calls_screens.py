"""Draws the pane of calls and its dialogs into ./screenshots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.shell.navigation import ShowTool
from workbench.gui.tools.calls_pane import HISTORY, SAVED
from workbench.gui.tools.save_call import SaveCallDialog

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


def shoot(widget: Any, name: str) -> None:
    QTest.qWait(100)
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize(("colours", "width"), [("light", 1440), ("dark", 1440), ("light", 900)])
def test_calls_can_be_looked_at(
    window: Any, fake_core: Any, settled: Any, qtbot: Any, colours: str, width: int
) -> None:
    window.context.theme.choose(colours)
    window.resize(width, 900)
    window.context.go(ShowTool("demo", "list_orders"))
    window.docks["calls"].come()
    settled()
    name = f"{colours}-{width}"
    window.calls.show_list(SAVED)
    window.commands.do("calls.check")
    qtbot.waitUntil(lambda: len(window.calls.saved.results) == 3)
    window.calls.saved.list.select("calls/shop/front page.json")
    shoot(window, f"calls-saved-{name}")
    window.calls.show_list(HISTORY)
    settled()
    shoot(window, f"calls-history-{name}")
    window.commands.do("tool.save")
    qtbot.waitUntil(lambda: window.findChild(SaveCallDialog) is not None)
    settled()
    shoot(window.findChild(SaveCallDialog), f"calls-save-{name}")
    window.findChild(SaveCallDialog).reject()
    words = ("The answer departs at total.", '{\n "total": 4\n}', '{\n "total": 3\n}')
    dialog = DifferenceDialog(window.context, *words, window)
    dialog.open()
    shoot(dialog, f"calls-difference-{name}")
    dialog.reject()
