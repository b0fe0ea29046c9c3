"""The pane of a run: what it prints, what it calls, what it gives back, and what the model gets to see of that."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from workbench import tokens
from workbench.errors import WorkbenchError
from workbench.events import Event, FilesChanged, RunCall, RunChanged, RunOutput
from workbench.gui.context import Context
from workbench.gui.counted import cost
from workbench.gui.docks.deeds import Deeds
from workbench.gui.docks.run_head import RunHead
from workbench.gui.docks.run_texts import RunTexts
from workbench.gui.docks.stream_view import StreamView
from workbench.gui.fault_card import FaultCard
from workbench.gui.icons import icon
from workbench.gui.models.calls import CallsModel
from workbench.gui.pane import Pane
from workbench.gui.privacy.mark_menu import MarkMenu
from workbench.gui.privacy.token_chips import TokenChips
from workbench.gui.privacy.tokens import written
from workbench.gui.result import ResultView
from workbench.gui.roomy_button import RoomyButton
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, lead_focus, tool_button
from workbench.gui.whole import fetch_whole, whole_size
from workbench.gui.wishes import RecordRun, Say, ShowCode, ShowHeldCall, ShowPlan, ShowPrivacy
from workbench.records import Fault, Ledger, Run, RunState
from workbench.records.runs import ENDS

_NARROW = 90  # letters of width below which calls stand under the output
_LOW = 24  # lines of height below which there is no room for one above the other
_MOST_OUTPUT = 4_000_000  # characters of output that are shown
_OUTPUT, _RESULT, _DEEDS = 0, 1, 2


class OutputPane(Pane):
    """`show_run` opens one; events of other runs pass by."""

    draft_wanted = Signal(str)
    """The id of a run whose program is worth keeping."""
    offered = Signal(object)
    """Carries what can be done with the run that is shown, as the head says it."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._run: Run | None = None
        self._wanted = ""
        self._build()
        self._tick = QTimer(self, interval=500)
        self._tick.timeout.connect(self._show_head)

    @property
    def run_id(self) -> str:
        return self._wanted

    def show_run(self, run_id: str) -> None:
        """Show a run from now on."""
        if run_id != self._wanted:
            self._wanted = run_id
            self.offered.emit(frozenset())
            self._run = None
            self._stream.start_over()
            self._calls.show_calls(())
            self._result.clear()
            self._show_deeds(None)
            self._fault.show_fault(None)
            self._model_view.clear()
            self._ledger.hide()
            self._tabs.setCurrentIndex(_OUTPUT)
        self.context.tasks.run("read a run", self._load(run_id))

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged) and event.run.id == self._wanted:
            self._show(event.run)
        elif isinstance(event, RunOutput) and event.run_id == self._wanted:
            self._stream.take(event.stream, event.text)
        elif isinstance(event, FilesChanged) and event.id == self._wanted:
            self.texts.note_files(event.id, event.count)
        elif isinstance(event, RunCall) and event.run_id == self._wanted:
            self._calls.take(event.trace)
            self._show_calls()

    def refresh(self) -> None:
        if self._wanted:
            self.show_run(self._wanted)

    def stop(self) -> None:
        """End the run that is shown."""
        if self._run is not None and self._run.state not in ENDS:
            self.context.tasks.run("stop a run", self.context.api.stop_run(self._run.id))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _NARROW
        low = self.height() < self.fontMetrics().lineSpacing() * _LOW
        self._split.setOrientation(Qt.Orientation.Horizontal if wide or low else Qt.Orientation.Vertical)
        self._fit_calls()

    def _fit_calls(self, *_place: int) -> None:
        """What a call was about matters more than its size: that column goes first where room is short."""
        letter = self.fontMetrics().averageCharWidth()
        self._calls_view.setColumnHidden(3, self._calls_box.width() < letter * 70)
        self._calls_view.setColumnHidden(2, self._calls_box.width() < letter * 46)

    async def _load(self, run_id: str) -> None:
        try:
            run = await self.context.api.run(run_id)
        except WorkbenchError as fault:
            if run_id == self._wanted and self._run is None:
                self._pages.setCurrentWidget(self._body)
                self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        if run_id == self._wanted and (self._run is None or self._run.state not in ENDS):
            self._show(run)

    def _show(self, run: Run) -> None:
        first = self._run is None
        ended = run.state in ENDS and (self._run is None or self._run.state not in ENDS)
        self._run = run
        self._pages.setCurrentWidget(self._body)
        if first:
            for part in (self._printed, self._result, self._model_view):
                part.show_tokens_of(run.proposal.session)
        if len(run.calls) >= self._calls.rowCount():
            self._calls.show_calls(run.calls)
        self._show_calls()
        if first and run.output and run.state not in ENDS:
            self._stream.show_whole(run.output)
        if ended:
            self._show_end(run)
        self._show_head()
        if run.state is RunState.RUNNING:
            self._tick.start()
        elif run.state in ENDS:
            self._tick.stop()

    def _show_end(self, run: Run) -> None:
        self._fault.show_fault(run.fault, open_detail=run.state is RunState.FAILED)
        gone = run.state is RunState.INTERRUPTED or (run.state is RunState.DONE and not run.result)
        self._stream.explain(gone=gone, seen=bool(run.model_view))
        if run.output or not gone:  # what was printed before the core ended is on screen, and nowhere else
            self._show_output(run.output)
        self._show_deeds(run)
        if run.result:
            self._result.show_json(run.result)
            self._tabs.setCurrentIndex(_RESULT)
        self._model_view.show_text(run.model_view)
        seen = run.ledger.actual or tokens.count(run.model_view)
        made_by = run.ledger.counter if run.ledger.actual else tokens.ESTIMATE
        self._model_title.setText(f"The model sees · {cost(seen, made_by)}")
        self._ledger.setVisible(run.ledger.direct > 0)
        self.context.tasks.run("read the price of tokens", self._show_ledger(run.ledger))

    async def _show_ledger(self, ledger: Ledger) -> None:
        settings = await self.context.api.settings()
        self._ledger.setText(tokens.ledger_sentence(ledger, settings.tokens_cents_per_million))

    def _show_deeds(self, run: Run | None) -> None:
        surprises = self._deeds.show_run(run)
        words = "Effects"
        self._tabs.setTabText(_DEEDS, f"{words} · {surprises} unexpected" if surprises else words)

    def _show_output(self, output: str) -> None:
        size = whole_size([output])
        if not size or size > _MOST_OUTPUT:
            self._stream.show_whole(str(output))
            return

        def done(texts: list[str]) -> None:
            self._stream.show_whole(texts[0])

        self.context.tasks.run("fetch long output", fetch_whole(self.context.fetch, [output]), done)

    def _show_calls(self) -> None:
        count = self._calls.rowCount()
        self._calls_box.setVisible(count > 0)
        self._calls_title.setText("1 call" if count == 1 else f"{count} calls")

    def _show_head(self) -> None:
        if self._run is not None:
            self._head.show_run(self._run)
            self.texts.show_run(self._run)
            seen = self._run.state in ENDS and bool(self._run.model_view)
            self._eye.setVisible(seen)
            self._count_hidden(self._run.model_view if seen else "")
            self._model_box.setVisible(seen and self._eye.isChecked())
            self._fit_calls()

    def _count_hidden(self, seen: str) -> None:
        """How many values the model has tokens of; a long answer is not whole here, so it is at least these."""
        count = len({one.token for one in written(str(seen))})
        one, many = "1 value hidden", f"{count} values hidden"
        where = f"{one if count == 1 else many}: show where they came from and where they went"
        self._hidden.setVisible(count > 0)
        self._hidden.setText(str(count))
        self._hidden.setAccessibleName(where)
        self._hidden.setToolTip(where)

    def _show_hidden(self) -> None:
        if self._run is not None:
            self.wished.emit(ShowPrivacy(session=self._run.proposal.session))

    def _decide(self, index: QModelIndex) -> None:
        """A call that waits leads to its question."""
        if (call := self._calls.call(index.row())) is not None and call.state == "waiting":
            self.wished.emit(ShowHeldCall(call.call_id))

    def _show_plan(self) -> None:
        self.wished.emit(ShowPlan(self._wanted))

    def _open_tab(self) -> None:
        if self._run is not None:
            self.context.tasks.run("open a run's program", self._fetch_code(self._run))

    async def _fetch_code(self, run: Run) -> None:
        (code,) = await fetch_whole(self.context.fetch, [run.proposal.code])
        title = one_line(run.proposal.purpose, 40) or f"Run of {one_line(run.proposal.author, 40)}"
        self.wished.emit(ShowCode(code, purpose=title, language=run.proposal.language))

    def record(self) -> None:
        """Make a recording of the run that is shown."""
        self.wished.emit(RecordRun(self._wanted))

    def keep(self) -> None:
        """Make a skill of the run that is shown."""
        self.draft_wanted.emit(self._wanted)

    def _build(self) -> None:
        words = "Run a program: what it prints, the tools it calls and its result appear here."
        self._pages = QStackedWidget(self)
        self._pages.addWidget(EmptyState(self.context.theme, "terminal", "No run yet", words))
        self._body = QWidget()
        self._pages.addWidget(self._body)
        lead_focus(self, self._pages)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)
        self._head = RunHead(self.context.theme)
        self._head.stop_wanted.connect(self.stop)
        self._head.keep_wanted.connect(self.keep)
        self._head.record_wanted.connect(self.record)
        self._head.offered.connect(self.offered)
        self._head.plan_wanted.connect(self._show_plan)
        self._eye = RoomyButton(self.context.theme, icon("eye", "muted"), "What the model sees")
        self._eye.setToolTip("Show beside the result what the agent's model gets of it")
        self._eye.setCheckable(True)
        mark(self._eye, kind="chip")
        self._eye.toggled.connect(self._show_head)
        self._tab = RoomyButton(self.context.theme, icon("code", "muted"), "Open as tab")
        self._tab.setToolTip("Show the program of this run in the editor")
        mark(self._tab, kind="chip")
        self._tab.clicked.connect(self._open_tab)
        self.texts = RunTexts(self.context)
        self.texts.wished.connect(self.wished)
        self._head.add(self.texts)
        self._head.add(self._tab)
        self._hidden = tool_button("eye-off", "", self.context.theme)
        self._hidden.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._hidden.clicked.connect(self._show_hidden)
        self._head.add(self._hidden)
        self._head.add(self._eye)
        self._fault = FaultCard(self.context.theme)
        self._ledger = ForeignLabel(elide=True)
        unit = self.context.theme.unit
        self._ledger.setContentsMargins(unit * 3, unit, unit * 3, unit)
        mark(self._ledger, role="muted")
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self._fault)
        layout.addWidget(self._make_split(), 1)
        self._body.setFocusProxy(self._tabs)
        layout.addWidget(self._ledger)
        self._ledger.hide()

    def _make_split(self) -> QSplitter:
        self._stream = StreamView(self.context.theme)
        self._result = ResultView(self.context)
        self._result.said.connect(self._say)
        self._printed = TokenChips(self._stream, self.context)
        self._printed.said.connect(self._say)
        MarkMenu(self._stream, self.context).said.connect(self._say)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("Output and result")
        self._tabs.addTab(self._stream, "Output")
        self._tabs.addTab(self._result, "Result")
        self._deeds = Deeds(self.context.theme)
        self._tabs.addTab(self._deeds, "Effects")
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.setMinimumHeight(self.context.theme.unit * 27)  # lower windows need the room above more
        self._split.addWidget(self._make_calls())
        self._split.addWidget(self._tabs)
        self._split.addWidget(self._make_model_view())
        self._split.setSizes([400, 460, 400])
        self._split.splitterMoved.connect(self._fit_calls)
        return self._split

    def _make_calls(self) -> QWidget:
        self._calls = CallsModel(self.context.theme, self)
        view = self._calls_view = QTreeView()
        view.setModel(self._calls)
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setAccessibleName("Calls of the run")
        view.activated.connect(self._decide)
        view.setIconSize(QSize(self.context.theme.unit * 3, self.context.theme.unit * 3))
        letter = self.fontMetrics().averageCharWidth()
        header = view.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(letter * 4)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        for column, letters in ((0, 24), (2, 9), (3, 10)):
            header.resizeSection(column, letter * letters)
        self._calls_box, self._calls_title = _titled("Calls", view, self.context)
        self._calls_box.hide()
        return self._calls_box

    def _say(self, words: str) -> None:
        self.wished.emit(Say(words))

    def _make_model_view(self) -> QWidget:
        self._model_view = ResultView(self.context, seen=True)
        self._model_view.said.connect(self._say)
        self._model_box, self._model_title = _titled("", self._model_view, self.context)
        self._model_box.hide()
        return self._model_box


def _titled(title: str, inner: QWidget, context: Context) -> tuple[QWidget, ForeignLabel]:
    unit = context.theme.unit
    box = QWidget()
    words = ForeignLabel(title, elide=True)
    words.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
    mark(words, role="section")
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(words)
    layout.addWidget(inner, 1)
    return box, words
