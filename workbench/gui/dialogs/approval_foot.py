"""The lower edge of the approval dialog: which text this is about, the time left, and the answers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.api.client_texts import confirmation_name
from workbench.gui.dialogs.allow_button import AllowButton
from workbench.gui.dialogs.name_to_type import NameToType
from workbench.gui.dialogs.scope_button import ONCE, ScopeButton
from workbench.gui.folding_row import FoldingRow
from workbench.gui.icons import icon
from workbench.gui.roomy_button import RoomyButton
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.words import countdown
from workbench.records import Risk, Run

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
