"""Calls one tool: the form on one side, what came of it on the other."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import CallProgress
from workbench.gui.context import Context
from workbench.gui.docks.call_answer import CallAnswer
from workbench.gui.docks.call_menu import CallMenu
from workbench.gui.forms.form import SchemaForm
from workbench.gui.icons import icon
from workbench.gui.question_bar import Answer, QuestionBar
from workbench.gui.roomy_button import RoomyButton
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.gui.views import tool_button
from workbench.records import CallDecision, Fault, JsonObject, Origin, Outcome, Permission, Tool, ToolCall

_WIDE = 90  # letters of width from which form and result stand beside each other
_LOW = 76  # the same where there is too little height to stand below each other
_LEAST, _LINES = 56, 20  # the same where there are fewer lines of height than this: neither would be seen
_SHORT = 300  # characters of the arguments that a question repeats


class CallPanel(QWidget):
    """Ctrl+Enter runs, Escape cancels; a dangerous tool asks here, in place, before anything reaches the server."""

    code_wanted = Signal(str)
    status_message = Signal(str)
    trust_wanted = Signal()
    finished = Signal(object)
    """Carries the Outcome."""
    edited = Signal(str, str)
    """The form of this server's tool says something else than before."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self._call_id = ""
        self._kept: JsonObject | None = None  # the draft of the form that can be brought back
        self.menu = CallMenu(context, tool, self._arguments)
        self.menu.said.connect(self.status_message)
        self.menu.recent_wanted.connect(self.take)
        self.finished.connect(self._remember)
        self._build()
        self.form.set_schema(tool.input_schema)
        self.setFocusProxy(self.form.first_field() or self._run)

    def show_trust(self) -> None:
        """Go to what a person trusts in this tool."""
        self.trust_wanted.emit()

    @property
    def running(self) -> bool:
        return bool(self._call_id)

    def run(self) -> None:
        """Send what is in the form; where it has faults, ask first, because a tester may want to send them."""
        if self.running:
            return
        self.form.scold()
        if fault := self.form.no_object():
            hint = "Nothing was sent: a call takes one JSON object. Correct the text, then run it again."
            self._ask.tell("alert", "warning", fault, hint)
            return
        faults = self.form.faults()
        if not faults:
            self._send(confirmed=False)
            return
        path, sentence = faults[0]
        more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
        words = f"{path} {sentence}{more}" if path else f"{sentence}{more}"
        hint = "Nothing was sent. Send it anyway to see how the server takes it."
        self._ask.ask("alert", "warning", words, hint, "Send anyway", self._send_unchecked)

    def cancel(self) -> None:
        """Take back the question, or end the call at the server."""
        if not self._ask.isHidden():
            self._ask.dismiss()
        elif self.running:
            self._cancel.setEnabled(False)
            self._context.tasks.run("cancel a call", self._context.api.cancel_call(self._call_id))

    def progress(self, event: CallProgress) -> None:
        if event.call_id == self._call_id:
            self.answer.show_progress(event.progress, event.total, event.message)

    def open_as_code(self) -> None:
        """The same call as a program, in the editor."""
        api, tool = self._context.api, self._tool
        try:
            arguments = self.form.value()
        except WorkbenchError as fault:
            self.status_message.emit(f"{fault.message} {fault.hint}")
            return
        coro = api.call_as_code(tool.server, tool.name, arguments)
        self._context.tasks.run("write the call as code", coro, self.code_wanted.emit)

    def reset(self) -> None:
        """Back to what the schema proposes; the arguments before it can be fetched back."""
        self._keep_arguments()
        self.form.reset()
        self.status_message.emit("Form reset. “Bring back the last arguments” undoes it.")

    def bring_back(self) -> None:
        """The arguments of the last call, or those that a reset or a paste replaced."""
        if self._kept is not None:
            kept = self._kept
            self._keep_arguments()
            self.form.show_draft(kept)

    def paste(self) -> None:
        """Take the arguments from JSON in the clipboard."""
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._keep_arguments()
            self.form.paste(text)
        else:
            self.status_message.emit("The clipboard holds no text.")

    def take(self, arguments: Mapping[str, Any], *, start: bool = False) -> None:  # Any: JSON arguments
        """Fill the form with the arguments of another call; what stood there can be brought back."""
        if self.running:
            self.status_message.emit("A call is under way here; cancel it first.")
            return
        self._keep_arguments()
        self.form.set_value(arguments)
        if start:
            self.run()

    def save_call(self) -> None:
        self.menu.save()

    def copy_call(self) -> None:
        self.menu.showMenu()

    def _arguments(self) -> dict[str, Any]:  # Any: JSON arguments
        return self.form.value()

    def _remember(self, outcome: Outcome) -> None:
        self.menu.outcome = outcome

    def switch_json(self) -> None:
        """Fields or JSON."""
        self.form.show_json(not self.form.json_shown())

    def search(self) -> None:
        """Search in the answer."""
        self.answer.result.open_find()

    def save(self) -> None:
        """Write the answer into a file."""
        self.answer.result.save()

    def _keep_arguments(self) -> None:
        self._kept = self.form.draft()
        self._back.setEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.run()
        elif event.key() == Qt.Key.Key_Escape and (self.running or not self._ask.isHidden()):
            self.cancel()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        letters = self.width() / self.fontMetrics().averageCharWidth()
        low = self.height() < self.fontMetrics().lineSpacing() * _LINES
        wide = letters >= _WIDE or (letters >= (_LEAST if low else _LOW) and self.height() * 3 < self.width() * 2)
        self._split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _send_unchecked(self) -> None:
        self._send(confirmed=False)

    def _send_confirmed(self) -> None:
        self._send(confirmed=True)

    def _send(self, *, confirmed: bool) -> None:
        tool = self._tool
        self._call_id = uuid.uuid4().hex
        call = ToolCall(
            self._call_id, tool.server, tool.name, self.form.value(), Origin.PERSON, "person", confirmed=confirmed
        )
        self._keep_arguments()
        self._show_running()
        self.answer.begin()
        self._context.tasks.run(f"call {tool.name}", self._call(call))

    async def _call(self, call: ToolCall) -> None:
        try:
            outcome = await self._context.api.call(call)
        except WorkbenchError as fault:
            outcome = Outcome(call.id, ok=False, fault=Fault(fault.message, fault.hint))
        finally:
            self._call_id = ""
            self._show_running()
            self.answer.end()
        self._show(outcome)

    def _show(self, outcome: Outcome) -> None:
        if outcome.needs_confirmation:
            self._confirm(outcome)
            return
        self.answer.show_outcome(outcome, has_schema=self._tool.output_schema is not None)
        self.status_message.emit(self.answer.sentence())
        self.finished.emit(outcome)

    def _confirm(self, outcome: Outcome) -> None:
        self.answer.show_asked()
        fault = outcome.fault or Fault(f"{one_line(self._tool.name)} may change or send something.")
        value = json.dumps(self.form.value(), ensure_ascii=False)
        what = f"It would be called with {one_line(value, _SHORT)}"
        tone = "danger" if outcome.asks == "destroys" else "warning"
        further = self._lasting() if outcome.asks else ()
        self._ask.ask("alert", tone, fault.message, what, "Call once", self._send_confirmed, further)

    def _lasting(self) -> tuple[Answer, ...]:
        """Answers that outlive this call; they are about calls that the user makes by hand, and nothing else."""
        limits = "Programs and agents still ask. Revoke it under Workbench > What you allowed."
        server = one_line(self._tool.server, 60)
        return (
            (
                "Always call this tool",
                "Your own calls of this tool no longer ask, until its definition changes." + f" {limits}",
                partial(self._allow_and_send, self._tool.name),
            ),
            (
                "Trust this server",
                f"Your own calls of every tool of {server} no longer ask, until its command or address changes."
                + f" {limits}",
                partial(self._allow_and_send, ""),
            ),
        )

    def _allow_and_send(self, tool: str) -> None:
        permission = Permission("", "own", CallDecision.ALLOW, self._tool.server, tool)
        self._context.tasks.run("allow your own calls", self._allow(permission))

    async def _allow(self, permission: Permission) -> None:
        try:
            await self._context.api.set_permission(permission)
        except WorkbenchError as fault:
            self.answer.show_not_sent()
            self.answer.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._send_confirmed()

    def _form_changed(self) -> None:
        """A yes is to the arguments that were shown; others are asked about anew."""
        self.edited.emit(self._tool.server, self._tool.name)
        if not self._ask.isHidden():
            self._ask.dismiss()

    def _show_running(self) -> None:
        """One of two buttons in the same place, which keeps the keyboard where it was there."""
        shown, hidden = (self._cancel, self._run) if self.running else (self._run, self._cancel)
        shown.setVisible(True)
        shown.setEnabled(True)
        if hidden.hasFocus():
            shown.setFocus(Qt.FocusReason.OtherFocusReason)
        hidden.setVisible(False)

    def _build(self) -> None:
        self.form = SchemaForm(self._context.theme)
        self.answer = CallAnswer(self._context)
        self.answer.result.said.connect(self.status_message)
        self.form.changed.connect(self._form_changed)
        self._ask = QuestionBar(self._context.theme)
        self._ask.dismissed.connect(self.answer.show_not_sent)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.form, 1)
        column.addWidget(self._ask)
        column.addWidget(self._foot())
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(left)
        self._split.addWidget(self.answer)
        for side in (left, self.answer):
            side.setMinimumWidth(self._context.theme.unit * 55)  # what is shown in it must not make a window grow
        self._split.setSizes([400, 500])
        self.setMinimumHeight(self._context.theme.unit * 35)  # a question or an answer must not make the window grow
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)

    def _foot(self) -> QFrame:
        unit = self._context.theme.unit
        foot = QFrame()
        mark(foot, kind="strip")
        row = QHBoxLayout(foot)
        row.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        row.setSpacing(unit)
        self._run = QPushButton(icon("play", "on_accent"), "Run", foot)
        self._run.setToolTip("Call the tool (Ctrl+Enter)")
        mark(self._run, kind="primary")
        self._run.setMinimumWidth(self._run.sizeHint().width())  # what is beside it gives way
        self._run.clicked.connect(self.run)
        self._cancel = QPushButton(icon("stop", "danger"), "Cancel", foot)
        self._cancel.setToolTip("End this call (Escape)")
        self._cancel.setShortcut(QKeySequence(Qt.Key.Key_Escape))  # wherever in the window the keyboard is
        self._cancel.clicked.connect(self.cancel)
        self._cancel.hide()
        code = RoomyButton(self._context.theme, icon("code", "muted"), "Open as code", foot)
        code.setToolTip("Write this call as a program in the editor")
        mark(code, kind="quiet")
        code.clicked.connect(self.open_as_code)
        row.addWidget(self._run)
        row.addWidget(self._cancel)
        row.addWidget(code)
        row.addWidget(self.menu)
        row.addStretch(1)
        for symbol, words, act in (
            ("undo", "Bring back the last arguments", self.bring_back),
            ("copy", "Paste JSON as arguments (Ctrl+Shift+V)", self.paste),
            ("refresh", "Reset the form (Ctrl+Shift+R)", self.reset),
        ):
            button = tool_button(symbol, words, self._context.theme)
            button.clicked.connect(act)
            row.addWidget(button)
            if symbol == "undo":
                self._back = button
        self._back.setEnabled(False)
        return foot
