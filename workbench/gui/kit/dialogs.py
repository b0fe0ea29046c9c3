"""Base classes of dialogs: title, introduction, body, one fault, and a row of buttons; never larger than the screen."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark
from workbench.records import Fault


class TaskRunner(Protocol):
    """What a dialog needs of `shell.tasks.Tasks`."""

    def run(self, name: str, coro: Coroutine[Any, Any, Any], done: None = None) -> object: ...  # Any: asyncio's own


def fit_to_screen(window: QWidget) -> None:
    """Shrink and move a window so that all of it, its title bar included, lies on its screen."""
    screen = window.screen() or QGuiApplication.primaryScreen()
    if screen is None:
        return
    room = screen.availableGeometry()
    frame, inner = window.frameGeometry(), window.geometry()
    border = QSize(frame.width() - inner.width(), frame.height() - inner.height())
    window.resize(inner.size().boundedTo(room.size() - border))
    frame = window.frameGeometry()
    left = max(room.left(), min(frame.left(), room.right() + 1 - frame.width()))
    top = max(room.top(), min(frame.top(), room.bottom() + 1 - frame.height()))
    window.move(left, top)


class Dialog(QDialog):
    """Widgets go into `body`, buttons come by `add_button`. Escape closes it."""

    def __init__(self, theme: Theme, title: str, intro: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout()
        self.body.setSpacing(theme.unit * 3)
        self.fault = FaultCard(theme, self)
        self._intro = label("", "muted")
        self._intro.setWordWrap(True)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.unit * 2)
        self._buttons.addStretch(1)
        self._left = 0  # buttons left of the stretch
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.unit * 6,) * 4)
        column.setSpacing(theme.unit * 3)
        self._heading = label(title, "heading")
        self._heading.setWordWrap(True)
        column.addWidget(self._heading)
        column.addWidget(self._intro)
        column.addLayout(self.body, 1)
        column.addWidget(self.fault)
        column.addLayout(self._buttons)
        self.set_intro(intro)

    def set_heading(self, text: str) -> None:
        """The line at the top; the title of the window stays as it is."""
        self._heading.setText(visible(text))

    def set_intro(self, text: str) -> None:
        """The sentence below the title."""
        self._intro.setText(visible(text))
        self._intro.setVisible(bool(text))

    def add_button(
        self, text: str, act: Callable[[], object], kind: str = "", *, left: bool = False, default: bool = False
    ) -> QPushButton:
        """Add a button at the right; `left` is for what does not end the dialog. `kind`: primary, danger or quiet."""
        button = QPushButton(text, self)
        button.setAutoDefault(True)  # Return presses the button that has the keyboard
        button.setDefault(default)
        button.clicked.connect(lambda: act())  # without `clicked`'s own argument
        if kind:
            mark(button, kind=kind)
        self._buttons.insertWidget(self._left if left else self._buttons.count(), button)
        self._left += int(left)
        return button

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
        buttons = [one for one in self.findChildren(QPushButton) if one.isEnabled() and one.parent() is self]
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
        layout = self.layout()
        if layout is not None:
            layout.activate()
            needed = max(layout.totalMinimumSize().height(), layout.totalHeightForWidth(self.width()))
            self.resize(self.width(), needed)
            if self.isVisible():
                fit_to_screen(self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fit_to_screen(self)


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
            quiet = label(hint, "muted")
            quiet.setWordWrap(True)
            self.rows.addRow("", quiet)
        return field

    def add_submit(self, text: str, act: Callable[[], object], *, danger: bool = False) -> QPushButton:
        """Cancel and the button that does it."""
        self.add_button("Cancel", self.reject)
        submit = self.add_button(text, act, "danger" if danger else "primary", default=True)
        QShortcut(QKeySequence("Ctrl+Return"), self, partial(self._press, submit)).setAutoRepeat(False)
        return submit

    def _press(self, button: QPushButton) -> None:
        if button.isEnabled():
            button.click()
