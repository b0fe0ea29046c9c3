"""The nested calls of a run as a table that grows while it runs; a call is found by its id, however many there are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
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
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.kit.controls import RoomyButton
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import EmptyState, Strip, label, lead_focus, tool_button
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import Word, cost, duration, language_word, level_word, risk_word, run_state_word
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.token_chips import MarkMenu, TokenChips, written
from workbench.gui.runs.program_view import is_cleanable
from workbench.gui.runs.stream_view import StreamView
from workbench.gui.shell.actions import KEEPABLE, RECORDABLE, RUN_OFFERS
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole, size_words, whole_size
from workbench.gui.shell.navigation import (
    HELD,
    KeepRun,
    RecordRun,
    ShowChanges,
    ShowCode,
    ShowHeldCall,
    ShowPlan,
    ShowPrivacy,
)
from workbench.records import CallTrace, Fault, Gate, Ledger, Observation, Run, RunState
from workbench.records.runs import ENDS

Index: TypeAlias = QModelIndex | QPersistentModelIndex

_ROOT = QModelIndex()
_TOOL, _ARGUMENTS, _TIME, _SIZE = range(4)


class CallsModel(QAbstractTableModel):
    """One row per call: tool and state, arguments, time, size."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._calls: list[CallTrace] = []
        self._rows: dict[str, int] = {}

    def show_calls(self, calls: Sequence[CallTrace]) -> None:
        self.beginResetModel()
        self._calls = list(calls)
        self._rows = {call.call_id: row for row, call in enumerate(calls)}
        self.endResetModel()

    def take(self, call: CallTrace) -> None:
        """A call began or took a step."""
        row = self._rows.get(call.call_id)
        if row is not None:
            self._calls[row] = call
            self.dataChanged.emit(self.index(row, 0), self.index(row, _SIZE))
            return
        row = len(self._calls)
        self.beginInsertRows(QModelIndex(), row, row)
        self._calls.append(call)
        self._rows[call.call_id] = row
        self.endInsertRows()

    def call(self, row: int) -> CallTrace | None:
        return self._calls[row] if 0 <= row < len(self._calls) else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._calls)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else 4

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return ("Call", "Arguments", "Time", "Size")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        call, column = self._calls[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(call, column)
        if role == Qt.ItemDataRole.DecorationRole and column == _TOOL:
            return icon(_word(call).icon, _word(call).tone)
        if role == Qt.ItemDataRole.ForegroundRole and column != _TOOL:
            return self._theme.colour("danger" if column == _ARGUMENTS and call.note else "muted")
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{_word(call).text}: {call.server}.{call.tool}\n{call.note or call.arguments}")
        if role == Qt.ItemDataRole.AccessibleTextRole and column == _TOOL:
            return f"{_word(call).text}: {self._text(call, _TOOL)}"
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (_TIME, _SIZE):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, call: CallTrace, column: int) -> str:
        if column == _TOOL:
            return one_line(f"{call.server}.{call.tool}", 120)
        if column == _ARGUMENTS:
            return one_line(call.note or call.arguments, 200)
        if call.state in ("running", "waiting"):
            return "…"
        return duration(call.ms) if column == _TIME else size_words(call.bytes)


def _word(call: CallTrace) -> Word:
    return {
        "running": Word("Running", "loader", "info"),
        "waiting": Word("Waits for you", "hourglass", "warning"),
        "done": Word("Done", "check", "success"),
        "failed": Word("Failed", "alert", "danger"),
        "refused": Word("Refused", "ban", "danger"),
        "stopped": Word("Stopped", "ban", "muted"),
        "held": Word("Held by the dry run", "clipboard", "info"),
    }.get(call.state, Word(one_line(call.state, 20), "circle", "muted"))


_EFFECT, _FORETOLD, _HAPPENED = range(3)


class ObservedModel(QAbstractTableModel):
    """One row per effect."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[Observation] = []

    def show_observations(self, observations: Sequence[Observation]) -> None:
        self.beginResetModel()
        self._rows = list(observations)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else 3

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return ("Effect", "Predicted", "What happened")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        one, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(one, column)
        if role == Qt.ItemDataRole.DecorationRole and column == _EFFECT:
            word = _effect_word(one)
            return icon(word.icon, word.tone)
        if role == Qt.ItemDataRole.ForegroundRole and (one.unforeseen or not (one.times or one.refused)):
            return self._theme.colour("danger" if one.unforeseen else "muted")
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{_effect_word(one).text}: {one.subject}")
        if role == Qt.ItemDataRole.AccessibleTextRole and column == _EFFECT:
            return f"{_effect_word(one).text}: {self._text(one, _EFFECT)}"
        return None

    def _text(self, one: Observation, column: int) -> str:
        if column == _EFFECT:
            kinds = {"tool": "Calls {}", "host": "Reaches {}", "written": "Writes {}", "deleted": "Deletes {}"}
            return kinds.get(one.kind, "{}").format(one_line(one.subject, 160))
        if column == _FORETOLD:
            line = f"line {one.line}" if one.line else "yes"
            return "nobody could tell" if one.predicted is None else line if one.predicted else "no"
        return self._happened(one)

    def _happened(self, one: Observation) -> str:
        if not one.times and not one.refused:
            return "no"
        once = "once" if one.times == 1 else f"{one.times:,} times"
        parts = [once] if one.times else []
        if one.refused:
            parts.append(f"refused {one.refused:,} times" if one.refused > 1 else "refused")
        return ", ".join(parts)


def _effect_word(one: Observation) -> Word:
    if one.unforeseen:
        return Word("Unexpected", "alert", "danger")
    if not one.times and not one.refused:
        return Word("Predicted, did not happen", "circle", "muted")
    if one.refused and not one.times:
        return Word("Refused", "ban", "warning")
    return Word("As predicted", "check", "success") if one.predicted else Word("Happened", "circle", "info")


_OPEN = (RunState.PROPOSED, RunState.CHECKED, RunState.WAITING, RunState.RUNNING)
_TRIFECTA = frozenset({"private", "untrusted", "sends"})


class RunHead(Strip):
    """Shows one run; told again after each step."""

    stop_wanted = Signal()
    keep_wanted = Signal()
    plan_wanted = Signal()
    record_wanted = Signal()
    offered = Signal(object)
    """Carries those of RUN_OFFERS that hold for the run that is shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._theme = theme
        self._picture = QLabel(self)
        self._state = ForeignLabel()
        self._state.setWordWrap(False)
        mark(self._state, role="heading")
        self._words = ForeignLabel(elide=True)
        mark(self._words, role="muted")
        self._trifecta = label("Trifecta", "badge")
        words = "Its session read private data and text that outsiders can write, and used a tool that can send"
        self._trifecta.setToolTip(words)
        self._trifecta.setAccessibleDescription(words)
        mark(self._trifecta, tone="critical")
        self._trifecta.hide()
        self._stop = QPushButton(icon("stop", "danger"), "Stop", self)
        self._stop.setToolTip("End this run and the calls it waits for")
        self._stop.clicked.connect(self.stop_wanted)
        self._keep = QPushButton(icon("bookmark", "muted"), "Keep as skill…", self)
        self._keep.setToolTip("Make a skill of this program, for agents to use again")
        self._keep.clicked.connect(self.keep_wanted)
        self._plan = RoomyButton(theme, icon("list", "muted"), "Plan…", self)
        self._plan.setToolTip("What the dry run held back. Choose what may really happen.")
        self._plan.clicked.connect(self.plan_wanted)
        self.row.addWidget(self._picture)
        self.row.addWidget(self._state)
        self.row.addSpacing(theme.unit)
        self.row.addWidget(self._words, 1)
        self.row.addWidget(self._trifecta)
        self.row.addWidget(self._stop)
        self.row.addWidget(self._plan)
        self._record = RoomyButton(theme, icon("history", "muted"), "Record…", self)
        self._record.setToolTip("Test a skill against what this run asked and was told")
        self._record.clicked.connect(self.record_wanted)
        self.row.addWidget(self._record)
        self.row.addWidget(self._keep)

    def add(self, widget: QWidget) -> None:
        """Put something before the buttons."""
        self.row.insertWidget(self.row.indexOf(self._stop), widget)

    def show_run(self, run: Run) -> None:
        word = run_state_word(run)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._state.setText(word.text)
        self._words.setText(" · ".join(_facts(run)))
        self._trifecta.setVisible(frozenset(run.read) >= _TRIFECTA)
        self._stop.setVisible(run.state in _OPEN)
        self._stop.setEnabled(not run.stopping)
        real = not run.proposal.dry_run
        # A plan is lost when its core ends; runs of earlier cores have no approval fingerprint.
        self._plan.setVisible(not real and bool(run.fingerprint) and run.state in (RunState.DONE, RunState.FAILED))
        self._record.setVisible(real and run.state is RunState.DONE and bool(run.calls))
        self._keep.setVisible(real and run.state is RunState.DONE and run.proposal.language == "python")
        can = {KEEPABLE: not self._keep.isHidden(), RECORDABLE: not self._record.isHidden()}
        self.offered.emit(frozenset(offer for offer in RUN_OFFERS if can[offer]))


def _facts(run: Run) -> list[str]:
    name = run.proposal.skill or run.proposal.purpose
    facts = [name, f"by {run.proposal.author}" if run.proposal.author else ""]
    if run.proposal.dry_run:
        facts.insert(0, "dry_run")
    if run.proposal.language != "python":
        facts.append(language_word(run.proposal.language))
    if run.proposal.state:
        facts.append(f"goes on in “{run.proposal.state}”")
    if run.preparing:
        facts.insert(0, "looking for personal data")
    if run.started:
        facts.append(duration(1000 * ((run.ended or time.time()) - run.started)))
    if run.memory_mb:
        facts.append(f"{run.memory_mb:.0f} MB")
    if run.backend and run.started:
        less = ", less than its risk requires" if run.isolation else ""
        facts.append(f"in {level_word(run.level)} ({run.backend}){less}")
    return [fact for fact in facts if fact]


class RunTexts(QWidget):
    """Shows only what there is."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._run: Run | None = None
        self._clean_text = ""
        self.changes = self._chip("Your changes", self._show_changes)
        self.changes.setToolTip("Show what you changed of the author's text before you allowed it")
        self.clean = self._chip("Clean and check again…", self._ask_clean)
        self.clean.setToolTip("Show the text without hidden characters, foreign encodings and odd line ends")
        self.files = self._chip("Files it changed", self._show_files)
        self.files.setToolTip("Show the files of the workspace that it left different, and take that back")
        self.held = self._chip("Files that wait for you", self._show_held)
        self.held.setToolTip("Show what it wants to change in files that are not its own, and decide")
        self._wrote: tuple[str, int] = ("", 0)  # a run, and how many files it is known to have changed
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for chip in (self.changes, self.clean, self.files, self.held):
            row.addWidget(chip)

    def show_run(self, run: Run) -> None:
        self._run = run
        original = run.proposal.original
        self.changes.setVisible(bool(original) and original != run.proposal.code)
        self.clean.setVisible(run.state is RunState.REFUSED and is_cleanable(run.verdict))
        told = self._wrote[1] if self._wrote[0] == run.id else 0
        seen = sum(one.kind in ("written", "deleted") and one.times > 0 for one in run.observed)
        self.files.setVisible(bool(told or seen) and not run.proposal.dry_run)
        self.files.setText(f"Files it changed · {told or seen}")
        self.held.setVisible(bool(run.held))
        self.held.setText(f"Files that wait for you · {len(run.held)}")
        self.setVisible(not all(chip.isHidden() for chip in (self.changes, self.clean, self.files, self.held)))

    def note_files(self, run_id: str, count: int) -> None:
        """The core says so before the run ends."""
        self._wrote = (run_id, count)
        if self._run is not None and self._run.id == run_id:
            self.show_run(self._run)

    def _chip(self, words: str, act: object) -> QPushButton:
        chip = QPushButton(words, self)
        chip.clicked.connect(act)
        mark(chip, kind="chip")
        chip.hide()
        return chip

    def _show_files(self) -> None:
        if self._run is not None:
            self._context.go(ShowChanges(self._run.id))

    def _show_held(self) -> None:
        if self._run is not None:
            self._context.go(ShowChanges(HELD + self._run.id))

    def _show_changes(self) -> None:
        if self._run is not None:
            proposal = self._run.proposal
            words = "What you changed before it was allowed"
            self._open(words, f"− {proposal.author}   + you", proposal.original, proposal.code)

    def _ask_clean(self) -> None:
        if self._run is not None:
            self._context.tasks.run("clean a program", self._show_clean(self._run))

    async def _show_clean(self, run: Run) -> None:
        """The clean text is judged before it is offered."""
        clean = await self._context.api.clean_code(run.proposal.code)
        verdict = await self._context.api.assess(clean)
        self._clean_text = clean
        still = "It still cannot run"
        risk = still if verdict.gate is Gate.BLOCKED else risk_word(verdict.risk).text
        signs = "− as it was proposed   + clean"
        dialog = self._open(f"{risk}: {verdict.sentence}", signs, run.proposal.code, clean)
        dialog.offer("Open the clean text in the editor").connect(self._open_clean)

    def _open_clean(self) -> None:
        self._context.go(ShowCode(self._clean_text, purpose="clean"))

    def _open(self, words: str, signs: str, before: str, after: str) -> DifferenceDialog:
        dialog = DifferenceDialog(self._context, words, before, after, self.window(), signs=signs)
        dialog.setWindowTitle("Two texts of one program")
        dialog.open()
        return dialog


class Deeds(QWidget):
    """Told when a run is over."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ObservedModel(theme, self)
        self._words = ForeignLabel()
        unit = theme.unit
        self._words.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        mark(self._words, role="muted")
        view = self._view = QTreeView()
        view.setModel(self.model)
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setAccessibleName("Predicted and observed effects")
        view.setIconSize(QSize(unit * 3, unit * 3))
        header = view.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in ((1, 20), (2, 22)):
            header.resizeSection(column, letter * letters)
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(0, 0, 0, 0)
        column_.setSpacing(0)
        column_.addWidget(self._words)
        column_.addWidget(view, 1)

    def show_run(self, run: Run | None) -> int:
        """How many effects of it were unforeseen."""
        observed = run.observed if run is not None else ()
        self.model.show_observations(observed)
        surprises = sum(one.unforeseen for one in observed)
        self._view.setVisible(bool(observed))
        self._words.setText(self._sentence(run, surprises))
        return surprises

    def _sentence(self, run: Run | None, surprises: int) -> str:
        if run is None or (not run.observed and not run.ended):
            return "After the run, the observed effects are shown here next to the predicted ones."
        if not run.observed:
            return "No effects were predicted, and none were observed."
        if surprises:
            return "It did what its text does not say; the audit has an entry of it."
        return "It did nothing that its text does not say. Files count only while no other program runs."


_NARROW = 90  # letters of width below which calls stand under the output
_LOW = 24  # lines of height below which there is no room for one above the other
_MOST_OUTPUT = 4_000_000  # characters of output that are shown
_OUTPUT, _RESULT, _DEEDS = 0, 1, 2


class OutputPane(Pane):
    """`show_run` opens one; events of other runs pass by."""

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
            self._offer(frozenset())
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
            self.context.go(ShowPrivacy(session=self._run.proposal.session))

    def _decide(self, index: QModelIndex) -> None:
        """A call that waits leads to its question."""
        if (call := self._calls.call(index.row())) is not None and call.state == "waiting":
            self.context.go(ShowHeldCall(call.call_id))

    def _show_plan(self) -> None:
        self.context.go(ShowPlan(self._wanted))

    def _open_tab(self) -> None:
        if self._run is not None:
            self.context.tasks.run("open a run's program", self._fetch_code(self._run))

    async def _fetch_code(self, run: Run) -> None:
        (code,) = await fetch_whole(self.context.fetch, [run.proposal.code])
        title = one_line(run.proposal.purpose, 40) or f"Run of {one_line(run.proposal.author, 40)}"
        self.context.go(ShowCode(code, purpose=title, language=run.proposal.language))

    def record(self) -> None:
        """Make a recording of the run that is shown."""
        self.context.go(RecordRun(self._wanted))

    def keep(self) -> None:
        """Make a skill of the run that is shown."""
        self.context.go(KeepRun(self._wanted))

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
        self._head.offered.connect(self._offer)
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
        self._printed = TokenChips(self._stream, self.context)
        MarkMenu(self._stream, self.context)
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
        self.context.say(words)

    def _make_model_view(self) -> QWidget:
        self._model_view = ResultView(self.context, seen=True)
        self._model_box, self._model_title = _titled("", self._model_view, self.context)
        self._model_box.hide()
        return self._model_box

    def _offer(self, offers: frozenset[str]) -> None:
        for offer in RUN_OFFERS:
            self.context.commands.hold(offer, offer in offers)


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
