"""Calls one tool: its form, the question before a risky call, and the answer."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QFocusEvent, QGuiApplication, QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import CallProgress
from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.controls import RoomyButton
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.json_text import identical
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import EmptyState, Strip
from workbench.gui.kit.notice import Answer, Notice
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import cost, duration
from workbench.gui.results.result_view import ResultView
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import SaveCall, ShowCode
from workbench.gui.tools.copying import add_copy_actions, copy_call
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
from workbench.records.common_types import count_of

_RECENT = 8  # earlier calls in the menu


class MenuButton(RoomyButton):
    """Button with a menu. When the menu closes, Qt sends no leave event, so the button would stay highlighted."""

    def setMenu(self, menu: QMenu) -> None:
        super().setMenu(menu)
        menu.aboutToHide.connect(self._update_hover)

    def _update_hover(self) -> None:
        is_over = self.rect().contains(self.mapFromGlobal(QCursor.pos()))
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_over)
        self.update()


class CallMenu(MenuButton):
    """Saves the call, copies it in another form, or fills the form with an earlier call."""

    recent_wanted = Signal(object)
    """Carries the arguments of an earlier call."""

    def __init__(
        self, context: Context, tool: Tool, arguments: Callable[[], JsonObject], parent: QWidget | None = None
    ) -> None:
        super().__init__(context.theme, icon("bookmark", "muted"), "Save or copy", parent)
        self._context = context
        self._tool = tool
        self._arguments = arguments
        self.outcome: Outcome | None = None
        self.setToolTip("Save the call, copy it as code, or repeat an earlier one")
        mark(self, kind="quiet")
        menu = QMenu(self)
        menu.addAction(icon("save", "muted"), "Save call… (Ctrl+Shift+S)", self.save)
        self.recent = menu.addMenu(icon("history", "muted"), "Recent calls of this tool")
        menu.aboutToShow.connect(self._load_recent)
        menu.addSeparator()
        add_copy_actions(menu, self.copy)
        self.setMenu(menu)

    def save(self) -> None:
        if (arguments := self.arguments("Not saved.")) is not None:
            self._context.go(SaveCall(SavedCall("", "", self._tool.server, self._tool.name, arguments), self.outcome))

    def copy(self, form: str) -> None:
        if (arguments := self.arguments("Nothing was copied.")) is not None:
            copy_call(self._context, form, self._tool.server, self._tool.name, arguments)

    def arguments(self, failure: str) -> JsonObject | None:
        """What is in the form; None after saying why it cannot be used, beginning with `failure`."""
        try:
            return self._arguments()
        except WorkbenchError as fault:
            self._context.say(" ".join(filter(None, (failure, fault.message, fault.hint))))
            return None

    def _load_recent(self) -> None:
        query = PastQuery(server=self._tool.server, tool=self._tool.name, limit=_RECENT)
        self._context.tasks.run("recent calls", self._context.api.past_calls(query), self._show_recent)

    def _show_recent(self, calls: tuple[PastCall, ...]) -> None:
        self.recent.clear()
        self.recent.setEnabled(bool(calls))
        for call in calls:
            at = time.strftime("%d %b %H:%M", time.localtime(call.at))
            text = f"{at}   {one_line(call.arguments, 60)}".replace("&", "&&")
            symbol, tone = ("check", "success") if call.ok else ("alert", "danger")
            self.recent.addAction(icon(symbol, tone), text, partial(self._read, call.id))

    def _read(self, number: int) -> None:
        """A list has the arguments shortened; read all of them."""
        self._context.tasks.run("read a call", self._context.api.past_call(number), self._fill)

    def _fill(self, call: PastCall) -> None:
        self.recent_wanted.emit(json.loads(call.arguments))


_TICK = 1000  # milliseconds between two updates of the time that a call has been running


class CallAnswer(QWidget):
    """The right side of a call: empty, running, or the outcome."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self._strip = Strip(theme)
        self._icon = QLabel()
        self._summary = ForeignLabel(elide=True)
        self._schema = ForeignLabel()
        self._schema.setWordWrap(False)
        self._strip.row.addWidget(self._icon)
        self._strip.row.addWidget(self._summary, 1)
        self._strip.row.addWidget(self._schema)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the call")
        self.fault = Notice(theme)
        self.schema_fault = Notice(theme)
        self.result = ResultView(context, compares=True)
        self._empty = EmptyState(theme, "play", "", "")
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.result)
        column(self, self._strip, self._bar, self.fault, self.schema_fault, self._pages, grows=self._pages)
        self._strip.hide()
        self._bar.hide()
        self._show_empty()
        self._began = 0.0
        self._progress = ""  # what the server last reported
        self._tick = QTimer(self, interval=_TICK)
        self._tick.timeout.connect(self._show_running)

    def is_empty(self) -> bool:
        """Whether nothing was called or asked yet."""
        return self._strip.isHidden()

    def begin(self) -> None:
        """A call is running; the last result stays readable until the next one is there."""
        self._began, self._progress = time.monotonic(), ""
        self._show_running()
        self._tick.start()
        self._empty.say("Waiting for the answer", "It appears here when the server has sent it.")
        self._schema.hide()
        self.fault.show_fault(None)
        self._bar.setRange(0, 0)
        self._bar.show()

    def end(self) -> float:
        """The call is over. Returns how long it took, in milliseconds."""
        self._tick.stop()
        self._bar.hide()
        return (time.monotonic() - self._began) * 1000

    def show_question(self) -> None:
        """Nothing reached the server; the form asks now."""
        self._say("hourglass", "warning", "Nothing was sent yet. Please confirm.")
        self._show_empty()

    def show_not_sent(self) -> None:
        self._say("ban", "muted", "Nothing was sent.")

    def show_progress(self, progress: float, total: float, message: str) -> None:
        self._bar.setRange(0, 1000 if total > 0 else 0)
        if total > 0:
            self._bar.setValue(round(1000 * min(1.0, progress / total)))
        share = min(1.0, max(0.0, progress / total)) if total > 0 else 0.0
        steps = f"{progress:,g} / {total:,g} ({share:.0%})" if total > 0 else f"{progress:,g}"
        self._progress = " · ".join(part for part in (steps, message) if part)
        self._show_running()

    def _show_running(self) -> None:
        seconds = time.monotonic() - self._began
        running = f"Running for {duration(seconds * 1000)}" if seconds >= 1 else "Running…"
        self._say("loader", "info", " · ".join(part for part in (running, self._progress) if part))

    def show_outcome(self, outcome: Outcome, *, has_schema: bool, cancelled: bool = False) -> None:
        self._summarize(outcome, cancelled)
        self._schema.setVisible(outcome.ok)
        text, tone = ("no output schema", "") if not has_schema else ("matches schema", "success")
        if outcome.schema_fault:
            text, tone = "does not match schema", "warning"
        self._schema.setText(text)
        mark(self._schema, role="" if tone else "muted", tone=tone)
        self.fault.show_fault(outcome.fault, tone="warning" if cancelled else "danger")
        fault = Fault(outcome.schema_fault) if outcome.schema_fault else None
        self.schema_fault.show_fault(fault, tone="warning")
        if outcome.content or outcome.structured or outcome.ok:
            self.result.show_outcome(outcome)
            self._pages.setCurrentWidget(self.result)
        else:
            self._empty.say("No result", "The call returned nothing. The reason is shown above.")
            self._pages.setCurrentWidget(self._empty)

    def _show_empty(self) -> None:
        self._empty.say("No result yet", "Run the tool to see its answer here, with time, size and token cost.")

    def sentence(self) -> str:
        """The summary above the answer."""
        return self._summary.full_text()

    def _summarize(self, outcome: Outcome, cancelled: bool) -> None:
        if outcome.refused:
            self._say("ban", "danger", "Refused, nothing was sent")
        elif cancelled:
            self._say("stop", "muted", f"Cancelled · {duration(outcome.ms)}")
        elif outcome.ok:
            self._say("check", "success", " · ".join(("Done", *_figures(outcome))))
        else:
            received = _figures(outcome) if outcome.bytes else (duration(outcome.ms),)
            self._say("alert", "danger", " · ".join(("Failed", *received)))

    def _say(self, symbol: str, tone: str, text: str) -> None:
        self._strip.show()
        self._icon.setPixmap(pixmap(symbol, tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._summary.setText(visible(text))


def _figures(outcome: Outcome) -> tuple[str, str, str]:
    return duration(outcome.ms), size_words(outcome.bytes), cost(outcome.tokens)


_WIDE = 90  # letters of width from which form and result are beside each other
_WIDE_IF_FLAT = 76  # the same if it is much wider than high
_WIDE_IF_LOW, _LOW = 56, 20  # the same if there are fewer lines of height than this: one below the other, none is seen
_SHORT = 300  # characters of the arguments that a question repeats


class CallPanel(QWidget):
    """Form and answer. Ctrl+Enter runs, Escape cancels; a risky call is confirmed here before anything is sent."""

    started = Signal()
    """A call was sent to the core."""
    finished = Signal(object)
    """Carries the Outcome."""
    edited = Signal()
    """The user changed the form."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self._call_id = ""
        self._cancelled = False  # by the user
        self._previous: JsonObject | None = None  # the draft of the form that can be brought back
        self.form = SchemaForm(context.theme)
        self.answer = CallAnswer(context)
        self.question = Notice(context.theme)
        self.menu = CallMenu(context, tool, self.form.value)
        self._build()
        self._bind()
        self.form.set_schema(tool.input_schema)

    @property
    def running(self) -> bool:
        return bool(self._call_id)

    def run(self) -> None:
        """Send what is in the form. If it has faults ask first, because a tester may want to send them."""
        if self.running:
            return
        faults = self.form.validate()
        if fault := self.form.object_fault():
            hint = "Nothing was sent. A call takes one JSON object: correct the text, then run it again."
            self.question.tell("warning", fault, hint)
        elif faults:
            title = f"{count_of(len(faults), 'argument')} {'is' if len(faults) == 1 else 'are'} not valid."
            hint = "Nothing was sent. Correct the form, or send it anyway to see what the server answers."
            self.question.ask("warning", title, hint, "Send anyway", self._send)
            self.form.show_first_fault()
        else:
            self._send()

    def cancel(self) -> None:
        """Withdraw the question, or end the call at the server."""
        if not self.question.isHidden():
            self.question.dismiss()
        elif self.running:
            self._cancelled = True
            self._cancel.setEnabled(False)
            self._context.tasks.run("cancel a call", self._context.api.cancel_call(self._call_id))

    def open_as_code(self) -> None:
        """Open the same call as a program in the editor."""
        if (arguments := self.menu.arguments("Not opened.")) is None:
            return
        coro = self._context.api.call_as_code(self._tool.server, self._tool.name, arguments)
        self._context.tasks.run("write the call as code", coro, lambda code: self._context.go(ShowCode(code)))

    def reset(self) -> None:
        """Give the form its initial values; `bring_back` undoes it."""
        self._keep_arguments()
        self.form.reset()
        self._context.say("Form reset.", undo="tool.back")

    def bring_back(self) -> None:
        """Show the arguments of the last call, or those that a reset or a paste replaced."""
        if self._previous is not None:
            previous = self._previous
            self._keep_arguments()
            self.form.show_draft(previous)

    def paste(self) -> None:
        """Take the arguments from JSON in the clipboard."""
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._keep_arguments()
            self.form.paste(text)
        else:
            self._context.say("The clipboard contains no text.")

    def fill(self, arguments: JsonObject) -> None:
        """Show the arguments of another call; `bring_back` undoes it."""
        if self.running:
            self._context.say("A call of this tool is running. Cancel it first.")
            return
        self._keep_arguments()
        self.form.set_value(arguments)

    def switch_json(self) -> None:
        """Edit the arguments as fields or as JSON."""
        self.form.show_json(not self.form.json_shown())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the keyboard on to the form, or to the button that runs if the tool takes no arguments."""
        super().focusInEvent(event)
        if not self.form.take_focus():
            (self._cancel if self.running else self._run).setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if not event.isAutoRepeat():
                self.run()
        elif event.key() == Qt.Key.Key_Escape and self._may_cancel():
            self.cancel()
        else:
            super().keyPressEvent(event)

    def _may_cancel(self) -> bool:
        """Whether Escape is meant for the call: in a filter or search field it is meant for the field."""
        focus = QApplication.focusWidget()
        in_search = isinstance(focus, QLineEdit) and focus.property("kind") == "search"
        return not in_search and (self.running or not self.question.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Form and answer beside each other or one below the other; in a low window the form first has all the room."""
        letters = self.width() / self.fontMetrics().averageCharWidth()
        low = self.height() < self.fontMetrics().lineSpacing() * _LOW
        flat = letters >= (_WIDE_IF_LOW if low else _WIDE_IF_FLAT) and self.height() * 3 < self.width() * 2
        beside, below = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._split.setOrientation(beside if letters >= _WIDE or flat else below)
        self.answer.setVisible(not (low and self.answer.is_empty() and self._split.orientation() is below))

    # calls

    def _send(self, *, confirmed: bool = False) -> None:
        tool, arguments = self._tool, self.form.value()
        self._call_id, self._cancelled = uuid.uuid4().hex, False
        call = ToolCall(self._call_id, tool.server, tool.name, arguments, Origin.PERSON, "person", confirmed=confirmed)
        self._keep_arguments()
        self._show_buttons()
        self.answer.begin()
        self._arrange()
        self.started.emit()
        self._context.tasks.run(f"call {tool.name}", self._call(call))

    async def _call(self, call: ToolCall) -> None:
        try:
            outcome = await self._context.api.call(call)
        except WorkbenchError as fault:
            outcome = Outcome(call.id, ok=False, fault=Fault(fault.message, fault.hint))
        finally:
            self._call_id = ""
            self._show_buttons()
            elapsed = self.answer.end()
        if not outcome.ok and not outcome.ms:  # the core was lost, or it stopped measuring when the call was cancelled
            outcome = replace(outcome, ms=elapsed)
        if outcome.needs_confirmation:
            self._confirm(outcome, call.arguments)
            return
        has_schema = self._tool.output_schema is not None
        self.answer.show_outcome(outcome, has_schema=has_schema, cancelled=self._cancelled and not outcome.ok)
        self._context.say(self.answer.sentence())
        self.menu.outcome = outcome
        self.finished.emit(outcome)

    def _show_progress(self, event: CallProgress) -> None:
        if event.call_id == self._call_id:
            self.answer.show_progress(event.progress, event.total, event.message)

    def _confirm(self, outcome: Outcome, arguments: JsonObject) -> None:
        self.answer.show_question()
        fault = outcome.fault or Fault(f"{one_line(self._tool.name)} may change or send something.")
        hint = f"Arguments: {one_line(json.dumps(arguments, ensure_ascii=False), _SHORT)}"
        tone = "danger" if outcome.asks == "destroys" else "warning"
        further = self._lasting_answers(arguments) if outcome.asks else ()
        send = partial(self._send_confirmed, arguments)
        self.question.ask(tone, fault.message, hint, "Call once", send, further)

    def _lasting_answers(self, arguments: JsonObject) -> tuple[Answer, ...]:
        """Answers that outlive this call. They apply to the user's own calls only."""
        limits = "Programs and agents still ask. Revoke it under Agents > What you allowed."
        server = one_line(self._tool.server, 60)
        return (
            (
                "Always call this tool",
                f"Your own calls of this tool no longer ask, until its definition changes. {limits}",
                partial(self._allow_and_send, self._tool.name, arguments),
            ),
            (
                "Trust this server",
                f"Your own calls of every tool of {server} no longer ask, until its command or address changes. "
                f"{limits}",
                partial(self._allow_and_send, "", arguments),
            ),
        )

    def _send_confirmed(self, arguments: JsonObject) -> None:
        """Send what the question was about; a form that was edited while the core was asked is asked about again."""
        self._send(confirmed=identical(self.form.value(), arguments))

    def _allow_and_send(self, tool: str, arguments: JsonObject) -> None:
        permission = Permission("", "own", CallDecision.ALLOW, self._tool.server, tool)
        self._context.tasks.run("allow your own calls", self._allow(permission, arguments))

    async def _allow(self, permission: Permission, arguments: JsonObject) -> None:
        try:
            await self._context.api.set_permission(permission)
        except WorkbenchError as fault:
            self.answer.show_not_sent()
            self.answer.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._send_confirmed(arguments)

    def _form_changed(self) -> None:
        """Editing withdraws the question: an answer would be about other arguments than the ones shown."""
        self.edited.emit()
        if not self.question.isHidden():
            self.question.dismiss()

    def _keep_arguments(self) -> None:
        self._previous = self.form.draft()
        self._bring_back.setEnabled(True)

    # layout

    def _show_buttons(self) -> None:
        """Run and Cancel share one place; the keyboard stays there."""
        shown, hidden = (self._cancel, self._run) if self.running else (self._run, self._cancel)
        shown.setVisible(True)
        shown.setEnabled(True)
        if hidden.hasFocus():
            shown.setFocus(Qt.FocusReason.OtherFocusReason)
        hidden.setVisible(False)

    def _bind(self) -> None:
        self._context.store.on(CallProgress, self._show_progress)
        self.menu.recent_wanted.connect(self.fill)
        self.form.changed.connect(self._form_changed)
        self.form.faults_changed.connect(self._show_fault_count)
        self.question.dismissed.connect(self.answer.show_not_sent)
        self._run.clicked.connect(self.run)
        self._cancel.clicked.connect(self.cancel)
        self._faults.clicked.connect(self.form.show_first_fault)

    def _build(self) -> None:
        left = QWidget()
        column(left, self.form, self.question, self._foot(), grows=self.form)
        self.form.setMinimumHeight(1)  # in a low window it gives way to a question, which repeats the arguments
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(left)
        self._split.addWidget(self.answer)
        for side in (left, self.answer):
            side.setMinimumWidth(self._context.theme.unit * 55)  # what is shown in it must not make a window grow
        self._split.setSizes([400, 500])
        self.setMinimumHeight(self._context.theme.unit * 35)  # a question or an answer must not make the window grow
        column(self, self._split)

    def _foot(self) -> QFrame:
        theme, unit = self._context.theme, self._context.theme.unit
        foot = QFrame()
        mark(foot, kind="strip")
        self._run = _button(foot, icon("play", "on_accent"), "Run", "Call the tool (Ctrl+Enter)", "primary")
        self._cancel = _button(foot, icon("stop", "danger"), "Cancel", "End this call (Escape)")
        self._cancel.hide()
        self._faults = _button(foot, QIcon(), "", "Go to the first argument that is not valid", "link")
        self._faults.hide()
        code = RoomyButton(theme, icon("code", "muted"), "Open as code", foot)
        code.setToolTip("Open this call as a program in the editor")
        code.clicked.connect(self.open_as_code)
        mark(code, kind="quiet")
        self._arguments_menu = MenuButton(theme, icon("list", "muted"), "Arguments", self)
        self._arguments_menu.setToolTip("Paste, bring back or reset the arguments")
        mark(self._arguments_menu, kind="quiet")
        menu = QMenu(self._arguments_menu)
        menu.addAction(icon("pencil", "muted"), "Paste JSON (Ctrl+Shift+V)", self.paste)
        self._bring_back = menu.addAction(icon("undo", "muted"), "Bring back the last arguments", self.bring_back)
        self._bring_back.setEnabled(False)
        menu.addAction(icon("refresh", "muted"), "Reset form (Ctrl+Shift+R)", self.reset)
        self._arguments_menu.setMenu(menu)
        self.form.add_button(self._arguments_menu)
        margins = (unit * 3, unit * 2, unit * 3, unit * 2)
        row(foot, self._run, self._cancel, self._faults, code, self.menu, None, margins=margins, spacing=unit)
        return foot

    def _show_fault_count(self, count: int) -> None:
        self._faults.setText(count_of(count, "fault"))
        self._faults.setVisible(count > 0)


def _button(parent: QWidget, symbol: QIcon, text: str, tip: str, kind: str = "") -> QPushButton:
    """A button that keeps its text; what is beside it gives way."""
    button = QPushButton(symbol, text, parent)
    button.setToolTip(tip)
    if kind:
        mark(button, kind=kind)
    if text:
        button.setMinimumWidth(button.sizeHint().width())
    return button
