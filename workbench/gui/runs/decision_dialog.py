"""Base class of the dialogs in which the user decides about a program, a call, a plan or a server's request."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from workbench.api.client_texts import confirmation_name
from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import AllowButton, FoldingRow, RoomyButton
from workbench.gui.kit.dialogs import LaterDialog, fit_to_screen
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import countdown
from workbench.gui.shell.context import Context
from workbench.records import Fault, Risk, Verdict

T = TypeVar("T")
_CLOCK_MS = 500
_SUMMARY = 60  # characters of what an ended request would have done
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PRESS = (*_ENTER, Qt.Key.Key_Space)  # keys that press the button with the focus; `FocusKeys` turns Enter into Space
_PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)  # Qt sends both for a second click


def is_high(risk: Risk) -> bool:
    """Whether the risk is high or critical, so that allowing it takes more than a click."""
    return risk in (Risk.HIGH, Risk.CRITICAL)


class NameToType(QWidget):
    """Asks for a name that must be typed before something critical can be allowed. Hidden while none is needed."""

    typed = Signal()

    def __init__(self, theme: Theme, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = ""
        """What must be typed; empty: nothing."""
        self._prompt = ForeignLabel()
        self._prompt.setWordWrap(False)
        self.line = QLineEdit()
        self.line.setAccessibleName(accessible_name)
        self.line.textChanged.connect(self.typed)
        row(self, self._prompt, self.line, spacing=theme.unit * 2, grows=self.line)
        self.hide()

    def ask(self, verdict: Verdict | None, prompt: str) -> None:
        """Ask for a name if the program is critical; `prompt` has a place for it. Earlier input is removed."""
        critical = verdict is not None and verdict.risk is Risk.CRITICAL
        self.name = name = confirmation_name(verdict) if critical and verdict else ""
        self.line.clear()
        self._prompt.setText(prompt.format(visible(name)))
        self.line.setPlaceholderText(visible(name))
        self.setVisible(bool(name))

    def is_right(self) -> bool:
        return not self.name or self.line.text().strip() == self.name


class ReasonRow(QWidget):
    """A line for the reason of a denial, with the button that sends it."""

    submitted = Signal(str)
    """Carries the reason, which may be empty."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = QLineEdit()
        self.line.setPlaceholderText("Why not? The agent reads this.")
        self.line.setAccessibleName("Reason for denying")
        self.line.returnPressed.connect(self._submit)
        send = QPushButton(icon("x", "muted"), "Deny with this reason")
        send.setAutoDefault(False)
        send.clicked.connect(self._submit)
        row(self, self.line, send, spacing=theme.unit * 2, grows=self.line)
        self.hide()

    def _submit(self) -> None:
        self.submitted.emit(self.line.text().strip())


class DecisionDialog(LaterDialog):
    """One request, decided at most once. Escape and × put it away and never answer; Enter presses Deny at first.

    It is a page of the Review dialog (`embed`) or a window of its own. Subclasses lay out the buttons that they need;
    the others are never shown.
    """

    parting = ""  # what is said once it has closed by itself
    undo_until = 0.0  # the user denied it and can undo that until this time
    decided = Signal(object)
    """Carries the answer that the core accepted."""
    ended = Signal()
    """The request ended without an answer of this page: `ending` says how."""
    put_away_wanted = Signal()
    """The user wants to answer later. Only of a page, which cannot hide its window by itself."""
    is_elicitation = False
    plan_for = ""  # the waiting run whose plan this is
    lost = Fault("The connection to the core was lost.", "Nothing was allowed. What waited was denied.")

    def __init__(
        self,
        context: Context,
        request_id: str,
        title: str,
        waiting: str,
        parent: QWidget | None = None,
        *,
        modal: bool = False,
    ) -> None:
        """`waiting` names what waits, for the tooltips: "the program", "the call"."""
        super().__init__(parent)
        self.context = context
        self.request_id = request_id  # of the run, dry run, held call or elicitation
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if modal:
            self.setWindowModality(Qt.WindowModality.WindowModal)
        theme = context.theme
        self._sending = False
        self._ending: Fault | None = None  # it ended while an answer was being sent
        self.ending: Fault | None = None
        """How the request ended without an answer of this page."""
        self.answer_refused = False
        """Whether the core did not accept the last answer."""
        self._opened_at = time.monotonic()
        self._deadline = self._clock_left = 0.0
        self._last_press: tuple[QObject, int] = self, -QApplication.doubleClickInterval()  # button, and when in ms
        self._countdown_text = "denied in {}"
        self.fault = Notice(theme)
        self.countdown = label("", "muted")
        self.reason_row = ReasonRow(theme)
        self.reason_row.submitted.connect(self.deny)
        later = f"Hide this dialog; {waiting} keeps waiting for your answer (Escape)"
        self.later_button = self.make_button("Later", "hourglass", self.put_away, later, gives_way=True)
        self.deny_button = self.make_button("Deny", "x", self.deny, f"Deny {waiting}; its author is told")
        self.deny_button.setDefault(True)
        self.reason_button = self.make_button("Deny with reason…", "message", self._ask_reason, gives_way=True)
        self.close_button = self.make_button("Close", "x", self.reject)
        self.allow_button = AllowButton("Allow once")
        self.allow_button.allowed.connect(self.allow)
        mark(self.later_button, kind="quiet")
        self.answer_widgets: list[QWidget] = []
        """Hidden once the request is over."""
        self._clock = QTimer(self, interval=_CLOCK_MS)
        self._clock.timeout.connect(self._tick)
        self._clock.start()

    # as a page of the Review dialog

    def embed(self) -> None:
        """Become a page: no window of its own, and no place or focus that it takes by itself."""
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setAttribute(Qt.WidgetAttribute.WA_Moved)  # else QDialog moves itself when it is shown

    @property
    def away(self) -> bool:
        return super().away if self.isWindow() else not self.isVisible()

    def put_away(self) -> None:
        if self.isWindow():
            super().put_away()
        else:
            self.put_away_wanted.emit()

    def show_obstacle(self) -> str:
        """Lead the user to what has to be done before the request can be allowed. Returns it in a sentence."""
        return self.obstacle()

    @property
    def is_risky(self) -> bool:
        """Whether allowing it by keyboard takes one key more."""
        return False

    # for subclasses

    def summary(self) -> str:
        """What the request would do, in one sentence."""
        return self.windowTitle()

    def dry_run_ended(self, fault: Fault | None) -> None:
        """A dry run of this program has ended or was not possible."""

    def allow(self) -> None:
        """Send the approval, unless there is an obstacle."""
        raise NotImplementedError

    def deny(self, reason: str = "") -> None:
        """Send the denial, with a reason where there is one."""
        raise NotImplementedError

    def obstacle(self) -> str:
        """Why the request cannot be allowed now; empty where it can."""
        return "This has been decided." if self._over or self._sending else ""

    def is_reading(self, focus: QWidget) -> bool:
        """Whether the widget with the focus is one that the user reads: Enter does nothing there."""
        return False

    def take_focus(self) -> None:
        """Give the focus to the button that is safe to press by accident."""
        self.deny_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def hide_reason(self) -> None:
        self.reason_row.hide()
        self.reason_button.setEnabled(True)

    def sending_failed(self) -> None:
        """The core did not accept the answer, which can be given again."""

    # the request

    @property
    def is_over(self) -> bool:
        return self._over

    def seconds_open(self) -> float:
        return round(time.monotonic() - self._opened_at, 2)

    def can_allow(self) -> bool:
        return not self.obstacle() and self.allow_button.settled()

    def update_allow(self) -> None:
        """The obstacle may be a different one now."""
        self.allow_button.set_obstacle(self.obstacle())

    def restart_settling(self) -> None:
        """Something else is shown: no key that was meant for what was there before presses a button."""
        focus = self.window().focusWidget()
        if isinstance(focus, AllowButton) and self.isAncestorOf(focus):
            self.take_focus()  # Qt would give the keyboard of a disabled button to whatever is next
        for button in self.findChildren(AllowButton):
            button.restart_settling()

    def set_deadline(self, deadline: float, text: str = "denied in {}", clock_left: float = 0.0) -> None:
        """Count down to this time; 0: there is no limit. At zero the dialog waits for the core, which ends the request:
        the core's clock may differ from the wall clock after a suspend. `clock_left`: the clock is stopped with so many
        seconds, because the user is reviewing.
        """
        self._deadline, self._countdown_text, self._clock_left = deadline, text, clock_left
        self._tick()

    def show_fault(self, fault: Fault | WorkbenchError | None, tone: str = "danger") -> None:
        shown = Fault(fault.message, fault.hint) if isinstance(fault, WorkbenchError) else fault
        self.fault.show_fault(shown, tone=tone)

    def submit(self, name: str, request: Callable[[], Coroutine[Any, Any, T]], done: Callable[[T], None]) -> None:
        """Send something to the core; nothing else can be sent meanwhile. Any: as in `Tasks.run`."""
        if not self._over and not self._sending:
            self._sending, self.answer_refused = True, False
            self.update_allow()
            self.context.tasks.run(name, self._submit(request, done))

    def close_with(self, answer: object) -> None:
        """The core accepted the answer."""
        self._over = True
        self.decided.emit(answer)
        self.accept()

    def end(self, fault: Fault) -> None:
        """Nothing can be decided here any more; say why. An answer that is being sent comes first."""
        if self._sending:
            self._ending = fault
        elif not self._over:
            self.ending = fault
            self._clock.stop()
            self.countdown.hide()
            self.reason_row.hide()
            self.restart_settling()
            self.show_fault(fault, "info")
            for widget in self.answer_widgets:
                widget.hide()
            self.close_button.show()
            self.close_button.setDefault(True)
            self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)
            self.ended.emit()
            self._finish()
            self.update_allow()

    def ending_sentence(self, *, unused: bool) -> str:
        """How the request ended. `unused`: an answer of the user came too late."""
        how = self.ending.message.rstrip(".") if self.ending is not None else ""
        late = "; your answer was not used" if unused else ""
        return f"“{one_line(self.summary().rstrip('.'), _SUMMARY)}”: {how[:1].lower()}{how[1:]}{late}."

    def core_lost(self) -> None:
        """The core is gone, and the request with it."""
        self._sending = False
        self.end(self.lost)

    # for tests

    def button(self, text: str) -> QPushButton:
        """The visible button with this text, or this name where its text had no room. Raises KeyError."""
        visible_buttons = (button for button in self.findChildren(QPushButton) if button.isVisibleTo(self))
        buttons = {button.text() or button.accessibleName(): button for button in visible_buttons}
        if text not in buttons:
            raise KeyError(f"{text!r} is none of {sorted(buttons)}")
        return buttons[text]

    # what Qt calls

    def reject(self) -> None:
        """Escape leaves the line for the reason first, then puts the dialog away."""
        if not self._over and not self.reason_row.isHidden():
            self.hide_reason()
            self.take_focus()
        else:
            super().reject()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.isWindow():
            fit_to_screen(self)
        if not self._over:
            self._opened_at = time.monotonic()
            self.restart_settling()
            if self.isWindow() and not event.spontaneous():  # not when the window manager shows it again
                self.take_focus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow() and not self._over:
            self.restart_settling()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A button with the focus takes Enter before the dialog does."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._ignores_press(event):
            return True
        if isinstance(event, QMouseEvent) and event.type() in _PRESSES:
            return self._is_second_click(watched, event.timestamp())
        return super().eventFilter(watched, event)

    def _is_second_click(self, button: QObject, at: int) -> bool:
        """Whether this press is the second of a double click on a different button, which has made way for this one."""
        first, first_at = self._last_press
        if first is not button and 0 < at - first_at < QApplication.doubleClickInterval():
            return True
        self._last_press = button, at
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the default button, but not in text that the user reads."""
        focus = self.focusWidget()
        reading = focus is not None and self.is_reading(focus) and event.key() in _ENTER
        if reading or self._ignores_press(event):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _ignores_press(self, event: QKeyEvent) -> bool:
        """A key that was down before the dialog came, or that is held down, presses nothing."""
        return event.key() in _PRESS and (event.isAutoRepeat() or not self.allow_button.settled())

    # layout

    def make_button(
        self, text: str, symbol: str, act: Callable[[], object], tip: str = "", *, gives_way: bool = False
    ) -> QPushButton:
        """`gives_way`: it drops its text where there is no room for it."""
        picture = icon(symbol, "muted")
        button = RoomyButton(self.context.theme, picture, text) if gives_way else QPushButton(picture, text)
        button.setAutoDefault(True)  # Enter presses the button that has the keyboard
        button.installEventFilter(self)
        button.clicked.connect(lambda: act())  # without `clicked`'s own argument
        button.setToolTip(tip)
        return button

    def make_head(self, symbol: str, tone: str, title: QWidget, *below: QWidget | QLayout) -> QVBoxLayout:
        """Icon, title and countdown in one line, and what belongs below it."""
        unit = self.context.theme.unit
        picture = QLabel()
        picture.setPixmap(pixmap(symbol, tone, unit * 5, self.devicePixelRatioF()))
        mark(title, role="heading")
        top = row(None, picture, title, self.countdown, spacing=unit * 2, grows=title)
        return column(None, top, *below, margins=(unit * 4, unit * 4, unit * 4, unit * 2), spacing=unit * 2)

    def make_foot(self, left: Sequence[QPushButton], right: Sequence[QPushButton], *above: QWidget | QLayout) -> QFrame:
        """The buttons, in two rows where it is narrow, and what belongs above them."""
        unit = self.context.theme.unit
        foot = QFrame()
        mark(foot, kind="strip")
        sides = row(None, *left, None, spacing=unit * 2), row(None, None, *right, self.close_button, spacing=unit * 2)
        buttons = FoldingRow(None, *sides, unit * 2)
        column(foot, *above, buttons, margins=(unit * 4, unit * 3, unit * 4, unit * 3), spacing=unit * 2)
        self.close_button.hide()
        self.answer_widgets += [*left, *right]
        return foot

    def set_size(self, width: int, height: int) -> None:
        """The size at first, in units of the theme."""
        unit = self.context.theme.unit
        self.setMinimumSize(self.fontMetrics().averageCharWidth() * 56, self.fontMetrics().lineSpacing() * 18)
        self.resize(QSize(unit * width, unit * height).boundedTo(self.screen().availableSize()))

    # private

    def _ask_reason(self) -> None:
        """Its button stays in its place, so that the second click of a double click does not hit Deny."""
        self.reason_row.show()
        self.reason_row.line.setFocus()
        self.reason_button.setEnabled(False)

    def _tick(self) -> None:
        self.countdown.setVisible(self._deadline > 0 and not self._over)
        stopped = f"clock stopped at {countdown(self._clock_left, 0.0)}"
        running = self._countdown_text.format(countdown(self._deadline))
        self.countdown.setText(stopped if self._clock_left else running)

    async def _submit(self, request: Callable[[], Coroutine[Any, Any, T]], done: Callable[[T], None]) -> None:
        after: Callable[[], None] = self._answer_again  # also after an unforeseen fault, which `Tasks` reports
        try:
            after = partial(done, await request())
        except WorkbenchError as fault:
            after = partial(self._answer_again, fault)
        finally:
            self._sending = False
            ending, self._ending = self._ending, None
            if isValid(self) and not self._over:
                after()
                if ending is not None:  # nothing happens here if the answer itself has ended the request
                    self.end(ending)
                self.update_allow()

    def _answer_again(self, fault: WorkbenchError | None = None) -> None:
        """The core did not accept the answer: show what is right now, and let the user answer again."""
        self.answer_refused = True
        self.show_fault(fault)
        self.restart_settling()
        self.sending_failed()


def scrolled(inner: QWidget) -> QScrollArea:
    """A widget that scrolls where it does not fit; the focus goes to what is in it."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inner)
    return area
