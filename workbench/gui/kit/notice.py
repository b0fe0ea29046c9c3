"""One message in place: a fault, a question, or a warning, always with the button that helps."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import tool_button
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.records import Fault

HintAction = tuple[str, Callable[[], None]]
"""The text of a button, and what it does."""
Answer = tuple[str, str, Callable[[], None]]
"""The text of a button, its tooltip, and what it does."""
_find_hint_action: list[weakref.WeakMethod[Callable[[str], HintAction | None]]] = []
_PLAIN: Final = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_SYMBOLS: Final = {"danger": "alert", "warning": "alert", "success": "check"}
_DETAIL_LINES = 10  # more of them scroll
_ONE_LINE: Final = 82  # letters of width that four buttons need beside each other


def set_hint_actions(find: Callable[[str], HintAction | None]) -> None:
    """From now on, notices get a button for what this bound method finds in them, such as the name of a setting."""
    _find_hint_action[:] = [weakref.WeakMethod(find)]


def _hint_action(text: str) -> HintAction | None:
    find = _find_hint_action[0]() if _find_hint_action else None
    return find(text) if find is not None else None


class Notice(QFrame):
    """Icon, sentence, hint, buttons, and the details of a fault on request. Hidden until there is something to show.

    It never takes the keyboard, except for a question: then Escape cancels, and Return presses the focused button, at
    first Cancel. With `inline`, the buttons are beside the text.
    """

    dismissed = Signal()
    """A question was withdrawn without an answer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, inline: bool = False) -> None:
        super().__init__(parent)
        self.fault: Fault | None = None
        """The fault that is shown, if it is one."""
        self._theme = theme
        self._inline = inline
        self._tone = ""
        self._asks = False
        self._focus_before: QWidget | None = None  # what had the keyboard when the question came
        self._icon = QLabel(self)
        self._message, self._hint = ForeignLabel(), ForeignLabel()
        mark(self._hint, role="muted")
        self._detail = PlainEdit(parent=self)
        self._detail.setReadOnly(True)
        self._detail.setTabChangesFocus(True)
        self._detail.setAccessibleName("Details of the fault")
        self._detail.setLineWrapMode(PlainEdit.LineWrapMode.NoWrap)
        mark(self._detail, kind="code")
        self._answers, self._further = QHBoxLayout(), QHBoxLayout()
        self._row = FoldingRow(_ONE_LINE, self._answers, self._further, theme.unit * 2)
        self._buttons: list[QWidget] = []
        self._lay_out(theme.unit)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self.hide()

    # content

    def show_fault(
        self, fault: Fault | None, *, tone: str = "danger", open_detail: bool = False, own_words: bool = False
    ) -> None:
        """Show a fault, or nothing. `own_words`: the message quotes no server, so it may name a setting to open."""
        self._show(tone, fault.message if fault else "", fault.hint if fault else "", fault.detail if fault else "")
        self.fault = fault
        self.setVisible(fault is not None)
        if fault is None:
            return
        kind = "quiet" if self._inline else "link"
        if action := _hint_action(f"{fault.hint} {fault.message}" if own_words else fault.hint):
            self.add_button(*action, kind)
        if fault.detail:
            details = self.add_button("Details", lambda: None, kind)
            details.setCheckable(True)
            details.toggled.connect(self._detail.setVisible)
            details.toggled.connect(lambda on: details.setText("Hide details" if on else "Details"))
            details.setChecked(open_detail)

    def tell(self, tone: str, sentence: str, hint: str = "") -> None:
        """Say why something cannot be done. There is nothing to answer, so the focus stays where it is."""
        self._start_question(tone, sentence, hint, "Close")

    def ask(
        self,
        tone: str,
        sentence: str,
        hint: str,
        yes: str,
        act: Callable[[], None],
        further: Sequence[Answer] = (),
    ) -> None:
        """Show a question; `act` is called only by a press on the button named `yes`. `further`: other answers."""
        cancel = self._start_question(tone, sentence, hint, "Cancel")
        self._add_answer(yes, partial(self._answer, act), "danger" if tone == "danger" else "")
        for text, tooltip, other in further:
            button = self._add_answer(text, partial(self._answer, other), "quiet", self._further)
            button.setToolTip(tooltip)
            button.setAccessibleDescription(tooltip)
        cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def say(self, sentence: str, hint: str = "") -> None:
        """Change the text, and keep the buttons."""
        self._message.setText(sentence)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))

    def add_button(self, text: str, act: Callable[[], object], kind: str = "") -> QPushButton:
        """A button that does not end the notice. Tab reaches it; a click on it leaves the keyboard where it is."""
        button = self._add_answer(text, act, kind)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def add_close(self) -> None:
        """A button that deletes the notice."""
        close = tool_button("close", "Close this message", self._theme)
        close.clicked.connect(self.deleteLater)
        self._add(close, self._answers)

    def sentence(self) -> str:
        """The message that is shown."""
        return "" if self.isHidden() else self._message.full_text()

    def hint(self) -> str:
        """The hint that is shown."""
        return "" if self.isHidden() else self._hint.full_text()

    def detail(self) -> str:
        """The details that are shown; "" while they are folded."""
        return "" if self._detail.isHidden() else self._detail.toPlainText()

    # questions

    def dismiss(self) -> None:
        """Withdraw the question and return the focus to where it was."""
        self._leave()
        self.dismissed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._asks and event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return
        button = QApplication.focusWidget()
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() in _PLAIN
        if enter and isinstance(button, QPushButton) and self.isAncestorOf(button):
            if not event.isAutoRepeat():  # a key that is still down from before answers nothing
                button.click()
            return
        super().keyPressEvent(event)

    def _start_question(self, tone: str, sentence: str, hint: str, way_out: str) -> QPushButton:
        self._show(tone, sentence, hint)
        self._asks = True
        self._focus_before = QApplication.focusWidget()
        self.show()
        return self._add_answer(way_out, self.dismiss)

    def _answer(self, act: Callable[[], None]) -> None:
        self._leave()
        act()

    def _leave(self) -> None:
        focus, before = QApplication.focusWidget(), self._focus_before
        self._asks, self._focus_before = False, None
        if focus is not None and self.isAncestorOf(focus) and before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    # display

    def _show(self, tone: str, sentence: str, hint: str, detail: str = "") -> None:
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = []
        self._row.setVisible(self._inline)
        self._asks = False
        self.fault = None
        self._tone = tone
        mark(self, kind="banner", tone=tone)
        self._draw_icon()
        self.say(sentence, hint)
        self._detail.setPlainText(visible(detail))
        self._detail.hide()
        self._fit_detail()

    def _add_answer(
        self, text: str, act: Callable[[], object], kind: str = "", row: QHBoxLayout | None = None
    ) -> QPushButton:
        button = QPushButton(text, self)
        button.clicked.connect(lambda: act())  # without `clicked`'s own argument
        if kind:
            mark(button, kind=kind)
        self._add(button, row or self._answers)
        return button

    def _add(self, button: QWidget, row: QHBoxLayout) -> None:
        row.insertWidget(row.count() - (0 if self._inline else 1), button)  # before the stretch
        self._buttons.append(button)
        self._row.show()
        button.show()

    def _apply_theme(self) -> None:
        self._detail.setFont(self._theme.mono(-1))
        self._fit_detail()
        self._draw_icon()

    def _draw_icon(self) -> None:
        if self._tone:
            name = _SYMBOLS.get(self._tone, "info")
            self._icon.setPixmap(pixmap(name, self._tone, self._theme.unit * 4, self.devicePixelRatioF()))

    def _fit_detail(self) -> None:
        lines = min(max(self._detail.blockCount(), 2), _DETAIL_LINES)
        self._detail.setFixedHeight(self._detail.fontMetrics().lineSpacing() * lines + self._theme.unit * 6)

    def _lay_out(self, unit: int) -> None:
        for row in (self._answers, self._further):
            row.setSpacing(unit * 2)
            if not self._inline:
                row.addStretch(1)
        text = QVBoxLayout()
        text.setSpacing(0 if self._inline else unit)
        text.addWidget(self._message)
        text.addWidget(self._hint)
        top = QHBoxLayout()
        top.setSpacing(unit * 2)
        top.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(text, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        column.addLayout(top)
        (column if self._inline else text).addWidget(self._detail)
        (top if self._inline else text).addWidget(self._row)
