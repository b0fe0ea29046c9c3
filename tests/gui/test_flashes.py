"""Nothing is a window of its own while it is made: it would flash, take the keyboard, and close what waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.main_window import MainWindow
from workbench.gui.privacy.privacy_pane import PrivacyPane
from workbench.gui.settings.repl_sessions import ReplSessionsDialog
from workbench.gui.shell.bridge import NOT_CONNECTED, Bridge
from workbench.gui.skills.tests_page import TestsPage as SkillTestsPage


class Flashes(QObject):
    """Notes every window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(f"{type(watched).__name__} {watched.objectName()}")
        return False


@pytest.fixture
def flashes(qapp: QApplication) -> Iterator[Flashes]:
    made = Flashes()
    qapp.installEventFilter(made)
    yield made
    qapp.removeEventFilter(made)


async def _nowhere() -> Any:
    raise WorkbenchError("There is no core.")


def test_no_part_of_the_window_flashes_while_it_is_made(context: Any, flashes: Flashes, qtbot: Any) -> None:
    window = MainWindow(context, Bridge(_nowhere))
    qtbot.addWidget(window, before_close_func=lambda _: None)
    window.make_late_panes()
    window.centre.make_all()
    window.banners.show_fault(NOT_CONNECTED)
    assert flashes.seen == []


@pytest.mark.parametrize("kind", [SkillTestsPage, PrivacyPane, ReplSessionsDialog])
def test_no_page_flashes_while_it_is_made(kind: Any, context: Any, flashes: Flashes, qtbot: Any) -> None:
    made = kind(context)
    qtbot.addWidget(made)
    assert flashes.seen == []
