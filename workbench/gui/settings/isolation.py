"""The levels of isolation, each with what it is here or how to get it, and the command for that, ready to copy."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel, plain_tip, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.records import CoreStatus, Level, Strength

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


class LocksView(QWidget):
    """Read only."""

    def __init__(self, theme: Theme, strength: Strength, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.unit * 3)
        self._grid.setVerticalSpacing(theme.unit)
        self._grid.setColumnStretch(2, 1)
        meanings = self._meanings()
        for name, there in strength.features.items():
            self._add(name, there, self._words(meanings.get(name, ""), there, strength.fixes.get(name, "")))

    def _add(self, name: str, there: bool, meaning: str) -> None:
        place, top = self._grid.rowCount(), Qt.AlignmentFlag.AlignTop
        picture = QLabel()
        symbol, tone = ("check", "success") if there else ("close", "danger")
        picture.setPixmap(pixmap(symbol, tone, self._theme.unit * 4, self.devicePixelRatioF()))
        answer = "yes" if there else "no"
        words = label(meaning, "muted")
        words.setWordWrap(True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setAccessibleName(f"{visible(name)}: {answer}. {meaning}")
        self._grid.addWidget(picture, place, 0, top)
        self._grid.addWidget(label(visible(name)), place, 1, top)
        self._grid.addWidget(words, place, 2)
        self._grid.addWidget(label(answer, "muted"), place, 3, top | Qt.AlignmentFlag.AlignRight)

    def _words(self, meaning: str, there: bool, fix: str) -> str:
        """What it means; where it is missing, the line that brings it."""
        return meaning if there or not fix else f"{meaning} To have it: {visible(fix)}".strip()

    def _meanings(self) -> dict[str, str]:
        return {
            "namespaces": "It sees files, processes and a network of its own, none of this machine's.",
            "seccomp": "Only the system calls on a list are answered.",
            "Landlock": "A second lock on files: nothing else can be opened, wherever it lies.",
            "inode quota": "Temporary folders have an end for the number of files, not only for their size.",
            "no files of yours": "A file of yours was laid out, and could not be opened.",
            "read-only root": "Nothing outside its workspace, home and temporary folder can be written.",
            "no network": "No connection can be made; tools and places you open are reached by the workbench.",
            "no processes": "No other program can be started, and no other process be reached.",
            "not root": "It runs as an ordinary user or as nobody, whoever started the workbench.",
            "no capabilities": "It has none of the rights that root is made of, and can gain none.",
        }


class StrengthDialog(QDialog):
    """Read only; what is missing can be installed meanwhile and looked for again."""

    def __init__(self, context: Context, status: CoreStatus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme, strength = context.theme, status.strength
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Sandbox strength")
        self.setMinimumWidth(theme.unit * 170)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(*(theme.unit * 6,) * 4)
        outer.setSpacing(theme.unit * 3)
        column = self._scrolled(outer)
        column.setSpacing(theme.unit * 3)
        column.addWidget(label(self._title(strength), "heading"))
        column.addWidget(_wrapped("What this machine was found to give when the core started:", "muted"))
        column.addWidget(LocksView(theme, strength))
        if strength.reason:
            column.addWidget(_wrapped(visible(strength.reason), "warning"))
        if strength.hint:
            column.addWidget(_wrapped(visible(strength.hint), "muted"))
        column.addWidget(label("Levels", "section"))
        words = "A program gets the level that its risk requires (isolation settings), or a stronger one."
        column.addWidget(_wrapped(words, "muted"))
        self._levels = LevelsView(theme)
        column.addWidget(self._levels)
        self._show(status.levels)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._again = close.addButton("Look again", QDialogButtonBox.ButtonRole.ActionRole)
        self._again.setIcon(icon("refresh", "muted"))
        self._again.clicked.connect(self._look_again)
        close.rejected.connect(self.reject)
        outer.addWidget(close)
        self._look_again()

    def _scrolled(self, outer: QVBoxLayout) -> QVBoxLayout:
        """Where the words go: a low screen shows a part of them, and the buttons always."""
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName("Locks and levels")
        self._words = QWidget()
        self._area.setWidget(self._words)
        outer.addWidget(self._area, 1)
        column = QVBoxLayout(self._words)
        column.setContentsMargins(0, 0, 0, 0)
        return column

    def _look_again(self) -> None:
        """Somebody may have built what was missing since the core looked."""
        self._again.setEnabled(False)
        looking = self._context.tasks.run("look for isolation", self._context.api.levels(), self._show)
        looking.add_done_callback(self._looked)

    def _looked(self, looking: object) -> None:
        if isValid(self):
            self._again.setEnabled(True)

    def _show(self, levels: tuple[Level, ...]) -> None:
        if isValid(self):
            self._levels.show_levels(levels)
            self._fit()

    def _fit(self) -> None:
        """Wrapped words need more room than there was before them."""
        layout, words = self.layout(), self._words.layout()
        if layout is None or words is None:
            return
        words.activate()
        unit, width = self._context.theme.unit, max(self.width(), self.minimumWidth())
        around = layout.sizeHint().height() - self._area.sizeHint().height()
        wanted = words.totalHeightForWidth(width - unit * 12) + around
        self.resize(width, min(wanted, self.screen().availableSize().height() - unit * 12))

    def _title(self, strength: Strength) -> str:
        words = {
            "full": "Full isolation",
            "reduced": "Reduced isolation",
            "none": "No isolation",
        }
        return f"{words.get(strength.level, strength.level)} ({strength.backend})"


def _wrapped(text: str, role: str) -> QLabel:
    made = label(text, role)
    made.setWordWrap(True)
    return made
