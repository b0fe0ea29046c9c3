"""The button below a form: save the call, or copy it in the words of another tool."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from operator import methodcaller
from typing import Any, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import CallProgress
from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.controls import RoomyButton
from workbench.gui.kit.faults import Answer, FaultCard, QuestionBar
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import EmptyState, Strip, tool_button
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import cost, duration
from workbench.gui.results.result_view import ResultView
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import SaveCall, ShowCode
from workbench.records import (
    CallDecision,
    Fault,
    JsonObject,
    Origin,
    Outcome,
    PastCall,
    PastQuery,
    Permission,
    SavedCall,
    Tool,
    ToolCall,
)

_RECENT = 8  # earlier calls in the menu


class CallMenu(RoomyButton):
    """Knows the tool; asks for the arguments and the last answer when they are needed."""

    recent_wanted = Signal(object)
    """Carries the arguments of an earlier call."""

    def __init__(
        self, context: Context, tool: Tool, arguments: Callable[[], dict[str, Any]], parent: QWidget | None = None
    ) -> None:
        """Any: JSON arguments."""
        super().__init__(context.theme, icon("bookmark", "muted"), "Save or copy", parent)
        self._context = context
        self._tool = tool
        self._arguments = arguments
        self.outcome: Outcome | None = None
        self.setToolTip("Save call, or copy as code")
        mark(self, kind="quiet")
        menu = QMenu(self)
        menu.addAction(icon("save", "muted"), "Save the call… (Ctrl+Shift+S)", self.save)
        self.recent = menu.addMenu(icon("history", "muted"), "Recent calls of this tool")
        menu.aboutToShow.connect(self._ask_recent)
        menu.addSeparator()
        for words, form in self.forms():
            menu.addAction(icon("copy", "muted"), words, partial(self.copy, form))
        self.setMenu(menu)

    def forms(self) -> tuple[tuple[str, str], ...]:
        return (
            ("Copy as Python", "python"),
            ("Copy as JSON-RPC message", "json-rpc"),
            ("Copy as curl, or a pipe for stdio", "curl"),
            ("Copy as mcp-workbench line", "command"),
        )

    def save(self) -> None:
        try:
            call = SavedCall("", "", self._tool.server, self._tool.name, self._arguments())
        except WorkbenchError as fault:
            self._context.say(f"Not saved. {fault.message} {fault.hint}")
            return
        self._context.go(SaveCall(call, self.outcome))

    def copy(self, form: str) -> None:
        api, tool = self._context.api, self._tool
        try:
            arguments = self._arguments()
        except WorkbenchError as fault:
            self._context.say(f"Nothing was copied. {fault.message} {fault.hint}")
            return
        if form == "python":
            coro = api.call_as_code(tool.server, tool.name, arguments)
        else:
            coro = api.call_as_text(form, tool.server, tool.name, arguments)
        self._context.tasks.run("copy a call", coro, self._copied)

    def _ask_recent(self) -> None:
        query = PastQuery(server=self._tool.server, tool=self._tool.name, limit=_RECENT)
        self._context.tasks.run("recent calls", self._context.api.past_calls(query), self._show_recent)

    def _show_recent(self, calls: tuple[PastCall, ...]) -> None:
        self.recent.clear()
        self.recent.setEnabled(bool(calls))
        for call in calls:
            at = time.strftime("%d %b %H:%M", time.localtime(call.at))
            words = f"{at}   {one_line(call.arguments, 60)}".replace("&", "&&")
            symbol, tone = ("check", "success") if call.ok else ("alert", "danger")
            self.recent.addAction(icon(symbol, tone), words, partial(self._take, call))

    def _take(self, call: PastCall) -> None:
        """Its whole arguments: a list has them shortened."""
        self._context.tasks.run("read a call", self._context.api.past_call(call.id), self._taken)

    def _taken(self, call: PastCall) -> None:
        self.recent_wanted.emit(json.loads(call.arguments))

    def _copied(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._context.say(f"Copied {len(text)} characters.")


_TICK = 1000  # milliseconds between two looks at how long a call has run


class CallAnswer(QWidget):
    """Empty, running, or showing an Outcome."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self._strip = Strip(theme)
        self._sign = QLabel()
        self._words = ForeignLabel(elide=True)
        self._schema = ForeignLabel()
        self._schema.setWordWrap(False)
        self._strip.row.addWidget(self._sign)
        self._strip.row.addWidget(self._words, 1)
        self._strip.row.addWidget(self._schema)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the call")
        self.fault = FaultCard(theme)
        self._schema_fault = FaultCard(theme)
        self.result = ResultView(context, compares=True)
        self._empty = EmptyState(theme, "play", *self._none())
        self._build()
        self._began = 0.0
        self._told = ""  # what the server last said of its progress
        self._tick = QTimer(self, interval=_TICK)
        self._tick.timeout.connect(self._say_running)
        self.clear()

    def clear(self) -> None:
        self._strip.hide()
        self._bar.hide()
        self._show_none()
        self._pages.setCurrentWidget(self._empty)

    def begin(self) -> None:
        """A call is under way; the last result stays readable until the next one is there."""
        self._began, self._told = time.monotonic(), ""
        self._say_running()
        self._tick.start()
        self._empty.say("Waiting for the answer", "It appears here as soon as the server sent it.")
        self._schema.hide()
        self.fault.show_fault(None)
        self._bar.setRange(0, 0)
        self._bar.show()

    def end(self) -> None:
        self._tick.stop()
        self._bar.hide()

    def show_asked(self) -> None:
        """Nothing reached the server; the form asks now."""
        self._say("hourglass", "warning", "Nothing was sent yet: please confirm.")
        self._show_none()

    def show_not_sent(self) -> None:
        """The question was taken back."""
        self._say("ban", "muted", "Nothing was sent.")

    def show_progress(self, progress: float, total: float, message: str) -> None:
        self._bar.setRange(0, 1000 if total > 0 else 0)
        if total > 0:
            self._bar.setValue(round(1000 * min(1.0, progress / total)))
        share = min(1.0, max(0.0, progress / total)) if total > 0 else 0.0
        steps = f"{progress:g} / {total:g} ({share:.0%})" if total > 0 else f"{progress:g}"
        self._told = " · ".join(part for part in (steps, message) if part)
        self._say_running()

    def _say_running(self) -> None:
        self._say("loader", "info", " · ".join(part for part in (self._running(), self._told) if part))

    def _running(self) -> str:
        """With the time since the call began, as soon as there is some to tell."""
        seconds = time.monotonic() - self._began
        return f"Running for {duration(seconds * 1000)}" if seconds >= 1 else "Running…"

    def show_outcome(self, outcome: Outcome, *, has_schema: bool) -> None:
        self._summarize(outcome)
        self._show_schema(outcome, has_schema)
        self.fault.show_fault(outcome.fault)
        fault = Fault(outcome.schema_fault) if outcome.schema_fault else None
        self._schema_fault.show_fault(fault, tone="warning")
        if outcome.content or outcome.structured or outcome.ok:
            self.result.show_outcome(outcome)
            self._pages.setCurrentWidget(self.result)
        else:
            self._empty.say("No result", "The call did not give one; the reason stands above.")
            self._pages.setCurrentWidget(self._empty)

    def _show_none(self) -> None:
        self._empty.say(*self._none())

    def _none(self) -> tuple[str, str]:
        words = "Run the tool: what it answers appears here, with its time, size and token cost."
        return "No result yet", words

    def sentence(self) -> str:
        """The summary line."""
        return self._words.full_text()

    def _summarize(self, outcome: Outcome) -> None:
        figures = [
            duration(outcome.ms),
            size_words(outcome.bytes),
            cost(outcome.tokens),
        ]
        if outcome.refused:
            self._say("ban", "danger", "Refused, nothing was sent")
        elif outcome.ok:
            self._say("check", "success", " · ".join(["Done", *figures]))
        else:
            self._say("alert", "danger", " · ".join(["Failed", *figures]))

    def _show_schema(self, outcome: Outcome, has_schema: bool) -> None:
        self._schema.setVisible(outcome.ok)
        if not has_schema:
            self._schema.setText("no output schema")
            mark(self._schema, role="muted", tone="")
        elif outcome.schema_fault:
            self._schema.setText("departs from its schema")
            mark(self._schema, role="", tone="warning")
        else:
            self._schema.setText("matches schema")
            mark(self._schema, role="", tone="success")

    def _say(self, symbol: str, tone: str, words: str) -> None:
        self._strip.show()
        self._sign.setPixmap(pixmap(symbol, tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(visible(words))

    def _build(self) -> None:
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.result)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self._strip, self._bar, self.fault, self._schema_fault):
            layout.addWidget(part)
        layout.addWidget(self._pages, 1)


_WIDE = 90  # letters of width from which form and result stand beside each other
_LOW = 76  # the same where there is too little height to stand below each other
_LEAST, _LINES = 56, 20  # the same where there are fewer lines of height than this: neither would be seen
_SHORT = 300  # characters of the arguments that a question repeats


class CallPanel(QWidget):
    """Ctrl+Enter runs, Escape cancels; a dangerous tool asks here, in place, before anything reaches the server."""

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
            self._context.say(f"{fault.message} {fault.hint}")
            return
        coro = api.call_as_code(tool.server, tool.name, arguments)
        self._context.tasks.run("write the call as code", coro, lambda code: self._context.go(ShowCode(code)))

    def reset(self) -> None:
        """Back to what the schema proposes; the arguments before it can be fetched back."""
        self._keep_arguments()
        self.form.reset()
        self._context.say("Form reset. “Bring back the last arguments” undoes it.")

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
            self._context.say("The clipboard holds no text.")

    def take(self, arguments: Mapping[str, Any], *, start: bool = False) -> None:  # Any: JSON arguments
        """Fill the form with the arguments of another call; what stood there can be brought back."""
        if self.running:
            self._context.say("A call is under way here; cancel it first.")
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
        self._context.say(self.answer.sentence())
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


TOOL_DEEDS: Final[Mapping[str, Callable[[Any], object]]] = {  # Any: a CallPanel, imported with the first tool
    "tool.json": methodcaller("switch_json"),
    "tool.paste": methodcaller("paste"),
    "tool.reset": methodcaller("reset"),
    "tool.back": methodcaller("bring_back"),
    "result.save": methodcaller("save"),
    "tool.save": methodcaller("save_call"),
    "tool.copy": methodcaller("copy_call"),
    "tool.trust": methodcaller("show_trust"),
}
