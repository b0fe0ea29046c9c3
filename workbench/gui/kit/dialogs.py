"""Base classes of dialogs: title, introduction, body, one fault, and a row of buttons; never larger than the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import AllowButton
from workbench.gui.kit.layouts import column, scroll_area
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark
from workbench.records import Fault

_MOST_LINES = 10  # that a box of text shows


class TaskRunner(Protocol):
    """What a dialog needs of `shell.tasks.Tasks`."""

    def run(self, name: str, coro: Coroutine[Any, Any, Any], done: None = None) -> object: ...  # Any: asyncio's own


def fit_to_screen(window: QWidget) -> None:
    """Shrink and move a window so that all of it, its title bar included, lies on its screen. A dialog always leaves
    room for a title bar, because the window manager adds it only after the dialog is shown.
    """
    screen = window.screen() or QGuiApplication.primaryScreen()
    if screen is None:
        return
    room = screen.availableGeometry()
    frame, inner = window.frameGeometry(), window.geometry()
    border = QSize(frame.width() - inner.width(), frame.height() - inner.height())
    if isinstance(window, QDialog):
        border = border.expandedTo(QSize(0, window.fontMetrics().height() * 2))
    window.resize(inner.size().boundedTo(room.size() - border))
    frame = QRect(window.frameGeometry().topLeft(), window.size() + border)
    left = max(room.left(), min(frame.left(), room.right() + 1 - frame.width()))
    top = max(room.top(), min(frame.top(), room.bottom() + 1 - frame.height()))
    window.move(left, top)


class _Content(QScrollArea):
    """What is above a dialog's buttons: as high as it needs, but where the screen is too low it scrolls."""

    def __init__(self, dialog: Dialog) -> None:
        super().__init__(dialog)
        self.page = QWidget()
        scroll_area(self.page, self)

    def sizeHint(self) -> QSize:
        return self.page.sizeHint()

    def minimumSizeHint(self) -> QSize:
        needed, most = self.page.minimumSizeHint(), self._screen_height()
        bar = self.verticalScrollBar().sizeHint().width() if needed.height() > most else 0
        return QSize(needed.width() + bar, min(needed.height(), most))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        layout = self.page.layout()
        return min(layout.totalHeightForWidth(width) if layout is not None else 0, self._screen_height())

    def missing_height(self) -> int:
        """How much higher it must be for texts that wrap, as far as the screen allows."""
        return max(0, min(self._needed(), self._screen_height()) - self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._choose_bar()
        super().resizeEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """QScrollArea itself does not tell its own layout that the content needs more or less room."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._choose_bar()
        return super().eventFilter(watched, event)

    def _choose_bar(self) -> None:
        """Hide the scroll bar where it is not needed: texts wrap more beside it, so it would not go by itself."""
        fits = self._needed() <= self.height()
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(policy)

    def _needed(self) -> int:
        """The height that QScrollArea gives the page at least: what it prefers, not its minimum."""
        layout = self.page.layout()
        return layout.totalHeightForWidth(self.width()) if layout is not None else 0

    def _screen_height(self) -> int:
        """The height that is left of the screen by the title bar, the margins, the fault and the buttons."""
        dialog = self.parent()  # not an attribute: a cycle would keep closed dialogs alive
        around = dialog.height_around() if isinstance(dialog, Dialog) else 0
        screen = self.screen() or QGuiApplication.primaryScreen()
        return max(self.fontMetrics().height() * 3, screen.availableGeometry().height() - around)


class Dialog(QDialog):
    """Widgets go into `body`, buttons come by `add_button`. Escape closes it. The content scrolls on a low screen."""

    def __init__(self, theme: Theme, title: str, intro: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout()
        self.body.setSpacing(theme.unit * 3)
        self._content = _Content(self)
        self.fault = Notice(theme, self)
        self._intro = paragraph("", "muted")
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.unit * 2)
        self._buttons.addStretch(1)
        self._left = 0  # buttons left of the stretch
        self._heading = paragraph(title, "heading")
        column(self._content.page, self._heading, self._intro, self.body, spacing=theme.unit * 3, grows=self.body)
        parts = (self._content, self.fault, self._buttons)
        column(self, *parts, margins=(theme.unit * 6,) * 4, spacing=theme.unit * 3, grows=self._content)
        self.set_intro(intro)

    def height_around(self) -> int:
        """The height of everything but the content, with room for a title bar."""
        fault = 0 if self.fault.isHidden() else self.fault.heightForWidth(self.width()) + self.theme.unit * 3
        return fault + self._buttons.sizeHint().height() + self.theme.unit * 15 + self.fontMetrics().height() * 2

    def set_heading(self, text: str) -> None:
        """The line at the top; the title of the window stays as it is."""
        self._heading.setText(text)

    def set_intro(self, text: str) -> None:
        """The sentence below the title."""
        self._intro.setText(text)
        self._intro.setVisible(bool(text))

    def add_button(
        self,
        text: str,
        act: Callable[[], object],
        kind: str = "",
        *,
        left: bool = False,
        default: bool = False,
        settles: bool = False,
    ) -> QPushButton:
        """Add a button at the right; `left` is for what does not end the dialog. `kind`: primary, danger or quiet.
        One that settles cannot be pressed in the first moment, by a key or click that was meant for something else.
        """
        if settles:
            protected = AllowButton(text, self)
            protected.allowed.connect(act)
            button: QPushButton = protected
        else:
            button = QPushButton(text, self)
            button.setAutoDefault(True)  # Return presses the button that has the keyboard
            button.clicked.connect(lambda: act())  # without `clicked`'s own argument
        button.setDefault(default)
        if kind:
            mark(button, kind=kind)
        self._buttons.insertWidget(self._left if left else self._buttons.count(), button)
        self._left += int(left)
        return button

    def add_shortcut(self, button: QPushButton) -> None:
        """Let Ctrl+Return press a button from anywhere in the dialog, but not while the keys are held down."""
        QShortcut(QKeySequence("Ctrl+Return"), self, button.click).setAutoRepeat(False)

    def add_close(self) -> QPushButton:
        return self.add_button("Close", self.reject, default=True)

    def button(self, text: str) -> QPushButton:
        """The visible button with this text. Raises KeyError with the texts that there are."""
        found = {one.text(): one for one in self.findChildren(QPushButton) if not one.isHidden()}
        if text not in found:
            raise KeyError(f"{text!r} is none of {sorted(found)}")
        return found[text]

    def show_fault(self, fault: WorkbenchError | Fault | None) -> None:
        """Show what went wrong above the buttons; None takes it away."""
        self.fault.show_fault(Fault(fault.message, fault.hint) if isinstance(fault, WorkbenchError) else fault)

    def run(self, tasks: TaskRunner, name: str, coro: Coroutine[Any, Any, object], *, closes: bool = False) -> None:
        """Run a coroutine with the buttons disabled; its WorkbenchError is shown here. Any: asyncio's own."""
        places = (self, self._content.page)
        buttons = [one for one in self.findChildren(QPushButton) if one.isEnabled() and one.parent() in places]
        self.show_fault(None)
        for button in buttons:
            button.setEnabled(False)
        tasks.run(name, self._watched(coro, closes, buttons))

    async def _watched(
        self,
        coro: Coroutine[Any, Any, object],  # Any: as in `run`
        closes: bool,
        buttons: list[QPushButton],
    ) -> None:
        """The dialog may be deleted before the first step: nothing here touches it before `coro` has run."""
        try:
            await coro
        except WorkbenchError as fault:
            self.show_fault(fault)
        else:
            if closes:
                self.accept()
        finally:
            for button in buttons:
                button.setEnabled(True)
            self.update_buttons()

    def update_buttons(self) -> None:
        """Enable the buttons that make sense now. Called after `run`, which enables those that were enabled before."""

    def fit_height(self) -> None:
        """Become as high as the content needs, for example after a row or a fault appeared or disappeared."""
        layout, content = self.layout(), self._content.page.layout()
        if layout is not None and content is not None:
            content.activate()
            self._content.updateGeometry()
            layout.activate()
            needed = max(layout.totalMinimumSize().height(), layout.totalHeightForWidth(self.width()))
            self.resize(self.width(), needed)
            if self.isVisible():
                fit_to_screen(self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if (layout := self.layout()) is not None:
            layout.activate()
        self.resize(self.width(), self.height() + self._content.missing_height())
        fit_to_screen(self)
        for button in self.findChildren(AllowButton):
            button.restart_settling()


class FormDialog(Dialog):
    """Labelled fields, Cancel, and one button that does it; Ctrl+Return presses it from any field."""

    def __init__(self, theme: Theme, title: str, intro: str = "", parent: QWidget | None = None) -> None:
        super().__init__(theme, title, intro, parent)
        self.rows = QFormLayout()
        self.rows.setHorizontalSpacing(theme.unit * 4)
        self.rows.setVerticalSpacing(theme.unit * 2)
        self.rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.body.addLayout(self.rows)

    def add_row(self, text: str, field: QWidget, hint: str = "") -> QWidget:
        """A field with its label, and a quiet sentence below it."""
        name = label(text)
        name.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(text)
        self.rows.addRow(name, field)
        if hint:
            self.rows.addRow("", paragraph(hint, "muted"))
        return field

    def add_submit(self, text: str, act: Callable[[], object], *, danger: bool = False) -> QPushButton:
        """Cancel and the button that does it."""
        self.add_button("Cancel", self.reject)
        submit = self.add_button(text, act, "danger" if danger else "primary", default=True)
        self.add_shortcut(submit)
        return submit


class Question(Dialog):
    """A sentence, the exact text it is about, and two answers; Escape means no."""

    def __init__(self, theme: Theme, title: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, title, sentence, parent)
        self._first: QWidget | None = None  # what has the keyboard when it opens; Cancel otherwise
        self.submit: QPushButton | None = None  # once it is asked
        self.setMinimumWidth(theme.unit * 120)

    def show_text(self, text: str, name: str) -> None:
        """Add the exact text that the question is about; it scrolls and is never shortened."""
        self.body.addWidget(text_box(self.theme, text, name))

    def show_note(self, text: str, role: str = "muted") -> QLabel:
        note = paragraph(text, role)
        self.body.addWidget(note)
        return note

    def add(self, field: QWidget) -> None:
        """Add a field; it gets the focus first."""
        self.body.addWidget(field)
        self._first = field

    async def ask(self, yes: str, *, danger: bool = False, settles: bool = False) -> bool:
        """Open, wait for the user, and return whether the answer was yes. A question of `danger`, or one that has to be
        read (`settles`), cannot be answered with yes in its first moment.
        """
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        cancel = self.add_button("Cancel", self.reject, default=True)
        kind = "danger" if danger else "primary"
        self.submit = self.add_button(yes, self.accept, kind, settles=danger or settles)
        self.update_buttons()
        self.add_shortcut(self.submit)
        (self._first or cancel).setFocus()
        self.finished.connect(partial(_settle, answer))
        self.open()
        try:
            return await answer
        except asyncio.CancelledError:
            self.reject()
            raise

    async def ask_text(self, field: QLineEdit, yes: str) -> str | None:
        """Ask for one line of text; None if the user cancels."""
        texts = [field.text()]
        field.textChanged.connect(texts.append)  # the field is deleted with the dialog, before the answer is read
        self.add(field)
        return texts[-1].strip() if await self.ask(yes) else None


def _settle(answer: asyncio.Future[bool], code: int) -> None:
    if not answer.done():
        answer.set_result(code == QDialog.DialogCode.Accepted)


class LaterDialog(QDialog):
    """Dialog that Escape and × put away without an answer. `come_back` shows it again with everything that was typed.
    Its owner ends it when no answer is needed any more.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._over = False  # it was answered, or no answer is needed any more
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
            self.move(self._place)  # else it reappears lower by the height of its title bar
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
        if self.away:
            self.done(QDialog.DialogCode.Rejected)


def text_box(theme: Theme, text: str, name: str) -> PlainEdit:
    """Read-only text with up to ten visible lines, as they wrap."""
    box = _TextBox(visible(text))
    box.setReadOnly(True)
    box.setTabChangesFocus(True)
    box.setAccessibleName(name)
    box.setFont(theme.mono())
    box.margin = theme.unit * 5
    box.show_lines(text.count("\n") + 1)  # until its width is known
    mark(box, kind="code")
    return box


class _TextBox(PlainEdit):
    """As high as its text, from two to ten lines."""

    margin = 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        layout, line, lines = self.document().documentLayout(), self.fontMetrics().lineSpacing(), 0
        block = self.document().firstBlock()
        while block.isValid() and lines < _MOST_LINES:
            lines += max(1, round(layout.blockBoundingRect(block).height() / line))
            block = block.next()
        self.show_lines(lines)

    def show_lines(self, count: int) -> None:
        """Be as high as this number of lines, within the limits."""
        self.setFixedHeight(self.fontMetrics().lineSpacing() * min(_MOST_LINES, max(2, count)) + self.margin)


def ask_target(
    owner: QWidget, title: str, name: str, use: Callable[[str], object], filters: Sequence[str] = ()
) -> QFileDialog:
    """Ask where to save a file, without blocking the window, and pass the path to `use`."""
    dialog = QFileDialog(owner, title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    if filters:
        dialog.setNameFilters(filters)
    dialog.selectFile(name)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(use)
    dialog.open()
    return dialog
