"""The read-only view of a program: what could hide in it is drawn, and places of findings are found in it."""

from __future__ import annotations

from typing import Any

from workbench.gui.code.code_view import CodeView


def test_blanks_that_hide_code_are_drawn_and_columns_still_lead_to_their_place(theme: Any, qtbot: Any) -> None:
    view = CodeView(theme)
    qtbot.addWidget(view)
    view.show_code("a = 'ü'\nx = 1;" + " " * 400 + "delete('é')\n    y = 2\n")
    assert view.text().split("\n")[1] == "x = 1; ‹400 blanks› delete('é')"
    assert view.text().split("\n")[2] == "    y = 2"
    assert view.has_gaps()
    view.go_to_code(2, 6 + 400)
    assert view.textCursor().block().text()[view.textCursor().positionInBlock() :] == "delete('é')"
    view.go_to_code(2, 4)
    assert view.textCursor().positionInBlock() == 4
