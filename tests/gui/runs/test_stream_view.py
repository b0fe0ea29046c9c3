"""The output of a program: its colours are readable on the background of every theme."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QColor, QTextCursor

from workbench.gui.kit.colours import contrast
from workbench.gui.runs.stream_view import StreamView


def colours(view: StreamView) -> list[str]:
    """The colour of the first letter of each line."""
    found = []
    for line in range(view.blockCount() - 1):
        cursor = QTextCursor(view.document().findBlockByNumber(line))
        cursor.movePosition(QTextCursor.MoveOperation.Right)
        found.append(cursor.charFormat().foreground().color().name())
    return found


def test_what_is_printed_is_readable_after_the_theme_changed(theme: Any, qtbot: Any) -> None:
    theme.choose("light")
    view = StreamView(theme)
    qtbot.addWidget(view)
    view.append_output("stdout", "plain\n\x1b[31mred\x1b[0m\n\x1b[38;2;10;20;30mdark\x1b[0m\n")
    view.append_output("stderr", "fault\n")
    view.flush(last=True)
    light = colours(view)
    theme.choose("dark")
    dark = colours(view)
    assert light != dark
    ground = theme.colours.sunken
    assert all(contrast(QColor(colour).name(), ground) >= 3 for colour in dark)
    theme.choose("light")
    assert colours(view) == light
