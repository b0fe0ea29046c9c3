"""The levels of isolation, each with what it is here or how to get it, and the command for that, ready to copy."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.gui.icons import icon, pixmap
from workbench.gui.text import ForeignLabel, plain_tip
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label
from workbench.records import Level

_COMMAND = re.compile(r"`([^`\n]{1,200})`")  # how a hint names what to run
_NEXT = ", then run `"
_OWN = "mcp-workbench"


class LevelsView(QWidget):
    """From the weakest to the strongest; told again when somebody looked again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.unit * 2)

    def show_levels(self, levels: tuple[Level, ...]) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for level in levels:
            self._column.addWidget(self._card(level))

    def _card(self, level: Level) -> QFrame:
        unit = self._theme.unit
        card = QFrame(self)
        mark(card, kind="card")
        grid = QGridLayout(card)
        grid.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        grid.setHorizontalSpacing(unit * 2)
        grid.setVerticalSpacing(unit)
        picture = QLabel()
        symbol, tone = ("check", "success") if level.available else ("circle", "faint")
        picture.setPixmap(pixmap(symbol, tone, unit * 4, self.devicePixelRatioF()))
        grid.addWidget(picture, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(label(self._name(level.name), "heading"), 0, 1)
        state = f"available ({level.backend})" if level.available else "not available"
        grid.addWidget(label(state, "muted"), 0, 2, Qt.AlignmentFlag.AlignRight)
        sentence = ForeignLabel(level.sentence)
        mark(sentence, role="muted")
        grid.addWidget(sentence, 1, 1, 1, 2)
        if level.hint:
            grid.addLayout(self._hint(level), 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        return card

    def _hint(self, level: Level) -> QHBoxLayout:
        row = QHBoxLayout()
        words = ForeignLabel(level.hint.replace("`", ""))
        row.addWidget(words, 1)
        commands = _COMMAND.findall(level.hint)
        commands = commands if _NEXT in level.hint else commands[-1:]  # all of them where one follows another
        if commands:
            copy = QPushButton(icon("copy", "muted"), "Copy command")
            copy.setAccessibleName(f"Copy: {' && '.join(commands)}")
            line = " && ".join(map(_at_home, commands))
            copy.setToolTip(plain_tip(line))
            mark(copy, kind="quiet")
            copy.setProperty("command", line)
            copy.clicked.connect(self._copy)
            row.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(str(self.sender().property("command")))

    def _name(self, name: str) -> str:
        return {
            "process": "Process",
            "container": "Container",
            "vm": "Virtual machine",
        }.get(name, name)


def _at_home(command: str) -> str:
    """As it works in any terminal: in an environment of its own the workbench is not on the PATH."""
    name, _, rest = command.partition(" ")
    if name != _OWN or shutil.which(_OWN):
        return command
    beside = Path(sys.executable).with_name(_OWN)
    words = [str(beside)] if beside.exists() else [sys.executable, "-m", "workbench"]
    return f"{shlex.join(words)} {rest}"
