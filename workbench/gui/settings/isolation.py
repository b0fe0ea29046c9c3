"""Dialog Sandbox strength: the locks of this machine's sandbox, and the isolation levels with their commands."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.text import ForeignLabel, plain_tip, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.records import CoreStatus, Level, Strength

_COMMAND = re.compile(r"`([^`\n]{1,200})`")  # how a hint marks a command
_SEVERAL_STEPS = ", then run `"
_PROGRAM = "mcp-workbench"
_LEVELS = {"process": "Process", "container": "Container", "vm": "Virtual machine"}
_STRENGTHS = {"full": "Full isolation", "reduced": "Reduced isolation", "none": "No isolation"}
_LOCKS = {
    "namespaces": "Programs have their own files, processes and network, not those of this machine.",
    "seccomp": "Programs can use only the system calls of an allow list.",
    "Landlock": "A second lock on files: programs cannot open any other file.",
    "inode quota": "The number of temporary files is limited, not only their size.",
    "no files of yours": "A test program could not open a file of yours.",
    "read-only root": "Programs can write only to their workspace, home and temporary folder.",
    "no network": "Programs cannot connect to anything. The workbench connects to tools and allowed hosts for them.",
    "no processes": "Programs cannot start or reach other processes.",
    "not root": "Programs run as an ordinary user or as nobody, whoever started the workbench.",
    "no capabilities": "Programs have none of the rights of root and cannot get any.",
}


class LevelsView(QWidget):
    """One card for each isolation level, the weakest first."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._theme = context.theme
        self._column = column(self, spacing=context.theme.unit * 2)

    def show_levels(self, levels: tuple[Level, ...]) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for level in levels:
            self._column.addWidget(self._make_card(level))

    def _make_card(self, level: Level) -> QFrame:
        unit = self._theme.unit
        card = QFrame(self)
        mark(card, kind="card")
        grid = QGridLayout(card)
        grid.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        grid.setHorizontalSpacing(unit * 2)
        grid.setVerticalSpacing(unit)
        symbol, tone = ("check", "success") if level.available else ("circle", "faint")
        state = f"Available ({level.backend})" if level.available else "Not available"
        sentence = ForeignLabel(level.sentence)
        mark(sentence, role="muted")
        grid.addWidget(_picture(self._theme, symbol, tone), 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(label(_LEVELS.get(level.name, level.name), "heading"), 0, 1)
        grid.addWidget(label(state, "muted"), 0, 2, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(sentence, 1, 1, 1, 2)
        if level.hint:
            grid.addLayout(self._make_hint(level.hint), 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        return card

    def _make_hint(self, hint: str) -> QHBoxLayout:
        """The hint, and a button that copies its commands."""
        text = ForeignLabel(hint.replace("`", ""))
        line = row(None, text, grows=text, spacing=self._theme.unit * 2)
        commands = _COMMAND.findall(hint)
        commands = commands if _SEVERAL_STEPS in hint else commands[-1:]  # otherwise they are alternatives
        if commands:
            command = " && ".join(map(_runnable, commands))
            copy = QPushButton(icon("copy", "muted"), "Copy command")
            copy.setAccessibleName(f"Copy: {' && '.join(commands)}")
            copy.setToolTip(plain_tip(command))
            copy.clicked.connect(partial(self._copy, command))
            mark(copy, kind="quiet")
            line.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        return line

    def _copy(self, command: str, _checked: bool = False) -> None:
        QGuiApplication.clipboard().setText(command)
        self._context.say("Copied the command.")


def _runnable(command: str) -> str:
    """The command with a full path if the workbench is not on the PATH, as in a virtual environment."""
    name, _, arguments = command.partition(" ")
    if name != _PROGRAM or shutil.which(_PROGRAM):
        return command
    script = Path(sys.executable).with_name(_PROGRAM)
    program = [str(script)] if script.exists() else [sys.executable, "-m", "workbench"]
    return f"{shlex.join(program)} {arguments}"


class LocksView(QWidget):
    """The locks of the sandbox: what each does, whether this machine has it, and how to get it."""

    def __init__(self, theme: Theme, strength: Strength, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.unit * 3)
        self._grid.setVerticalSpacing(theme.unit)
        self._grid.setColumnStretch(2, 1)
        for name, has_lock in strength.features.items():
            self._add_lock(name, has_lock, "" if has_lock else strength.fixes.get(name, ""))

    def _add_lock(self, name: str, has_lock: bool, fix: str) -> None:
        line, top = self._grid.rowCount(), Qt.AlignmentFlag.AlignTop
        answer, symbol, tone = ("yes", "check", "success") if has_lock else ("no", "close", "danger")
        meaning = _LOCKS.get(name, "")
        if fix:
            meaning = f"{meaning} To get it: {visible(fix)}".strip()
        sentence = paragraph(meaning, "muted")
        sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        sentence.setAccessibleName(f"{visible(name)}: {answer}. {meaning}")
        self._grid.addWidget(_picture(self._theme, symbol, tone), line, 0, top)
        self._grid.addWidget(label(visible(name)), line, 1, top)
        self._grid.addWidget(sentence, line, 2)
        self._grid.addWidget(label(answer, "muted"), line, 3, top | Qt.AlignmentFlag.AlignRight)


def _picture(theme: Theme, symbol: str, tone: str) -> QLabel:
    picture = QLabel()
    picture.setPixmap(pixmap(symbol, tone, theme.unit * 4, picture.devicePixelRatioF()))
    return picture


class IsolationDialog(Dialog):
    """Looks for isolation levels again when it opens, because one may have been installed since the core started."""

    def __init__(self, context: Context, status: CoreStatus, parent: QWidget | None = None) -> None:
        strength = status.strength
        title = f"{_STRENGTHS.get(strength.level, strength.level)} ({strength.backend})"
        super().__init__(context.theme, title, "What this machine offered when the core started:", parent)
        self._context = context
        self.setWindowTitle("Sandbox strength")
        self.setMinimumWidth(context.theme.unit * 170)
        self._levels = LevelsView(context)
        self.body.addWidget(LocksView(context.theme, strength))
        for text, role in ((strength.reason, "warning"), (strength.hint, "muted")):
            if text:
                self.body.addWidget(paragraph(visible(text), role))
        self.body.addWidget(label("Levels", "section"))
        explanation = "A program gets the level that the isolation settings require for its risk, or a stronger one."
        self.body.addWidget(paragraph(explanation, "muted"))
        self.body.addWidget(self._levels)
        self.body.addStretch(1)
        self.add_button("Check again", self._check, left=True).setIcon(icon("refresh", "muted"))
        self.add_close()
        self._show_levels(status.levels)
        self._check()

    def _check(self) -> None:
        self.run(self._context.tasks, "check isolation levels", self._read_levels())

    async def _read_levels(self) -> None:
        self._show_levels(await self._context.api.levels())

    def _show_levels(self, levels: tuple[Level, ...]) -> None:
        self._levels.show_levels(levels)
        self.fit_height()
