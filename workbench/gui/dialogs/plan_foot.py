"""The lower edge of a plan: how much is ticked, and the buttons. Leaving it as it is has the keyboard first."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.dialogs.allow_button import AllowButton
from workbench.gui.dialogs.name_to_type import NameToType
from workbench.gui.folding_row import FoldingRow
from workbench.gui.icons import icon
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark

_ONE_LINE = 100  # letters of width that words and buttons need beside each other


class PlanFoot(QFrame):
    """Decides nothing."""

    closed = Signal()
    all_wanted = Signal()
    none_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="strip")
        unit = theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 4, unit * 3, unit * 4, unit * 3)
        column.setSpacing(unit * 2)
        self.typing = NameToType(theme, "The name to type before this can run")
        column.addWidget(self.typing)
        self._facts = ForeignLabel()
        mark(self._facts, role="muted")
        facts = QHBoxLayout()
        facts.addWidget(self._facts, 1)
        column.addWidget(FoldingRow(_ONE_LINE, facts, self._make_buttons(), unit * 2))

    def show_count(self, ticked: int, held: int) -> None:
        words = "{0} of {1} selected. The rest is refused; calls that are not in the list need your approval."
        nothing = "Everything except reading needs your approval."
        self._facts.setText(words.format(ticked, held) if held else nothing)
        for button in (self.every, self.none):
            button.setVisible(held > 0 and not self._over)

    def ask_name(self, name: str) -> None:
        """What must be typed before a critical program may run; empty: nothing."""
        self.typing.ask(name, "To run this, type {0}")
        mark(self.allow, kind="danger" if name else "primary")

    def name_closing(self, *, waits: bool) -> None:
        self.close_button.setText("Back to the approval request" if waits else "Do not run")
        tip = "The program goes on waiting for your answer (Escape)" if waits else "Escape"
        self.close_button.setToolTip(tip)

    def show_over(self) -> None:
        self._over = True
        for part in (self.every, self.none, self.allow, self.typing, self._facts):
            part.hide()
        self.close_button.setText("Close")
        self.take_keyboard()

    def take_keyboard(self) -> None:
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_buttons(self) -> QHBoxLayout:
        self._over = False
        self.every = QPushButton(icon("check", "muted"), "Tick all")
        self.every.clicked.connect(self.all_wanted)
        self.none = QPushButton(icon("minus", "muted"), "Tick none")
        self.none.clicked.connect(self.none_wanted)
        self.close_button = QPushButton(icon("x", "muted"), "")
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.closed)
        self.allow = AllowButton("Run with this plan")
        buttons = QHBoxLayout()
        buttons.setSpacing(self._theme.unit * 2)
        buttons.addStretch(1)
        for button in (self.every, self.none, self.close_button, self.allow):
            buttons.addWidget(button)
        return buttons
