"""Parts of the approval dialog: its head, the hosts to tick, what the program resembles, and the scope."""

from __future__ import annotations

import time
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import ago, bounds_words, language_word, risk_word
from workbench.records import Likeness, Origin, Resemblance, Risk, Run, ValueChange

_LONGEST_PURPOSE = 240  # characters of the purpose that are shown; the tooltip has all of it


class ApprovalHead(QFrame):
    """What the program does, how risky it is, who wants to run it, and what its author claims."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self.sentence = ForeignLabel()
        mark(self.sentence, role="title")
        self.badge = label("", "badge", self)
        self._author = ForeignLabel(elide=True)
        self._tag = label("claimed", "badge", self)
        mark(self._tag, tone="muted")
        self.purpose = ForeignLabel()
        self.isolation = ForeignLabel()
        mark(self.isolation, role="warning")
        self._bounds = ForeignLabel()
        for text in (self._author, self.purpose, self._bounds):
            mark(text, role="muted")
        unit = theme.unit
        column = QVBoxLayout()
        column.setSpacing(unit + unit // 2)
        column.addWidget(self.sentence)
        column.addLayout(_badge_row(self.badge, self._author, unit))
        column.addLayout(_badge_row(self._tag, self.purpose, unit))
        column.addWidget(self.isolation)
        column.addWidget(self._bounds)
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 4, unit * 4, unit * 4, unit * 3)
        row.setSpacing(unit * 3)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)

    def show_run(self, run: Run) -> None:
        verdict = run.verdict
        risk = risk_word(verdict.risk if verdict else Risk.HIGH)
        self._picture.setPixmap(pixmap(risk.icon, risk.tone, self._theme.unit * 7, self.devicePixelRatioF()))
        self.sentence.setText(verdict.sentence if verdict else "This program has not been assessed yet.")
        mark(self.badge, tone=risk.tone)
        self.badge.setText(risk.text if verdict else "Not assessed")
        self._author.setText(_who_wants_what(run))
        purpose = "" if run.proposal.origin is Origin.PERSON else run.proposal.purpose  # the user claims nothing
        self.purpose.setText(f"“{one_line(purpose, _LONGEST_PURPOSE)}”" if purpose else "")
        self.purpose.setToolTip(plain_tip(purpose))
        self._tag.setVisible(bool(purpose))
        self.purpose.setVisible(bool(purpose))
        bounds = bounds_words(verdict) if verdict else ""
        self._bounds.setText(bounds)
        self._bounds.setVisible(bool(bounds))
        self.isolation.setText(run.isolation)
        self.isolation.setVisible(bool(run.isolation))


def _who_wants_what(run: Run) -> str:
    language, state = run.proposal.language, run.proposal.state
    program = "this program" if language == "python" else f"this {language_word(language)} program"
    own = run.proposal.origin is Origin.PERSON
    who = "You want" if own else f"The agent “{run.proposal.author}” wants"
    session = f" It continues the REPL session “{state}”." if state else ""
    return f"{who} to run {program}.{session}"


def _badge_row(badge: QLabel, text: ForeignLabel, unit: int) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(unit * 2)
    row.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(text, 1)
    return row


_HOSTS_VISIBLE = 4  # without scrolling
_LONGEST_HOST = 100  # characters of a host that are shown; the tooltip has all of it


class HostTicks(QFrame):
    """Hosts that the program names and no rule allows, to tick. Hidden where there are none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hosts: tuple[str, ...] = ()
        self.boxes: list[TickBox] = []
        mark(self, kind="strip")
        self._column = QVBoxLayout(self)
        unit = theme.unit
        self._column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 2)
        head = label("The program names hosts that no rule allows. It can reach only those that you tick.", "muted")
        head.setWordWrap(True)
        self._column.addWidget(head)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._column.addWidget(self._area)
        self.hide()

    def show_hosts(self, hosts: tuple[str, ...]) -> None:
        """No host is ticked, even if an earlier text named the same ones."""
        self._hosts = hosts
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self._theme.unit)
        self.boxes = [self._box(host) for host in hosts]
        for box in self.boxes:
            column.addWidget(box)
        column.addStretch()
        self._area.setWidget(inner)
        line = self.fontMetrics().lineSpacing() + self._theme.unit * 3
        self._area.setFixedHeight(line * min(len(hosts), _HOSTS_VISIBLE) + self._theme.unit)
        self.setVisible(bool(hosts))

    def ticked(self) -> tuple[str, ...]:
        return tuple(host for host, box in zip(self._hosts, self.boxes, strict=True) if box.isChecked())

    def _box(self, host: str) -> TickBox:
        box = TickBox(self._theme, f"Allow {one_line(host, _LONGEST_HOST)} for this run")
        box.setToolTip(plain_tip(one_line(host, 300)))
        return box


_CHANGES_SHOWN = 6  # changed values; the difference shows all of them


class LikenessStrip(QFrame):
    """Which allowed program this one resembles, and the values that differ. Hidden where there is none."""

    line_wanted = Signal(int)
    compare_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        unit = theme.unit
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._sentence_label = ForeignLabel()
        self.compare = QPushButton("Compare", self)
        self.compare.setToolTip("Show how it differs from the program that you allowed, line by line")
        self.compare.setAutoDefault(True)
        mark(self.compare, kind="chip")
        self.compare.clicked.connect(self.compare_wanted)
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._sentence_label, 1)
        row.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 2)
        self._column.setSpacing(unit)
        self._column.addLayout(row)
        self._table = QWidget(self)
        self._column.addWidget(self._table)
        self.hide()

    def show_likeness(self, like: Resemblance | None) -> None:
        self.setVisible(like is not None)
        if like is None:
            return
        self._picture.setPixmap(pixmap("history", "accent", self._theme.unit * 4, self.devicePixelRatioF()))
        self._sentence_label.setText(self._sentence(like))
        self.compare.setVisible(like.likeness is not Likeness.TEXT)
        self._show_changes(like.changes)

    def sentence(self) -> str:
        return "" if self.isHidden() else self._sentence_label.full_text()

    def _sentence(self, like: Resemblance) -> str:
        when = "just now" if time.time() - like.at < 60 else f"{ago(like.at)} ago"
        if like.likeness is Likeness.TEXT:
            return f"You allowed exactly this program {when}."
        if like.likeness is Likeness.TREE:
            return f"You allowed this program {when}: only spacing or comments changed."
        if like.likeness is Likeness.NEAR:
            return f"Most of its lines are those of a program that you allowed {when}."
        new_destination = any(change.destination for change in like.changes)
        return f"You allowed this program {when} with other values." + (
            " It has a different destination now." if new_destination else ""
        )

    def _show_changes(self, changes: tuple[ValueChange, ...]) -> None:
        """Old and new values beside each other, changed destinations first."""
        self._column.removeWidget(self._table)
        self._table.deleteLater()
        self._table = QWidget(self)
        grid = QGridLayout(self._table)
        grid.setContentsMargins(self._theme.unit * 6, 0, 0, 0)
        grid.setHorizontalSpacing(self._theme.unit * 2)
        grid.setVerticalSpacing(self._theme.unit)
        grid.setColumnStretch(3, 1)
        for row, change in enumerate(sorted(changes, key=lambda change: not change.destination)[:_CHANGES_SHOWN]):
            self._add(grid, row, change)
        if len(changes) > _CHANGES_SHOWN:
            more = ForeignLabel(f"and {len(changes) - _CHANGES_SHOWN} more")
            mark(more, role="muted")
            grid.addWidget(more, _CHANGES_SHOWN, 0, 1, 4)
        self._column.addWidget(self._table)
        self._table.setVisible(bool(changes))

    def _add(self, grid: QGridLayout, row: int, change: ValueChange) -> None:
        link = QPushButton(f"line {change.line}")
        link.setAutoDefault(True)
        link.setAccessibleName(f"Go to line {change.line}, where a value changed")
        mark(link, kind="link")
        link.clicked.connect(partial(self._go_to, change.line))
        grid.addWidget(link, row, 0)
        for column, text in enumerate((f"− {change.before}", f"+ {change.after}"), 1):
            value = ForeignLabel(one_line(text, 90))
            value.setWordWrap(False)
            mark(value, role="mono")
            grid.addWidget(value, row, column)
        if change.destination:
            note = ForeignLabel("a different destination")
            mark(note, role="warning")
            grid.addWidget(note, row, 3)

    def _go_to(self, line: int, _checked: bool = False) -> None:
        self.line_wanted.emit(line)


ONCE: Final = "once"
SCOPE_NAMES: Final = {
    ONCE: "Once",
    "session": "This session",
    "text": "This text",
    "server": "This server",
}


class ScopeButton(QPushButton):
    """What Allow means: this run only, or more. Choosing decides nothing; a different text starts with “Once” again."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scope = ONCE
        self.setAutoDefault(True)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self.setMenu(self._menu)
        self._group: QActionGroup | None = None

    def show_run(self, run: Run) -> None:
        self._menu.clear()
        self._group = QActionGroup(self._menu)
        for scope in (ONCE, *run.scopes):
            self._add(scope, run)
        if run.scopes_why:
            self._menu.addSeparator()
            self._menu.addAction(run.scopes_why).setEnabled(False)
        self._choose(ONCE)

    def actions_by_scope(self) -> dict[str, QAction]:
        return {str(action.data()): action for action in self._menu.actions() if action.data()}

    def _add(self, scope: str, run: Run) -> None:
        action = self._menu.addAction(scope_sentence(scope, run))
        action.setData(scope)
        action.setCheckable(True)
        if self._group is not None:
            self._group.addAction(action)
        action.triggered.connect(partial(self._choose, scope))

    def _choose(self, scope: str, _checked: bool = True) -> None:
        self.scope = scope
        self.actions_by_scope()[scope].setChecked(True)
        self.setText(SCOPE_NAMES[scope])
        self.setAccessibleName(f"Scope of the approval: {SCOPE_NAMES[scope]}")
        self.setToolTip(self.actions_by_scope()[scope].text())
        self.chosen.emit()


def scope_sentence(scope: str, run: Run) -> str:
    """What Allow would mean, as a sentence."""
    use = next(iter(run.verdict.tools), None) if run.verdict is not None else None
    return {
        ONCE: "Once: only this run",
        "session": f"This session: exactly this text, until {run.proposal.author} disconnects or the core ends",
        "text": "Exactly this text, from any agent, until the rule expires or a definition changes",
        "server": f"Everything that {use.server if use is not None else ''} does, except what is of high risk",
    }[scope]
