"""Faults, questions and dialogs that ask for a decision."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.records import Fault

_LINES = 10  # lines of the detail one sees without scrolling


HintAction = tuple[str, Callable[[], None]]
"""The text of a button, and what it does."""
_find_hint_action: list[weakref.WeakMethod[Callable[[str], HintAction | None]]] = []


def set_hint_actions(find: Callable[[str], HintAction | None]) -> None:
    """From now on, messages get a button for what this bound method finds in them, such as the name of a setting."""
    _find_hint_action[:] = [weakref.WeakMethod(find)]


def hint_action(fault: Fault, *, message: bool = False) -> HintAction | None:
    """The button that helps with a fault. The message is only read where it cannot quote a server."""
    find = _find_hint_action[0]() if _find_hint_action else None
    return find(f"{fault.hint} {fault.message}" if message else fault.hint) if find is not None else None


class FaultCard(QFrame):
    """Shows a fault with hint and details. Hidden while there is no fault."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        unit = theme.unit
        self._picture = QLabel(self)
        self._message = ForeignLabel()
        self._hint = ForeignLabel()
        mark(self._hint, role="muted")
        self._more = QPushButton("Details", self)
        self._more.setCheckable(True)
        self._link = QPushButton(self)
        self._act: Callable[[], None] | None = None
        for button in (self._more, self._link):
            mark(button, kind="link")
        self._detail = PlainEdit(parent=self)
        self._detail.setReadOnly(True)
        self._detail.setTabChangesFocus(True)
        self._detail.setAccessibleName("Details of the fault")
        self._detail.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        mark(self._detail, kind="code")
        words = QVBoxLayout()
        words.setSpacing(unit)
        for part in (self._message, self._hint, self._detail):
            words.addWidget(part)
        for button in (self._link, self._more):
            words.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self._more.toggled.connect(self._detail.setVisible)
        self._more.toggled.connect(self._rename)
        self._link.clicked.connect(self._follow_link)
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    def show_fault(self, fault: Fault | None, *, tone: str = "danger", open_detail: bool = False) -> None:
        self.setVisible(fault is not None)
        if fault is None:
            return
        mark(self, kind="banner", tone=tone)
        self._picture.setPixmap(pixmap("alert", tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._message.setText(fault.message)
        self._hint.setText(fault.hint)
        self._hint.setVisible(bool(fault.hint))
        text, self._act = hint_action(fault) or ("", None)
        self._link.setText(text)
        self._link.setVisible(bool(text))
        self._detail.setPlainText(visible(fault.detail))
        self._fit()
        self._more.setVisible(bool(fault.detail))
        self._more.setChecked(open_detail and bool(fault.detail))
        self._detail.setVisible(self._more.isChecked())

    def sentence(self) -> str:
        """The message that is shown."""
        return "" if self.isHidden() else self._message.full_text()

    def _follow_link(self) -> None:
        if self._act is not None:
            self._act()

    def _rename(self, on: bool) -> None:
        self._more.setText("Hide details" if on else "Details")

    def _dress(self) -> None:
        self._detail.setFont(self._theme.mono(-1))
        self._fit()

    def _fit(self) -> None:
        lines = min(max(self._detail.blockCount(), 2), _LINES)
        self._detail.setFixedHeight(self._detail.fontMetrics().lineSpacing() * lines + self._theme.unit * 6)


Answer = tuple[str, str, Callable[[], None]]  # the words of its button, what it means, what it does
_PLAIN: Final = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_ONE_LINE: Final = 82  # letters of width that four buttons need beside each other


class QuestionBar(QFrame):
    """Asks in place. Hidden until something is asked. Escape cancels; Return presses the focused button, at first
    Cancel.
    """

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
        """Say why something cannot be done. There is nothing to answer, so the focus stays where it is."""
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

    def sentence(self) -> str:
        """The question that is shown."""
        return "" if self.isHidden() else self._sentence.full_text()

    def dismiss(self) -> None:
        """Withdraw the question and return the focus to where it was."""
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


class Question(QDialog):
    """Dialog with a sentence, the exact text it is about, and two answers; Escape means no."""

    def __init__(self, theme: Theme, title: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._first: QWidget | None = None  # what has the keyboard when it opens; Cancel otherwise
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(theme.unit * 120)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(*(theme.unit * 6,) * 4)
        self._layout.setSpacing(theme.unit * 3)
        self._layout.addWidget(label(title, "heading"))
        words = label(visible(sentence), "muted")
        words.setWordWrap(True)
        self._layout.addWidget(words)

    def show_text(self, text: str, name: str) -> None:
        """Add the exact text that the question is about; it scrolls and is never shortened."""
        self._layout.addWidget(text_box(self._theme, text, name))

    def show_note(self, text: str, role: str = "muted") -> QLabel:
        note = label(visible(text), role)
        note.setWordWrap(True)
        self._layout.addWidget(note)
        return note

    def add(self, field: QWidget) -> None:
        """Add a field; it gets the focus first."""
        self._layout.addWidget(field)
        self._first = field

    async def ask(self, yes: str, *, danger: bool = False) -> bool:
        """Open, wait for the person, and answer whether they said yes."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._buttons(yes, danger)
        self.finished.connect(partial(_settle, answer))
        self.open()
        try:
            return await answer
        except asyncio.CancelledError:
            self.reject()
            raise

    def _buttons(self, yes: str, danger: bool) -> None:
        row = QHBoxLayout()
        row.addStretch()
        no = QPushButton("Cancel")
        no.clicked.connect(self.reject)
        go = QPushButton(yes)
        go.clicked.connect(self.accept)
        for button in (no, go):
            button.setAutoDefault(True)  # Enter presses the button that has the keyboard
        no.setDefault(True)
        mark(go, kind="danger" if danger else "primary")
        QShortcut(QKeySequence("Ctrl+Return"), self, self.accept).setAutoRepeat(False)
        row.addWidget(no)
        row.addWidget(go)
        self._layout.addLayout(row)
        (self._first or no).setFocus()


def text_box(theme: Theme, text: str, name: str) -> PlainEdit:
    """Read-only text, as high as its lines up to ten."""
    box = PlainEdit(visible(text))
    box.setReadOnly(True)
    box.setTabChangesFocus(True)
    box.setAccessibleName(name)
    box.setFont(theme.mono())
    lines = min(10, max(2, text.count("\n") + 1 + len(text) // 70))
    box.setFixedHeight(box.fontMetrics().lineSpacing() * lines + theme.unit * 5)
    mark(box, kind="code")
    return box


def _settle(answer: asyncio.Future[bool], code: int) -> None:
    if not answer.done():
        answer.set_result(code == QDialog.DialogCode.Accepted)


class LaterDialog(QDialog):
    """Dialog that Escape and × put away without an answer. `come_back` shows it again with everything that was typed.
    Its owner ends it when no answer is needed any more.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._over = False  # nothing can be decided here any more
        self._away = False
        self._place = QPoint()

    @property
    def away(self) -> bool:
        return self._away

    def put_away(self) -> None:
        self._away = True
        self._place = self.pos()
        self.hide()

    def come_back(self) -> None:
        if self._away:
            self.move(self._place)  # else it comes back lower, by the height of its title
        self._away = False
        self.show()
        self.raise_()
        self.activateWindow()

    def reject(self) -> None:
        if self._over:
            super().reject()
        else:
            self.put_away()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing by the user puts the dialog away; closing by the application ends it without an answer."""
        if event.spontaneous() and not self._over:
            event.ignore()
            self.put_away()
        else:
            self._over = True
            super().closeEvent(event)

    def _finish(self) -> None:
        """End the dialog; while it is put away it closes at once."""
        self._over = True
        if self._away:
            self.done(QDialog.DialogCode.Rejected)
