"""Opens the dialogs that ask for a decision, one per id, and tells them when the core is gone."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from workbench.errors import WorkbenchError
from workbench.events import AskArrived, AskSettled, CallHeld, Event, HeldCallSettled, RunChanged, spawn
from workbench.gui.kit.text import one_line
from workbench.gui.runs.strips import AskStrip, HeldCallStrip, own_call
from workbench.gui.shell.bridge import Link, LinkState
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun
from workbench.records import Ask, Decision, Fault, Run, RunState

if TYPE_CHECKING:
    from workbench.gui.runs.approval import ApprovalDialog
    from workbench.gui.runs.elicitations import AskDialog
    from workbench.gui.runs.held_calls import HeldCallDialog
    from workbench.gui.runs.plan import PlanDialog


PAUSE = 1.5  # seconds without a letter after which nobody is typing
_TYPED_INTO = (QLineEdit, QPlainTextEdit, QTextEdit, QComboBox)
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class Keystrokes(QObject):
    """Watches the one widget that has the keyboard, not the whole application."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last = 0.0
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._move)
        self._move(None, app.focusWidget())

    def typing(self) -> bool:
        return time.monotonic() - self._last < PAUSE

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            command = bool(event.modifiers() & _COMMANDS)
            self._last = 0.0 if command else time.monotonic()  # Ctrl+Enter sends: what was typed is done
        return False

    def _move(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None:
            before.removeEventFilter(self)
        if isinstance(now, _TYPED_INTO):
            now.installEventFilter(self)


class ApprovalDialogs(QObject):
    """Belongs to one window."""

    allowed = Signal(str)
    """The id of a run that may go on now."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._open: dict[str, ApprovalDialog] = {}  # by run: one run is never asked about twice

    def show(self, run: Run) -> None:
        if run.id in self._open:
            self._open[run.id].come_back()
            return
        from workbench.gui.runs.approval import ApprovalDialog

        dialog = ApprovalDialog(self._context, run, self._window)
        self._open[run.id] = dialog
        dialog.decided.connect(self._decided)
        dialog.destroyed.connect(lambda: self._open.pop(run.id, None))
        dialog.open()

    def show_refusal(self, run_id: str, fault: Fault) -> None:
        """Show why a dry run is not possible or gave no plan."""
        if (dialog := self._open.get(run_id)) is not None:
            dialog.show_dry_run(on=False, fault=fault)

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged) and event.run.ended:
            waiting = self._open.get(event.run.proposal.dry_run_of)
            if waiting is not None and event.run.proposal.dry_run:
                waiting.show_dry_run(on=False)
        for dialog in tuple(self._open.values()):
            dialog.hear(event)

    def link(self, link: Link) -> None:
        """A question of a core that is gone cannot be answered any more."""
        if link.state is not LinkState.LINKED:
            for dialog in tuple(self._open.values()):
                dialog.core_lost()

    def put_away(self, run_id: str) -> None:
        """It was answered in another dialog of this window."""
        if (dialog := self._open.get(run_id)) is not None:
            dialog.done(QDialog.DialogCode.Accepted)

    def _decided(self, decision: Decision) -> None:
        """What was allowed is watched."""
        if decision.allow:
            self.allowed.emit(decision.run_id)


OVER = (RunState.DONE, RunState.FAILED)
_WITHOUT = (RunState.REFUSED, RunState.STOPPED, RunState.INTERRUPTED)


class Plans(QObject):
    """Belongs to one window."""

    refused = Signal(str, object)
    """The id of a waiting run, and the Fault that says why there is no plan for it."""
    decided = Signal(str)
    """The id of a waiting run that goes on by its plan."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._awaited: set[str] = set()  # dry runs that were started in this window
        self._open: dict[str, PlanDialog] = {}

    def dry_run(self, run_id: str) -> None:
        """Start a dry run of a program that waits for approval, and show its plan."""
        self._context.tasks.run("start a dry run of a waiting program", self._dry_run(run_id))

    def show(self, run_id: str) -> None:
        """Show the plan of a dry run, at once or when it is over."""
        self._awaited.add(run_id)
        self._context.tasks.run("read a plan", self._load(run_id))

    def link(self, link: Link) -> None:
        """A plan is lost when the core that made it ends."""
        if link.state is not LinkState.LINKED:
            self._awaited.clear()
            for dialog in self._open.values():
                dialog.end("The core is gone, and with it the plan.")

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged):
            self._take(event.run)
            for dialog in tuple(self._open.values()):
                dialog.hear(event)

    async def _dry_run(self, run_id: str) -> None:
        try:
            run = await self._context.api.dry_run_waiting(run_id)
        except WorkbenchError as fault:
            self._context.say(f"{fault.message} {fault.hint}")
            self.refused.emit(run_id, Fault(fault.message, fault.hint))
            return
        self._context.say("The dry run has started. Reading works; everything else is held back.")
        self._context.go(FollowRun(run.id))
        self.show(run.id)

    async def _load(self, run_id: str) -> None:
        try:
            self._take(await self._context.api.run(run_id))
        except WorkbenchError as fault:
            self._awaited.discard(run_id)
            self._context.say(f"{fault.message} {fault.hint}")

    def _take(self, run: Run) -> None:
        if run.id not in self._awaited:
            return
        if run.state in OVER:
            self._awaited.discard(run.id)
            self._show(run)
        elif run.state in _WITHOUT:
            self._awaited.discard(run.id)
            words = "The dry run gave no plan. Its page says why."
            self._context.say(words)
            self.refused.emit(run.proposal.dry_run_of, run.fault or Fault(words))

    def _show(self, run: Run) -> None:
        if (dialog := self._open.get(run.id)) is not None:
            dialog.activateWindow()
            return
        from workbench.gui.runs.plan import PlanDialog

        dialog = PlanDialog(self._context, run, self._window)
        self._open[run.id] = dialog
        dialog.finished.connect(self._closed)
        dialog.started.connect(self._started)
        dialog.open()

    def _started(self, real: Run) -> None:
        dialog = self.sender()
        waiting = next((one.run for one in self._open.values() if one is dialog), None)
        if waiting is not None and waiting.proposal.dry_run_of:
            self.decided.emit(waiting.proposal.dry_run_of)
        self._context.go(FollowRun(real.id))

    def _closed(self) -> None:
        gone = self.sender()
        self._open = {run_id: dialog for run_id, dialog in self._open.items() if dialog is not gone}


_ENDINGS = {
    "allowed": "This was allowed elsewhere.",
    "denied": "This was denied elsewhere.",
    "timed out": "Time ran out: the call was denied.",
    "withdrawn": "The run ended; nobody has to decide any more.",
}


class HeldCallDialogs(QObject):
    """Belongs to one window."""

    def __init__(self, context: Context, strip: HeldCallStrip, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._strip = strip
        self._window = window
        self._open: dict[str, HeldCallDialog] = {}

    def link(self, link: Link) -> None:
        """A core that is gone has refused what waited."""
        if link.state is not LinkState.LINKED:
            for dialog in tuple(self._open.values()):
                dialog.end("The core is gone; what waited was denied.")

    def hear(self, event: Event) -> None:
        if isinstance(event, CallHeld):
            if (dialog := self._open.pop(event.before, None)) is not None:
                self._open[event.held_call.id] = dialog
                dialog.show_held_call(event.held_call)
        elif isinstance(event, HeldCallSettled) and (dialog := self._open.get(event.held_call.id)) is not None:
            dialog.end(_ENDINGS.get(event.ending, "Nobody has to decide any more."))

    def show(self, held_call_id: str = "") -> None:
        """Open a held call; of none named, the one whose time ends first."""
        held_call = self._strip.held_call(held_call_id)
        if held_call is None:
            self._context.say("No call waits for you now.")
        elif (dialog := self._open.get(held_call.id)) is not None:
            dialog.come_back()
        else:
            from workbench.gui.runs.held_calls import HeldCallDialog

            dialog = HeldCallDialog(self._context, held_call, self._window)
            self._open[held_call.id] = dialog
            dialog.finished.connect(self._closed)
            dialog.show()

    def dialogs(self) -> tuple[HeldCallDialog, ...]:
        return tuple(self._open.values())

    def _closed(self) -> None:
        gone = self.sender()
        self._open = {held_call_id: dialog for held_call_id, dialog in self._open.items() if dialog is not gone}


_OVER = {
    "withdrawn": "{} does not wait for your answer any more.",
    "timed out": "The time for the request of {} is over.",
}


class AskDialogs(QObject):
    """Belongs to one window."""

    def __init__(self, context: Context, strip: AskStrip, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._strip = strip
        self._window = window
        self._keys = Keystrokes(self)
        self._open: dict[str, AskDialog] = {}

    def link(self, link: Link) -> None:
        """A core that is reached hears that somebody is there; one that is gone takes its questions with it."""
        if link.state is LinkState.LINKED:
            spawn("attend to servers", self._attend())
        else:
            for dialog in tuple(self._open.values()):
                dialog.end()

    def hear(self, event: Event) -> None:
        if isinstance(event, AskArrived):
            if (dialog := self._open.get(event.ask.id)) is not None:
                dialog.show_ask(event.ask)
            else:
                self._raise_own(event.ask)
        elif isinstance(event, AskSettled):
            self._settle(event)

    def show(self, ask_id: str = "") -> None:
        """Open a question, the oldest one if none is named."""
        ask = self._strip.ask(ask_id) or next(iter(self._strip.asks()), None)
        if ask is None:
            self._context.say("No server waits for your input.")
        elif (dialog := self._open.get(ask.id)) is not None:
            dialog.come_back()
        else:
            self._present(ask)

    def dialogs(self) -> tuple[AskDialog, ...]:
        return tuple(self._open.values())

    async def _attend(self) -> None:
        with contextlib.suppress(WorkbenchError):  # the core is gone, or the window: nobody is there any more
            await self._context.api.attend()

    def _raise_own(self, ask: Ask) -> None:
        """A person who waits for their own call sees its question at once, unless they are busy with something."""
        busy = self._keys.typing() or QApplication.activeModalWidget() is not None
        if own_call(ask) and not busy and not self._in_front() and self._window.isVisible():
            self._present(ask)

    def _in_front(self) -> bool:
        return any(not dialog.away for dialog in self._open.values())

    def _present(self, ask: Ask) -> None:
        from workbench.gui.runs.elicitations import AskDialog

        dialog = AskDialog(self._context, ask, self._window)
        self._open[ask.id] = dialog
        dialog.finished.connect(self._closed)
        dialog.show()

    def _closed(self) -> None:
        gone = self.sender()
        self._open = {ask_id: dialog for ask_id, dialog in self._open.items() if dialog is not gone}

    def _settle(self, event: AskSettled) -> None:
        dialog = self._open.pop(event.ask.id, None)
        if dialog is None:
            return
        dialog.end()
        if event.ending in _OVER:
            self._context.say(_OVER[event.ending].format(one_line(event.ask.server, 60)))
            return
        asks = (ask for ask in self._strip.asks() if own_call(ask) and ask.id not in self._open)
        if not self._in_front() and (following := next(asks, None)) is not None:
            self._present(following)  # the next question of the user's own calls, unless they put it away
