from __future__ import annotations

from typing import Any

from workbench.gui.shell.search_button import SearchButton


def test_it_gives_the_menus_its_room_and_is_called_the_same(window: Any, qtbot: Any) -> None:
    button = window.menuBar().cornerWidget()
    assert isinstance(button, SearchButton)
    named = button.accessibleName()
    window.resize(1400, 800)
    qtbot.waitUntil(lambda: button.text() == named)
    window.resize(700, 600)
    qtbot.waitUntil(lambda: button.text() == "Search   Ctrl+K")
    assert button.accessibleName() == named
    window.resize(1400, 800)
    qtbot.waitUntil(lambda: button.text() == named)
    assert button.width() >= button.sizeHint().width()
