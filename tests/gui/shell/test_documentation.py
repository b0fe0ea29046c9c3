"""The window of the documentation by keyboard, and on a small screen."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication

from workbench.gui.shell.documentation import Documentation

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def documentation(theme: Any, qtbot: Any) -> Documentation:
    made = Documentation(theme)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # so that a test can see that it was closed
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def press(key: Qt.Key, qtbot: Any, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(QApplication.focusWidget(), key, modifiers)


@pytest.mark.parametrize(
    ("key", "modifiers"), [(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_W, CONTROL)]
)
@pytest.mark.parametrize("place", ["browser", "list", "search"])
def test_escape_and_ctrl_w_close_it(
    documentation: Documentation, qtbot: Any, key: Qt.Key, modifiers: Qt.KeyboardModifier, place: str
) -> None:
    pages = documentation.pages
    {"browser": documentation.browser, "list": pages.view, "search": pages.finder}[place].setFocus()
    press(key, qtbot, modifiers)
    assert not documentation.isVisible()


def test_ctrl_f_goes_to_the_search_and_escape_clears_it_first(documentation: Documentation, qtbot: Any) -> None:
    documentation.browser.setFocus()
    press(Qt.Key.Key_F, qtbot, CONTROL)
    assert QApplication.focusWidget() is documentation.pages.finder
    qtbot.keyClicks(QApplication.focusWidget(), "skill")
    press(Qt.Key.Key_Escape, qtbot)
    assert documentation.pages.search_text() == ""
    assert documentation.isVisible()


def test_f6_goes_from_the_pages_to_the_text_and_back(documentation: Documentation, qtbot: Any) -> None:
    documentation.pages.view.setFocus()
    press(Qt.Key.Key_F6, qtbot)
    assert QApplication.focusWidget() is documentation.browser
    press(Qt.Key.Key_F6, qtbot, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is documentation.pages.view


def test_on_a_small_screen_there_is_room_for_the_frame_of_the_window(theme: Any, qtbot: Any, monkeypatch: Any) -> None:
    small = QRect(0, 0, 1024, 700)
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _screen: small)
    made = Documentation(theme)
    qtbot.addWidget(made)
    assert made.height() <= small.height() - 32
    assert small.contains(made.geometry())
