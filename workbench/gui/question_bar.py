"""A question asked in place, not in a box on top: a sentence, the way on, and Cancel, which has the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.gui.folding_row import FoldingRow
from workbench.gui.icons import pixmap
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark

Answer = tuple[str, str, Callable[[], None]]  # the words of its button, what it means, what it does
_PLAIN: Final = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_ONE_LINE: Final = 82  # letters of width that four buttons need beside each other


class QuestionBar(QFrame):
    """Hidden until something is asked. Escape means Cancel; Enter presses the button that has the keyboard, which is
    Cancel at first."""

    dismissed = Signal()
    """The request was withdrawn without an answer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._act: Callable[[], None] | None = None
        self._before: QWidget | None = None  # what had the keyboard when the question came
        unit = theme.unit
        self._picture = QLabel(self)
        self._sentence = ForeignLabel()
        self._hint = ForeignLabel()
        mark(self._hint, role="muted")
        self._yes = QPushButton(self)
        self._no = QPushButton("Cancel", self)
        buttons, self._more = QHBoxLayout(), QHBoxLayout()
        for line in (buttons, self._more):
            line.setSpacing(unit * 2)
        buttons.addWidget(self._no)
        buttons.addWidget(self._yes)
        buttons.addStretch(1)
        self._more.addStretch(1)
        self._further: list[QPushButton] = []
        words = QVBoxLayout()
        words.setSpacing(unit)
        words.addWidget(self._sentence)
        words.addWidget(self._hint)
        words.addWidget(FoldingRow(_ONE_LINE, buttons, self._more, unit * 2))
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self._yes.clicked.connect(self._agree)
        self._no.clicked.connect(self.dismiss)
        self.hide()

    def tell(self, symbol: str, tone: str, sentence: str, hint: str) -> None:
        """Say why something cannot be done. There is nothing to agree to, so the keyboard stays where it is."""
        self._show(symbol, tone, sentence, hint, "", None)

    def ask(
        self,
        symbol: str,
        tone: str,
        sentence: str,
        hint: str,
        yes: str,
        act: Callable[[], None] | None,
        further: Sequence[Answer] = (),
    ) -> None:
        """Show the question; `act` is called only by a press on the button named `yes`. `further`: other ways on."""
        self._show(symbol, tone, sentence, hint, yes, act, further)
        self._no.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(
        self,
        symbol: str,
        tone: str,
        sentence: str,
        hint: str,
        yes: str,
        act: Callable[[], None] | None,
        further: Sequence[Answer] = (),
    ) -> None:
        mark(self, kind="banner", tone=tone)
        self._picture.setPixmap(pixmap(symbol, tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._sentence.setText(sentence)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._yes.setText(yes)
        self._yes.setVisible(bool(yes))
        self._no.setText("Cancel" if yes else "Close")
        mark(self._yes, kind="danger" if tone == "danger" else "")
        self._act = act
        self._show_further(further)
        self._before = QApplication.focusWidget()
        self.show()

    def dismiss(self) -> None:
        """Take the question back and the keyboard to where it was."""
        self._leave()
        self.dismissed.emit()

    def _leave(self) -> None:
        self._act = None
        focus = QApplication.focusWidget()
        inside = focus is not None and self.isAncestorOf(focus)
        if inside and self._before is not None and isValid(self._before):
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return
        button = QApplication.focusWidget()
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() in _PLAIN
        if enter and isinstance(button, QPushButton) and self.isAncestorOf(button):
            if not event.isAutoRepeat():  # a key that is still down from before answers nothing
                button.click()
            return
        super().keyPressEvent(event)

    def _show_further(self, further: Sequence[Answer]) -> None:
        for button in self._further:
            self._more.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._further = []
        for words, meaning, act in further:
            button = QPushButton(words, self)
            button.setToolTip(meaning)
            button.setAccessibleDescription(meaning)
            mark(button, kind="quiet")
            button.clicked.connect(partial(self._choose, act))
            self._more.insertWidget(len(self._further), button)
            self._further.append(button)

    def _choose(self, act: Callable[[], None], _checked: bool = False) -> None:
        self._act = act
        self._agree()

    def _agree(self) -> None:
        act = self._act
        self._leave()
        if act is not None:
            act()
