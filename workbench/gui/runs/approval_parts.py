"""Parts of the approval dialog: head, hosts, likeness, scope, typed name, foot."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.api.client_texts import confirmation_name
from workbench.gui.kit.controls import FoldingRow, RoomyButton, TickBox
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import ago, bounds_words, countdown, language_word, risk_word
from workbench.gui.runs.allow_button import AllowButton
from workbench.records import Likeness, Origin, Resemblance, Risk, Run, ValueChange


class ApprovalHead(QFrame):
    """The claim stands apart and is called one, because its author may be wrong or lie."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._sentence = ForeignLabel()
        mark(self._sentence, role="title")
        self._badge = QLabel(self)
        self._badge.setTextFormat(Qt.TextFormat.PlainText)
        mark(self._badge, role="badge", tone="muted")
        self._author = ForeignLabel(elide=True)
        mark(self._author, role="muted")
        self._tag = QLabel("claimed")
        mark(self._tag, role="badge", tone="muted")
        self._claim = ForeignLabel()
        mark(self._claim, role="muted")
        self._isolation = ForeignLabel()
        mark(self._isolation, role="warning")
        self._bounds = ForeignLabel()
        mark(self._bounds, role="muted")
        self._lay_out(theme.unit)

    def _lay_out(self, unit: int) -> None:
        words = QVBoxLayout()
        words.setSpacing(unit + unit // 2)
        words.addWidget(self._sentence)
        words.addLayout(_beside(self._badge, self._author, unit))
        words.addLayout(_beside(self._tag, self._claim, unit))
        words.addWidget(self._isolation)
        words.addWidget(self._bounds)
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 4, unit * 4, unit * 4, unit * 3)
        row.setSpacing(unit * 3)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    def show_run(self, run: Run) -> None:
        verdict = run.verdict
        word = risk_word(verdict.risk if verdict else Risk.HIGH)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 7, self.devicePixelRatioF()))
        self._sentence.setText(verdict.sentence if verdict else "This program was not assessed yet.")
        mark(self._badge, role="badge", tone=word.tone)
        self._badge.setText(word.text if verdict else "Not assessed")
        self._author.setText(self._who(run))
        purpose = "" if run.proposal.origin is Origin.PERSON else run.proposal.purpose  # a person claims nothing
        self._claim.setText(f"“{purpose}”" if purpose else "")
        self._tag.setVisible(bool(purpose))
        self._claim.setVisible(bool(purpose))
        bounds = bounds_words(verdict) if verdict else ""
        self._bounds.setText(bounds)
        self._bounds.setVisible(bool(bounds))
        self._isolation.setText(run.isolation)
        self._isolation.setVisible(bool(run.isolation))

    def _who(self, run: Run) -> str:
        language, state = run.proposal.language, run.proposal.state
        kind = "this program" if language == "python" else "this {0} program"
        what = kind.format(language_word(language))
        where = f" It goes on in the REPL session “{state}”." if state else ""
        if run.proposal.origin is Origin.PERSON:
            return f"You want to run {what}." + where
        return f"The agent “{run.proposal.author}” wants to run {what}." + where


def _beside(badge: QLabel, words: ForeignLabel, unit: int) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(unit * 2)
    row.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(words, 1)
    return row


_SHOWN = 4  # hosts that are seen without scrolling
_LONGEST = 100  # letters of a host that are shown; the tip has all


class HostTicks(QFrame):
    """Hidden where there is nothing to tick."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hosts: tuple[str, ...] = ()
        self.boxes: list[TickBox] = []
        mark(self, kind="strip")
        self._column = QVBoxLayout(self)
        unit = theme.unit
        self._column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 2)
        words = "It names hosts that no rule opens. What is not ticked stays closed when you allow it."
        head = label(words, "muted")
        head.setWordWrap(True)
        self._column.addWidget(head)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._column.addWidget(self._area)
        self.hide()

    def show_hosts(self, hosts: tuple[str, ...]) -> None:
        """Another text begins unticked, though it names the same hosts."""
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
        self._area.setFixedHeight(line * min(len(hosts), _SHOWN) + self._theme.unit)
        self.setVisible(bool(hosts))

    def ticked(self) -> tuple[str, ...]:
        return tuple(host for host, box in zip(self._hosts, self.boxes, strict=True) if box.isChecked())

    def _box(self, host: str) -> TickBox:
        box = TickBox(self._theme, f"Allow {one_line(host, _LONGEST)} for this run")
        box.setToolTip(plain_tip(one_line(host, 300)))
        return box


_CHANGES_SHOWN = 6  # changed values that stand here; the diff has all


class LikenessStrip(QFrame):
    """Hidden where nothing resembles the program."""

    line_wanted = Signal(int)
    compare_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        unit = theme.unit
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._words = ForeignLabel()
        self.compare = QPushButton("Compare", self)
        self.compare.setToolTip("Show the difference to the program that was allowed, line by line")
        self.compare.setAutoDefault(True)
        mark(self.compare, kind="chip")
        self.compare.clicked.connect(self.compare_wanted)
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
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
        self._words.setText(self._sentence(like))
        self.compare.setVisible(like.likeness is not Likeness.TEXT)
        self._show_changes(like.changes)

    def sentence(self) -> str:
        return "" if self.isHidden() else self._words.full_text()

    def _sentence(self, like: Resemblance) -> str:
        when = "just now" if time.time() - like.at < 60 else f"{ago(like.at)} ago"
        if like.likeness is Likeness.TEXT:
            return f"You allowed exactly this program {when}."
        if like.likeness is Likeness.TREE:
            return f"You allowed this program {when}: only spacing or comments changed."
        if like.likeness is Likeness.NEAR:
            return f"Most of its lines are those of a program that you allowed {when}."
        aims = sum(change.destination for change in like.changes)
        words = f"You allowed this program {when} with other values."
        return f"{words} {'It goes somewhere else now.'}" if aims else words

    def _show_changes(self, changes: tuple[ValueChange, ...]) -> None:
        """Old and new beside each other; where something goes somewhere else stands first."""
        self._column.removeWidget(self._table)
        self._table.deleteLater()
        self._table = QWidget(self)
        grid = QGridLayout(self._table)
        grid.setContentsMargins(self._theme.unit * 6, 0, 0, 0)
        grid.setHorizontalSpacing(self._theme.unit * 2)
        grid.setVerticalSpacing(self._theme.unit)
        grid.setColumnStretch(3, 1)
        for row, change in enumerate(sorted(changes, key=lambda one: not one.destination)[:_CHANGES_SHOWN]):
            self._add(grid, row, change)
        if len(changes) > _CHANGES_SHOWN:
            more = ForeignLabel(f"and {len(changes) - _CHANGES_SHOWN} more")
            mark(more, role="muted")
            grid.addWidget(more, _CHANGES_SHOWN, 0, 1, 4)
        self._column.addWidget(self._table)
        self._table.setVisible(bool(changes))

    def _add(self, grid: QGridLayout, row: int, change: ValueChange) -> None:
        link = QPushButton(f"line {change.line}")
        link.setProperty("line", change.line)
        link.setAutoDefault(True)
        link.setAccessibleName(f"Go to line {change.line}, where a value changed")
        mark(link, kind="link")
        link.clicked.connect(self._go)
        grid.addWidget(link, row, 0)
        for column, text in enumerate((f"− {change.before}", f"+ {change.after}"), 1):
            words = ForeignLabel(one_line(text, 90))
            words.setWordWrap(False)
            mark(words, role="mono")
            grid.addWidget(words, row, column)
        if change.destination:
            note = ForeignLabel("goes somewhere else")
            mark(note, role="warning")
            grid.addWidget(note, row, 3)

    def _go(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.line_wanted.emit(int(button.property("line")))


class NameToType(QWidget):
    """Hidden while nothing has to be typed."""

    typed = Signal()

    def __init__(self, theme: Theme, spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        self._words = ForeignLabel()
        self._words.setWordWrap(False)
        self.line = QLineEdit()
        self.line.setAccessibleName(spoken)
        self.line.textChanged.connect(self.typed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.unit * 2)
        row.addWidget(self._words)
        row.addWidget(self.line, 1)
        self.hide()

    @property
    def name(self) -> str:
        """What must be typed; empty: nothing."""
        return self._name

    def ask(self, name: str, words: str) -> None:
        """Ask for this name, in words with a place for it; what was typed for another one is gone."""
        if name != self._name:
            self.line.clear()
        self._name = name
        self._words.setText(words.format(visible(name)))
        self.line.setPlaceholderText(visible(name))
        self.setVisible(bool(name))

    def right(self) -> bool:
        return not self._name or self.line.text().strip() == self._name

    def type(self, text: str) -> None:
        """As a person would."""
        self.line.setText(text)


ONCE: Final = "once"


class ScopeButton(QPushButton):
    """Choosing decides nothing: it says what Allow would mean. It falls back to once with every other text."""

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
        self.setText(short_word(scope))
        self.setAccessibleName(f"Scope of the approval: {short_word(scope)}")
        self.setToolTip(self.actions_by_scope()[scope].text())
        self.chosen.emit()


def short_word(scope: str) -> str:
    return {
        ONCE: "Once",
        "session": "This session",
        "text": "This text",
        "server": "This server",
    }[scope]


def scope_sentence(scope: str, run: Run) -> str:
    """What Allow would mean, as a whole sentence."""
    use = next(iter(run.verdict.tools), None) if run.verdict is not None else None
    server = use.server if use is not None else ""
    return {
        ONCE: "Once: this run and no other",
        "session": "This session: exactly this text, until {0} disconnects or the core ends",
        "text": "Exactly this text, from any agent, until it expires or a definition changes",
        "server": "Whatever {0} does that is not of high risk",
    }[scope].format({"session": run.proposal.author, "server": server}.get(scope, ""))


_ONE_LINE = 118  # letters of width that the facts and the answers need beside each other


class ApprovalFoot(QFrame):
    """Deny is the default and has the keyboard first."""

    denied = Signal(str)
    """Carries the reason, which may be empty."""
    edit_wanted = Signal()
    check_wanted = Signal()
    dry_run_wanted = Signal()
    back_wanted = Signal()
    close_wanted = Signal()
    later_wanted = Signal()
    clean_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sha = ""
        mark(self, kind="strip")
        self._facts = ForeignLabel(elide=True)
        mark(self._facts, role="muted")
        self._time = ForeignLabel()
        self._time.setWordWrap(False)
        self.typing = NameToType(theme, "The name to type before this can be allowed", self)
        self._build()

    def show_run(self, run: Run) -> None:
        verdict = run.verdict
        self._sha = (run.fingerprint or run.proposal.sha)[:12]
        self.show_alike(0)
        self._facts.setToolTip(_what_is_sealed(run))
        self._dry_run.setVisible(not run.proposal.state and not self._close.isVisible())
        self.scope.show_run(run)
        self.scope.setVisible(bool(run.scopes or run.scopes_why) and not self._close.isVisible())
        critical = verdict is not None and verdict.risk is Risk.CRITICAL
        name = confirmation_name(verdict) if verdict is not None and critical else ""
        self.typing.ask(name, "To allow this, type {0}")
        self.typing.type("")
        mark(self.allow, kind="danger" if critical or (verdict and verdict.risk is Risk.HIGH) else "primary")

    def show_alike(self, others: int) -> None:
        """How many further requests are the same question; the answer is for all of them."""
        words = f"Answers {others + 1} identical requests at once · " if others else ""
        self._facts.setText(f"{words}SHA-256 {self._sha}")

    def show_cleanable(self, on: bool) -> None:
        """Whether what is being edited is kept from running by its characters alone."""
        self._clean.setVisible(on and self._check.isVisibleTo(self))

    def show_dry_run(self, on: bool) -> None:
        """It is under way; its plan opens by itself."""
        self._dry_run.setEnabled(not on)

    def show_time(self, deadline: float) -> None:
        self._time.setVisible(deadline > 0)
        self._time.setText(f"refused in {countdown(deadline)}")

    def show_editing(self, on: bool) -> None:
        for button in (self._edit, self._dry_run, self._with_reason, self.allow, self.scope, self._deny):
            button.setVisible(not on)
        for button in (self._check, self._back):
            button.setVisible(on)
        self._clean.hide()
        if on:
            self._facts.setText("Judged as you type; nothing is decided yet.")

    def show_over(self) -> None:
        """Nothing is left but closing."""
        self.drop_reason()
        self.show_editing(False)
        self.typing.hide()
        self._time.hide()
        for button in (self._later, self._edit, self._dry_run, self._with_reason, self.allow, self.scope, self._deny):
            button.hide()
        self._close.show()
        self._close.setDefault(True)
        self._close.setFocus()

    def unsettle(self) -> None:
        self.allow.unsettle()

    def take_keyboard(self) -> None:
        self._deny.setFocus(Qt.FocusReason.OtherFocusReason)

    def giving_reason(self) -> bool:
        return not self._reason_row.isHidden()

    def drop_reason(self) -> None:
        self._reason_row.hide()
        self._with_reason.show()

    def _build(self) -> None:
        unit = self._theme.unit
        layout = QVBoxLayout(self)
        layout.setContentsMargins(unit * 4, unit * 3, unit * 4, unit * 3)
        layout.setSpacing(unit * 2)
        layout.addWidget(self.typing)
        layout.addWidget(self._make_reason())
        facts = QHBoxLayout()
        facts.addWidget(self._facts, 1)
        facts.addWidget(self._time)
        buttons = QHBoxLayout()
        buttons.setSpacing(unit * 2)
        for button in self._make_buttons():
            buttons.addWidget(button)
        layout.addWidget(FoldingRow(_ONE_LINE, facts, buttons, unit * 3))

    def _make_buttons(self) -> list[QPushButton]:
        first, later = self._make_answers(), self._make_editing()
        self._close = self._button("Close", "x", self.close_wanted)
        self.allow = AllowButton("Allow once", self)
        self.scope = ScopeButton(self)
        self.scope.chosen.connect(self._name_allow)
        for button in (*later, self._close, self.scope):
            button.hide()
        return [*first, *later, self._close, self.scope, self.allow]

    def _make_answers(self) -> list[QPushButton]:
        """What a person may say instead of allowing."""
        self._deny = self._button("Deny", "x", self._deny_now)
        self._deny.setDefault(True)
        self._deny.setToolTip("Refuse this program; its author is told")
        self._with_reason = self._button("Deny with reason…", "message", self._ask_reason)
        self._later = RoomyButton(self._theme, icon("hourglass", "muted"), "Later", self)
        self._later.setAutoDefault(True)
        self._later.clicked.connect(self.later_wanted)
        self._later.setToolTip("Put this away; the program keeps waiting for your answer (Escape)")
        mark(self._later, kind="quiet")
        self._edit = self._button("Edit", "pencil", self.edit_wanted)
        self._dry_run = RoomyButton(self._theme, icon("list", "muted"), "Dry run first", self)
        self._dry_run.setAutoDefault(True)
        self._dry_run.clicked.connect(self.dry_run_wanted)
        self._dry_run.setToolTip("Run it with its side effects held back, and choose from the list of them")
        return [self._later, self._deny, self._with_reason, self._dry_run, self._edit]

    def _make_editing(self) -> list[QPushButton]:
        """What stands there while the text is edited."""
        self._back = self._button("Back", "undo", self.back_wanted)
        self._clean = self._button("Clean and check again", "refresh", self.clean_wanted)
        self._clean.setToolTip("Take out hidden characters, foreign encodings and odd line ends")
        self._check = self._button("Check my changes", "shield", self.check_wanted)
        self._check.setIcon(icon("shield", "on_accent"))
        mark(self._check, kind="primary")
        return [self._back, self._clean, self._check]

    def _name_allow(self) -> None:
        self.allow.setText("Allow once" if self.scope.scope == ONCE else "Allow")

    def _button(self, words: str, symbol: str, act: Callable[[], None] | SignalInstance) -> QPushButton:
        button = QPushButton(icon(symbol, "muted"), words, self)
        button.setAutoDefault(True)  # Enter presses the button that has the keyboard, not always Deny
        button.clicked.connect(act)
        return button

    def _make_reason(self) -> QWidget:
        self._reason_row = QWidget(self)
        row = QHBoxLayout(self._reason_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self._theme.unit * 2)
        self._reason = QLineEdit()
        self._reason.setPlaceholderText("Why not? The agent reads this.")
        self._reason.setAccessibleName("Reason for denying")
        self._reason.returnPressed.connect(self._deny_with_reason)
        send = self._button("Deny with this reason", "x", self._deny_with_reason)
        row.addWidget(self._reason, 1)
        row.addWidget(send)
        self._reason_row.hide()
        return self._reason_row

    def _deny_now(self) -> None:
        self.denied.emit("")

    def _ask_reason(self) -> None:
        self._reason_row.show()
        self._with_reason.hide()
        self._reason.setFocus()

    def _deny_with_reason(self) -> None:
        self.denied.emit(self._reason.text().strip())


def _what_is_sealed(run: Run) -> str:
    """What the short number stands for, in words."""
    over = "Over the text, its limits, the servers it reaches and their tools' definitions; checked at start."
    return f"{over}\n{run.fingerprint or run.proposal.sha}\ntext: {run.proposal.sha}"
