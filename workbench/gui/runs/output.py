"""The output of a run: its state, calls, printed text, result, effects, and what the model sees of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QScrollArea, QSplitter, QStackedWidget, QTabWidget, QWidget

from workbench import tokens
from workbench.errors import WorkbenchError
from workbench.events import FilesChanged, RunCall, RunChanged, RunOutput
from workbench.gui.kit.controls import RoomyButton
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import menu_action
from workbench.gui.kit.lists import EmptyState, lead_focus, tool_button
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.table import Table
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import cost, was_denied
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.token_chips import MarkMenu, TokenChips, find_tokens
from workbench.gui.runs.run_head import RunHead, RunLinks, can_record
from workbench.gui.runs.run_list import open_program
from workbench.gui.runs.run_rows import can_keep
from workbench.gui.runs.run_tables import calls_model, observations_model
from workbench.gui.runs.stream_view import StreamView
from workbench.gui.shell.actions import KEEPABLE, RECORDABLE
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.gui.shell.navigation import KeepSkill, RecordRun, ShowHeldCall, ShowPlan, ShowPrivacy, ShowRun, ShowTool
from workbench.records import CallTrace, Fault, Ledger, ModelView, Observation, Run, RunState
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS


def fault_for_user(run: Run) -> Fault | None:
    """Why the run did not end well. Hints of the core are for the author, so some are replaced for the user."""
    decision = run.decision
    if was_denied(run) and decision is not None:
        by = f" by {one_line(decision.by, 60)}" if not decision.by_user else ""
        subject = "You denied this program" if decision.by_user else f"This program was denied{by}"
        return Fault(f"{subject}: {decision.reason}" if decision.reason else f"{subject}.")
    if was_denied(run):
        hint = "Choose “Let it run after all” to decide about it again." if run.can_be_revived else ""
        hint = "You put it back: it waits again, or has run, as a new run." if run.revived_as else hint
        return Fault("The approval request was not answered in time, so the program was denied and did not run.", hint)
    if run.state is RunState.INTERRUPTED and run.fault is not None:
        return replace(run.fault, hint="Nothing of it is running now.")
    return run.fault


class EffectsPage(QWidget):
    """Predicted and observed effects of a run, side by side."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = observations_model(theme, self)
        self.summary = ForeignLabel(role="muted")
        unit = theme.unit
        self.summary.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        self.table: Table[Observation] = Table(theme, "Predicted and observed effects", self.model)
        _stretch(self.table, 0)
        copy = menu_action(self, "Copy", self._copy_effect, "copy")
        self.table.set_menu(lambda _effect: (copy,))
        column(self, self.summary, self.table, grows=self.table)

    def show_run(self, run: Run | None) -> int:
        """Show the effects of a run and return how many were unexpected."""
        observed = run.observed if run is not None else ()
        self.model.replace(observed)
        unexpected = sum(effect.unforeseen for effect in observed)
        self.table.setVisible(bool(observed))
        self.summary.setText(self._sentence(run, unexpected))
        return unexpected

    def _sentence(self, run: Run | None, unexpected: int) -> str:
        if run is None or (not run.observed and not run.ended):
            return "After the run, the observed effects are shown here next to the predicted ones."
        if not run.observed:
            return "No effects were predicted, and none were observed."
        if unexpected:
            return f"{count_of(unexpected, 'unexpected effect')}. The audit has an entry about it."
        return "No unexpected effects. Changed files are only counted while no other program runs."

    def _copy_effect(self) -> None:
        if (effect := self.model.find(self.table.key())) is not None:
            QGuiApplication.clipboard().setText(effect.subject)


class _FaultArea(QScrollArea):
    """The fault of a run. It scrolls instead of making the pane higher, and gives way before the output does."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.card = Notice(theme)
        self._least = self.fontMetrics().lineSpacing() * 3
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self.card)
        self.card.installEventFilter(self)
        self.hide()

    def show_fault(self, fault: Fault | None, *, open_detail: bool = False) -> None:
        self.card.show_fault(fault, open_detail=open_detail)
        self.setVisible(fault is not None)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:  # the details were opened or closed
            self._fit()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._least)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height())

    def _height(self) -> int:
        card = self.card
        return card.heightForWidth(self.viewport().width()) if card.hasHeightForWidth() else card.sizeHint().height()

    def _fit(self) -> None:
        height = self._height()
        if self.maximumHeight() != height:
            self.setMaximumHeight(height)
            self.updateGeometry()


_WIDE = 90  # characters of width from which the calls are beside the output, not above it
_LOW = 24  # lines of height below which there is no room for one above the other
_MOST_OUTPUT = 4_000_000  # characters of output that are shown
_OUTPUT, _RESULT, _EFFECTS = 0, 1, 2  # tabs


class OutputPane(Pane):
    """Shows one run, live while it runs."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._run: Run | None = None
        self.run_id = ""  # of the run that is shown, also while it is loaded
        self._build()
        self._tick = QTimer(self, interval=500)
        self._tick.timeout.connect(self._show_head)
        store = context.store
        store.on(RunChanged, self._run_changed)
        store.on(RunOutput, self._printed_more)
        store.on(RunCall, self._call_changed)
        store.on(FilesChanged, self._files_changed)
        store.linked.connect(self._reload)

    def show_run(self, run_id: str) -> None:
        """Show a run and follow its events."""
        if run_id != self.run_id:
            self.run_id = run_id
            self._run = None
            self.head.again.setEnabled(True)
            self._offer(None)
            self.stream.start_over()
            self.stream.setPlaceholderText("Nothing printed yet.")
            self.calls.clear()
            self.result.clear()
            self._show_effects(None)
            self._fault.show_fault(None)
            self.model_view.clear()
            self.ledger.hide()
            self.tabs.setCurrentIndex(_OUTPUT)
        self.context.tasks.run("read a run", self._load(run_id))

    def stop(self) -> None:
        """Stop the run that is shown, and say so at once."""
        if self._run is not None and self._run.state not in ENDS and not self._run.stopping:
            self._run = replace(self._run, stopping=True)
            self._show_head()
            self.context.tasks.run("stop a run", self._stop(self._run.id))

    async def _stop(self, run_id: str) -> None:
        try:
            await self.context.api.stop_run(run_id)
        except WorkbenchError as fault:
            self.context.say(str(fault))
            if self._run is not None and self._run.id == run_id:
                self._run = replace(self._run, stopping=False)
                self._show_head()

    def record(self) -> None:
        """Make a recording of the run that is shown."""
        self.context.go(RecordRun(self.run_id))

    def keep(self) -> None:
        """Make a skill of the run that is shown."""
        self.context.go(KeepSkill(run_id=self.run_id))

    # events

    def _run_changed(self, event: RunChanged) -> None:
        if event.run.id == self.run_id:
            self._show(event.run)

    def _printed_more(self, event: RunOutput) -> None:
        if event.run_id == self.run_id:
            self.stream.append_output(event.stream, event.text)

    def _call_changed(self, event: RunCall) -> None:
        if event.run_id == self.run_id:
            self.calls.add_or_replace(event.trace)
            self._count_calls()

    def _files_changed(self, event: FilesChanged) -> None:
        if event.id == self.run_id:
            self.links.note_files(event.id, event.count)

    def _reload(self) -> None:
        if self.run_id:
            self.show_run(self.run_id)

    async def _load(self, run_id: str) -> None:
        try:
            run = await self.context.api.run(run_id)
        except WorkbenchError as fault:
            if run_id == self.run_id and self._run is None:
                self._show_body()
                self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        if run_id == self.run_id and (self._run is None or self._run.state not in ENDS):
            self._show(run)

    # what is shown

    def _show_body(self) -> None:
        """Replace the empty state. The focus stays in the pane, at the tabs."""
        page = self._pages.currentWidget()
        focused = page is not None and page is not self._body and page.hasFocus()
        self._pages.setCurrentWidget(self._body)
        if focused:
            self._body.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self, run: Run) -> None:
        first = self._run is None
        ended = run.state in ENDS and (self._run is None or self._run.state not in ENDS)
        revived = self._run is not None and run.revived_as != self._run.revived_as
        self._run = run
        self._show_body()
        if first:
            for part in (self.printed_tokens, self.result, self.model_view):
                part.show_tokens_of(run.proposal.session)
        if len(run.calls) >= self.calls.total():
            self.calls.replace(run.calls)
        self._count_calls()
        if first and run.output and run.state not in ENDS:
            self.stream.show_whole(run.output)
        if ended:
            self._show_end(run)
        elif revived:
            self._show_fault(run)
        self._show_head()
        if run.state is RunState.RUNNING:
            self._tick.start()
        elif run.state in ENDS:
            self._tick.stop()

    def _show_fault(self, run: Run) -> None:
        self._fault.show_fault(fault_for_user(run), open_detail=run.state is RunState.FAILED)
        if run.revived_as:
            self.fault.add_button("Show the new run", partial(self.context.go, ShowRun(run.revived_as)))

    def _show_end(self, run: Run) -> None:
        self._show_fault(run)
        lost = run.state is RunState.INTERRUPTED or (run.restored and bool(run.started))
        self.stream.explain(lost=lost, seen=bool(run.model_view), started=bool(run.started))
        if run.output or not lost:  # what was printed before the core ended is on the screen and nowhere else
            self._show_output(run.output)
        self._show_effects(run)
        if run.result:
            self.result.show_json(run.result)
            self.tabs.setCurrentIndex(_RESULT)
        self.model_view.show_text(run.model_view)
        seen = run.ledger.actual or tokens.count(run.model_view)
        counter = run.ledger.counter if run.ledger.actual else tokens.ESTIMATE
        self.model_title.setText(f"What the model sees · {cost(seen, counter)}")
        self.ledger.setVisible(run.ledger.direct > 0)
        self.context.tasks.run("read the price of tokens", self._show_ledger(run.ledger))

    async def _show_ledger(self, ledger: Ledger) -> None:
        settings = await self.context.api.settings()
        self.ledger.setText(tokens.ledger_sentence(ledger, settings.tokens_cents_per_million))

    def _show_effects(self, run: Run | None) -> None:
        unexpected = self.effects.show_run(run)
        self.tabs.setTabText(_EFFECTS, f"Effects · {unexpected:,} unexpected" if unexpected else "Effects")

    def _show_output(self, output: str) -> None:
        size = whole_size([output])
        if not size or size > _MOST_OUTPUT:
            self.stream.show_whole(str(output))
        else:
            fetching = fetch_whole(self.context.fetch, [output])
            self.context.tasks.run("fetch long output", fetching, partial(self._show_fetched, self.run_id))

    def _show_fetched(self, run_id: str, texts: list[str]) -> None:
        if run_id == self.run_id:
            self.stream.show_whole(texts[0])

    def _count_calls(self) -> None:
        count = self.calls.total()
        self.calls_box.setVisible(count > 0)
        self.calls_title.setText(count_of(count, "call"))

    def _show_head(self) -> None:
        if self._run is not None:
            self.head.show_run(self._run)
            self._offer(self._run)
            self.links.show_run(self._run)
            seen = self._run.state in ENDS and bool(self._run.model_view)
            expected = self._run.state not in ENDS and bool(self._run.started)
            self.seen_button.setVisible(seen or expected)
            self._count_masked(self._run.model_view if seen else "")
            self.model_box.setVisible((seen or expected) and self.seen_button.isChecked())

    def _seen_toggled(self, on: bool) -> None:
        """Show what the model sees; before the end of the run, what it would see of the output so far."""
        self._show_head()
        if on and self._run is not None and self._run.state not in ENDS:
            session = self._run.proposal.session
            request = self.context.api.model_view(self.stream.text(), "", session)
            self.context.tasks.run("see what a model would see", request, partial(self._show_expected, self._run.id))

    def _show_expected(self, run_id: str, view: ModelView) -> None:
        if self._run is not None and self._run.id == run_id and self._run.state not in ENDS:
            self.model_view.show_text(view.text)
            self.model_title.setText("What the model would see of the output so far")

    def _offer(self, run: Run | None) -> None:
        """Enable the actions that make sense for the run."""
        self.context.commands.set_condition(KEEPABLE, run is not None and can_keep(run))
        self.context.commands.set_condition(RECORDABLE, run is not None and can_record(run))

    def _count_masked(self, seen: str) -> None:
        """How many values the model has PII tokens of; of a long answer only the beginning is counted."""
        count = len({token.token for token in find_tokens(str(seen))})
        name = f"{count_of(count, 'value')} masked: show where they came from and where they went"
        self.masked.setVisible(count > 0)
        self.masked.setText(f"{count:,}")
        self.masked.setAccessibleName(name)
        self.masked.setToolTip(name)

    # actions

    def _show_masked(self) -> None:
        if self._run is not None:
            self.context.go(ShowPrivacy(session=self._run.proposal.session))

    def _open_call(self, call_id: str) -> None:
        """A call that waits leads to its decision, any other to its tool."""
        call = self.calls.find(call_id)
        if call is not None and call.state == "waiting":
            self.context.go(ShowHeldCall(call.call_id))
        elif call is not None:
            self.context.go(ShowTool(call.server, call.tool))

    def _open_selected_call(self) -> None:
        self._open_call(self.calls_table.key())

    def _copy_arguments(self) -> None:
        if (call := self.calls.find(self.calls_table.key())) is not None:
            QGuiApplication.clipboard().setText(call.arguments)

    def _call_actions(self, call: CallTrace) -> tuple[QAction, ...]:
        return (self._decide_action if call.state == "waiting" else self._tool_action, self._copy_action)

    def _show_plan(self) -> None:
        self.context.go(ShowPlan(self.run_id))

    def _open_program(self) -> None:
        if self._run is not None:
            self.context.tasks.run("open a run's program", open_program(self.context, self._run))

    def _revive(self) -> None:
        """Put the program back into the queue, and show it there."""
        if self._run is not None:
            request = self.context.api.revive(self._run.id)
            self.context.tasks.run("put a program back", request, lambda run: self.context.go(ShowRun(run.id)))

    def _run_again(self) -> None:
        if self._run is not None:
            self.head.again.setEnabled(False)  # a double click starts one run
            self.context.tasks.run("open a run's program", open_program(self.context, self._run, start=True))

    # layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        low = self.height() < self.fontMetrics().lineSpacing() * _LOW
        self.split.setOrientation(Qt.Orientation.Horizontal if wide or low else Qt.Orientation.Vertical)

    def _build(self) -> None:
        theme = self.context.theme
        sentence = "Run a program, or select a run in Runs, to see what it prints, its calls and its result."
        self._pages = QStackedWidget(self)
        self._pages.addWidget(EmptyState(theme, "terminal", "No run selected", sentence))
        self._body = QWidget()
        self._pages.addWidget(self._body)
        lead_focus(self, self._pages)
        column(self, self._pages)
        self._fault = _FaultArea(theme)
        self.fault = self._fault.card
        self.ledger = ForeignLabel(role="muted", elide=True)
        self.ledger.setContentsMargins(theme.unit * 3, theme.unit, theme.unit * 3, theme.unit)
        self.ledger.hide()
        head, split = self._make_head(), self._make_split()
        column(self._body, head, self._fault, split, self.ledger, grows=split)
        self._body.setFocusProxy(self.tabs)

    def _make_head(self) -> RunHead:
        theme = self.context.theme
        self.head = RunHead(theme)
        for button, act in (
            (self.head.stop, self.stop),
            (self.head.keep, self.keep),
            (self.head.record, self.record),
            (self.head.plan, self._show_plan),
            (self.head.revive, self._revive),
            (self.head.again, self._run_again),
        ):
            button.clicked.connect(act)
        self.links = RunLinks(self.context)
        self.open_button = RoomyButton(theme, icon("code", "muted"), "Open program")
        self.open_button.setToolTip("Open the program of this run in the editor")
        self.open_button.clicked.connect(self._open_program)
        self.masked = tool_button("eye-off", "", theme)
        self.masked.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.masked.clicked.connect(self._show_masked)
        self.seen_button = RoomyButton(theme, icon("eye", "muted"), "What the model sees")
        self.seen_button.setToolTip("Show next to the result what the agent's model gets")
        self.seen_button.setCheckable(True)
        self.seen_button.toggled.connect(self._seen_toggled)
        for chip in (self.open_button, self.seen_button):
            mark(chip, kind="chip")
        for widget in (self.links, self.open_button, self.masked, self.seen_button):
            self.head.add(widget)
        return self.head

    def _make_split(self) -> QSplitter:
        self.stream = StreamView(self.context.theme)
        self.result = ResultView(self.context)
        self.printed_tokens = TokenChips(self.stream, self.context)
        MarkMenu(self.stream, self.context, self.printed_tokens)
        self.effects = EffectsPage(self.context.theme)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Output, result and effects")
        for text, page in (("Output", self.stream), ("Result", self.result), ("Effects", self.effects)):
            self.tabs.addTab(page, text)
        self.model_view = ResultView(self.context, seen=True)
        self.model_box, self.model_title = _titled("", self.model_view, self.context)
        self.model_box.hide()
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.setMinimumHeight(self.context.theme.unit * 27)  # lower windows need the room above more
        for part in (self._make_calls(), self.tabs, self.model_box):
            self.split.addWidget(part)
        self.split.setSizes([400, 460, 400])
        return self.split

    def _make_calls(self) -> QWidget:
        theme = self.context.theme
        self.calls = calls_model(theme, self)
        self.calls_table: Table[CallTrace] = Table(theme, "Calls of the run", self.calls)
        _stretch(self.calls_table, 1)
        self._decide_action = menu_action(self, "Decide…", self._open_selected_call, "hourglass")
        self._tool_action = menu_action(self, "Show tool", self._open_selected_call, "tool")
        self._copy_action = menu_action(self, "Copy arguments", self._copy_arguments, "copy")
        self.calls_table.set_menu(self._call_actions)
        self.calls_table.chosen.connect(self._open_call)
        self.calls_box, self.calls_title = _titled("Calls", self.calls_table, self.context)
        self.calls_box.hide()
        return self.calls_box


def _stretch(table: Table[Any], column: int) -> None:  # Any: whatever the table shows
    """Give the room that is left to this column instead of the last one."""
    header = table.horizontalHeader()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)


def _titled(title: str, inner: QWidget, context: Context) -> tuple[QWidget, ForeignLabel]:
    """A widget with a title above it."""
    unit = context.theme.unit
    box = QWidget()
    heading = ForeignLabel(title, role="section", elide=True)
    heading.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
    column(box, heading, inner, grows=inner)
    return box, heading
