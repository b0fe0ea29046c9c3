"""The output of a run: its state, calls, printed text, result, effects, and what the model sees of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench import tokens
from workbench.errors import WorkbenchError
from workbench.events import FilesChanged, RunCall, RunChanged, RunOutput
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.kit.controls import RoomyButton
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import EmptyState, Strip, label, lead_focus, tool_button
from workbench.gui.kit.table import Column, Table, TableModel
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import Word, cost, duration, language_word, level_word, risk_word, run_state_word
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.token_chips import MarkMenu, TokenChips, find_tokens
from workbench.gui.runs.program_view import is_cleanable
from workbench.gui.runs.run_list import can_run_again, open_program
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
    ShowTool,
)
from workbench.records import CallTrace, Fault, Gate, Ledger, Observation, Run, RunState
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS

MOST_CALLS = 10_000
"""So many calls of a run are shown."""


def calls_model(theme: Theme, parent: QObject | None = None) -> TableModel[CallTrace]:
    """One row for each call: tool and state, arguments or failure, time, size."""
    columns = (
        Column[CallTrace](
            "Call",
            lambda call: one_line(f"{call.server}.{call.tool}", 120),
            icon=lambda call: (_call_word(call).icon, _call_word(call).tone),
            tip=_call_tip,
            accessible=lambda call: f"{_call_word(call).text}: {one_line(f'{call.server}.{call.tool}', 120)}",
            letters=24,
        ),
        Column[CallTrace](
            "Arguments",
            lambda call: one_line(call.note or call.arguments, 200),
            tip=_call_tip,
            tone=lambda call: "danger" if call.note else "muted",
            letters=22,
        ),
        Column[CallTrace](
            "Time",
            lambda call: "…" if _is_open(call) else duration(call.ms),
            sort=lambda call: call.ms,
            tone=lambda call: "muted",
            right=True,
            letters=9,
            rank=1,
        ),
        Column[CallTrace](
            "Size",
            lambda call: "…" if _is_open(call) else size_words(call.bytes),
            sort=lambda call: call.bytes,
            tone=lambda call: "muted",
            right=True,
            letters=10,
            rank=2,
        ),
    )
    return TableModel(columns, lambda call: call.call_id, cap=MOST_CALLS, parent=parent, theme=theme)


def _is_open(call: CallTrace) -> bool:
    return call.state in ("running", "waiting")


def _call_tip(call: CallTrace) -> str:
    return f"{_call_word(call).text}: {call.server}.{call.tool}\n{call.note or call.arguments}"


def _call_word(call: CallTrace) -> Word:
    return {
        "running": Word("Running", "loader", "info"),
        "waiting": Word("Waiting for you", "hourglass", "warning"),
        "done": Word("Done", "check", "success"),
        "failed": Word("Failed", "alert", "danger"),
        "refused": Word("Refused", "ban", "danger"),
        "stopped": Word("Stopped", "ban", "muted"),
        "held": Word("Held back by the dry run", "clipboard", "info"),
    }.get(call.state, Word(one_line(call.state, 20), "circle", "muted"))


def observations_model(theme: Theme, parent: QObject | None = None) -> TableModel[Observation]:
    """One row for each effect that was predicted or observed."""
    columns = (
        Column[Observation](
            "Effect",
            _effect_text,
            icon=lambda effect: (_effect_word(effect).icon, _effect_word(effect).tone),
            tip=lambda effect: f"{_effect_word(effect).text}: {effect.subject}",
            tone=_effect_tone,
            accessible=lambda effect: f"{_effect_word(effect).text}: {_effect_text(effect)}",
            letters=40,
        ),
        Column[Observation]("Predicted", _prediction_text, tone=_effect_tone, letters=20),
        Column[Observation]("Observed", _observed_text, tone=_effect_tone, letters=22),
    )
    return TableModel(columns, lambda effect: f"{effect.kind} {effect.subject}", parent=parent, theme=theme)


def _effect_text(effect: Observation) -> str:
    kinds = {"tool": "Calls {}", "host": "Contacts {}", "written": "Writes {}", "deleted": "Deletes {}"}
    return kinds.get(effect.kind, "{}").format(one_line(effect.subject, 160))


def _prediction_text(effect: Observation) -> str:
    line = f"line {effect.line}" if effect.line else "yes"
    return "unknown" if effect.predicted is None else line if effect.predicted else "no"


def _observed_text(effect: Observation) -> str:
    parts = [_times(effect.times)] if effect.times else []
    if effect.refused:
        parts.append(f"refused {_times(effect.refused)}" if effect.refused > 1 else "refused")
    return ", ".join(parts) or "no"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _effect_tone(effect: Observation) -> str:
    if effect.unforeseen:
        return "danger"
    return "" if effect.times or effect.refused else "muted"


def _effect_word(effect: Observation) -> Word:
    if effect.unforeseen:
        return Word("Unexpected", "alert", "danger")
    if not effect.times and not effect.refused:
        return Word("Predicted, did not happen", "circle", "muted")
    if effect.refused and not effect.times:
        return Word("Refused", "ban", "warning")
    return Word("As predicted", "check", "success") if effect.predicted else Word("Happened", "circle", "info")


# what can be done with a run


def has_plan(run: Run) -> bool:
    """Whether a dry run has a plan. It is lost with its core; runs of earlier cores have no approval fingerprint."""
    return run.proposal.dry_run and bool(run.fingerprint) and run.state in (RunState.DONE, RunState.FAILED)


def can_record(run: Run) -> bool:
    return not run.proposal.dry_run and run.state is RunState.DONE and bool(run.calls)


def can_keep(run: Run) -> bool:
    return not run.proposal.dry_run and run.state is RunState.DONE and run.proposal.language == "python"


def fault_for_user(run: Run) -> Fault | None:
    """Why the run did not end well. Hints of the core are for the author, so some are replaced for the user."""
    decision = run.decision
    if run.state is RunState.REFUSED and decision is not None and not decision.allow:
        by = f" by {one_line(decision.by, 60)}" if decision.by and decision.by != "you" else ""
        subject = "You denied this program" if decision.by == "you" else f"This program was denied{by}"
        return Fault(f"{subject}: {decision.reason}" if decision.reason else f"{subject}.")
    if run.state is RunState.REFUSED and run.verdict is not None and run.verdict.gate is Gate.ASK:
        hint = "Choose “Run it now” to run it as your own program."
        return Fault("The approval request was not answered in time, so the program did not run.", hint)
    if run.state is RunState.INTERRUPTED and run.fault is not None:
        return replace(run.fault, hint="Nothing of it is running now.")
    return run.fault


_TRIFECTA = frozenset({"private", "untrusted", "sends"})


class RunHead(Strip):
    """The state of one run, facts about it, and what can be done with it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._theme = theme
        self._picture = QLabel(self)
        self.state = ForeignLabel()
        self.state.setWordWrap(False)
        mark(self.state, role="heading")
        self.facts = ForeignLabel(elide=True)
        mark(self.facts, role="muted")
        self.trifecta = label("Lethal trifecta", "badge")
        meaning = (
            "Its session read private data and text that outsiders can write, and used a tool that can send data out"
        )
        self.trifecta.setToolTip(meaning)
        self.trifecta.setAccessibleDescription(meaning)
        mark(self.trifecta, tone="critical")
        self.trifecta.hide()
        self.stop = QPushButton(icon("stop", "danger"), "Stop")
        self.stop.setToolTip("Stop this run and its calls")
        self.again = self._button("play", "Run it now", "Run this program as your own")
        self.plan = self._button("list", "Plan…", "Show what the dry run held back, and choose what may happen")
        self.record = self._button("history", "Record…", "Test a skill with the calls and answers of this run")
        self.keep = QPushButton(icon("bookmark", "muted"), "Keep as skill…")
        self.keep.setToolTip("Make a skill of this program that agents can use")
        self.row.addWidget(self._picture)
        self.row.addWidget(self.state)
        self.row.addSpacing(theme.unit)
        self.row.addWidget(self.facts, 1)
        self.row.addWidget(self.trifecta)
        for button in (self.stop, self.again, self.plan, self.record, self.keep):
            self.row.addWidget(button)
            button.hide()

    def add(self, widget: QWidget) -> None:
        """Put something before the buttons."""
        self.row.insertWidget(self.row.indexOf(self.stop), widget)

    def show_run(self, run: Run) -> None:
        word = run_state_word(run)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self.state.setText(word.text)
        self.facts.setText(" · ".join(_facts(run)))
        self.trifecta.setVisible(frozenset(run.read) >= _TRIFECTA)
        self.stop.setVisible(run.state not in ENDS)
        self.stop.setEnabled(not run.stopping)
        did_not_finish = run.state in (RunState.REFUSED, RunState.STOPPED, RunState.INTERRUPTED)
        self.again.setVisible(did_not_finish and can_run_again(run))
        self.plan.setVisible(has_plan(run))
        self.record.setVisible(can_record(run))
        self.keep.setVisible(can_keep(run))

    def _button(self, symbol: str, text: str, tip: str) -> QPushButton:
        button = RoomyButton(self._theme, icon(symbol, "muted"), text)
        button.setToolTip(tip)
        return button


def _facts(run: Run) -> list[str]:
    facts = [run.proposal.skill or run.proposal.purpose]
    facts.append(f"by {run.proposal.author}" if run.proposal.author else "")
    if run.proposal.dry_run:
        facts.insert(0, "dry run")
    if run.proposal.language != "python":
        facts.append(language_word(run.proposal.language))
    if run.proposal.state:
        facts.append(f"continues “{run.proposal.state}”")
    if run.preparing:
        facts.insert(0, "looking for personal data")
    if run.started:
        facts.append(duration(1000 * ((run.ended or time.time()) - run.started)))
    if run.memory_mb:
        facts.append(f"{run.memory_mb:,.0f} MB")
    if run.backend and run.started:
        weaker = ", weaker than its risk requires" if run.isolation else ""
        facts.append(f"in {level_word(run.level)} ({run.backend}){weaker}")
    return [fact for fact in facts if fact]


class RunLinks(QWidget):
    """Buttons for what belongs to a run: your changes, its clean text, its files. Only those that apply are shown."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._run: Run | None = None
        self._clean_text = ""
        self.changes = self._chip("Your changes", self._show_changes)
        self.changes.setToolTip("Show how you changed the program before you allowed it")
        self.clean = self._chip("Clean and check again…", self._ask_clean)
        self.clean.setToolTip("Show the text without hidden characters, foreign encodings and unusual line endings")
        self.files = self._chip("Files it changed", self._show_files)
        self.files.setToolTip("Show which files of the workspace it changed, and undo that")
        self.held = self._chip("Files wait for you", self._show_held)
        self.held.setToolTip("Show how it wants to change files that are not its own, and decide")
        self._changed_files: tuple[str, int] = ("", 0)  # a run, and how many files it changed so far
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for chip in (self.changes, self.clean, self.files, self.held):
            row.addWidget(chip)

    def show_run(self, run: Run) -> None:
        self._run = run
        original = run.proposal.original
        self.changes.setVisible(bool(original) and original != run.proposal.code)
        self.clean.setVisible(run.state is RunState.REFUSED and is_cleanable(run.verdict))
        counted = self._changed_files[1] if self._changed_files[0] == run.id else 0
        files = counted or sum(effect.kind in ("written", "deleted") and effect.times > 0 for effect in run.observed)
        self.files.setVisible(files > 0 and not run.proposal.dry_run)
        self.files.setText(f"Files it changed · {files:,}")
        self.held.setVisible(bool(run.held))
        self.held.setText(f"Files wait for you · {len(run.held):,}")
        self.setVisible(not all(chip.isHidden() for chip in (self.changes, self.clean, self.files, self.held)))

    def note_files(self, run_id: str, count: int) -> None:
        """The core reports changed files before the run ends."""
        self._changed_files = (run_id, count)
        if self._run is not None and self._run.id == run_id:
            self.show_run(self._run)

    def _chip(self, text: str, act: Callable[[], None]) -> QPushButton:
        chip = QPushButton(text, self)
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
            title = "How you changed the program before you allowed it"
            self._open(title, f"− {proposal.author}   + you", proposal.original, proposal.code)

    def _ask_clean(self) -> None:
        if self._run is not None:
            self._context.tasks.run("clean a program", self._show_clean(self._run))

    async def _show_clean(self, run: Run) -> None:
        """Show the clean text together with its assessment."""
        clean = await self._context.api.clean_code(run.proposal.code)
        verdict = await self._context.api.assess(clean)
        self._clean_text = clean
        risk = "Still cannot run" if verdict.gate is Gate.BLOCKED else risk_word(verdict.risk).text
        signs = "− as submitted   + clean"
        dialog = self._open(f"{risk}: {verdict.sentence}", signs, run.proposal.code, clean)
        dialog.offer("Open the clean text in the editor").connect(self._open_clean)

    def _open_clean(self) -> None:
        self._context.go(ShowCode(self._clean_text, purpose="clean"))

    def _open(self, title: str, signs: str, before: str, after: str) -> DifferenceDialog:
        dialog = DifferenceDialog(self._context, title, before, after, self.window(), signs=signs)
        dialog.setWindowTitle("Two versions of a program")
        dialog.open()
        return dialog


class EffectsPage(QWidget):
    """Predicted and observed effects of a run, side by side."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = observations_model(theme, self)
        self.summary = ForeignLabel()
        unit = theme.unit
        self.summary.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        mark(self.summary, role="muted")
        self.table: Table[Observation] = Table(theme, "Predicted and observed effects", self.model)
        _stretch(self.table, 0)
        self._copy = QAction(icon("copy"), "Copy", self)
        self._copy.triggered.connect(self._copy_effect)
        self.table.set_menu(lambda _effect: (self._copy,))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.summary)
        column.addWidget(self.table, 1)

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
        self.card = FaultCard(theme)
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
        self._wanted = ""
        self._build()
        self._tick = QTimer(self, interval=500)
        self._tick.timeout.connect(self._show_head)
        store = context.store
        store.on(RunChanged, self._run_changed)
        store.on(RunOutput, self._printed_more)
        store.on(RunCall, self._call_changed)
        store.on(FilesChanged, self._files_changed)
        store.linked.connect(self._reload)

    @property
    def run_id(self) -> str:
        return self._wanted

    def show_run(self, run_id: str) -> None:
        """Show a run and follow its events."""
        if run_id != self._wanted:
            self._wanted = run_id
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
            self.context.say(f"{fault.message} {fault.hint}".strip())
            if self._run is not None and self._run.id == run_id:
                self._run = replace(self._run, stopping=False)
                self._show_head()

    def record(self) -> None:
        """Make a recording of the run that is shown."""
        self.context.go(RecordRun(self._wanted))

    def keep(self) -> None:
        """Make a skill of the run that is shown."""
        self.context.go(KeepRun(self._wanted))

    # events

    def _run_changed(self, event: RunChanged) -> None:
        if event.run.id == self._wanted:
            self._show(event.run)

    def _printed_more(self, event: RunOutput) -> None:
        if event.run_id == self._wanted:
            self.stream.take(event.stream, event.text)

    def _call_changed(self, event: RunCall) -> None:
        if event.run_id == self._wanted:
            self.calls.put(event.trace)
            self._count_calls()

    def _files_changed(self, event: FilesChanged) -> None:
        if event.id == self._wanted:
            self.links.note_files(event.id, event.count)

    def _reload(self) -> None:
        if self._wanted:
            self.show_run(self._wanted)

    async def _load(self, run_id: str) -> None:
        try:
            run = await self.context.api.run(run_id)
        except WorkbenchError as fault:
            if run_id == self._wanted and self._run is None:
                self._show_body()
                self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        if run_id == self._wanted and (self._run is None or self._run.state not in ENDS):
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
        self._show_head()
        if run.state is RunState.RUNNING:
            self._tick.start()
        elif run.state in ENDS:
            self._tick.stop()

    def _show_end(self, run: Run) -> None:
        self._fault.show_fault(fault_for_user(run), open_detail=run.state is RunState.FAILED)
        lost = run.state is RunState.INTERRUPTED or (run.state is RunState.DONE and not run.result)
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
            self.context.tasks.run("fetch long output", fetching, partial(self._show_fetched, self._wanted))

    def _show_fetched(self, run_id: str, texts: list[str]) -> None:
        if run_id == self._wanted:
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
            self._eye.setVisible(seen)
            self._count_masked(self._run.model_view if seen else "")
            self.model_box.setVisible(seen and self._eye.isChecked())

    def _offer(self, run: Run | None) -> None:
        """Enable the actions that make sense for the run."""
        possible = {KEEPABLE: run is not None and can_keep(run), RECORDABLE: run is not None and can_record(run)}
        for offer in RUN_OFFERS:
            self.context.commands.hold(offer, possible[offer])

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
        self.context.go(ShowPlan(self._wanted))

    def _open_program(self, _checked: bool = False, *, start: bool = False) -> None:
        if self._run is not None:
            self.head.again.setEnabled(not start)  # a double click starts one run
            self.context.tasks.run("open a run's program", open_program(self.context, self._run, start=start))

    # layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        low = self.height() < self.fontMetrics().lineSpacing() * _LOW
        self.split.setOrientation(Qt.Orientation.Horizontal if wide or low else Qt.Orientation.Vertical)

    def _build(self) -> None:
        theme = self.context.theme
        sentence = "Run a program to see what it prints, the tools it calls and its result."
        self._pages = QStackedWidget(self)
        self._pages.addWidget(EmptyState(theme, "terminal", "No run yet", sentence))
        self._body = QWidget()
        self._pages.addWidget(self._body)
        lead_focus(self, self._pages)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)
        self._fault = _FaultArea(theme)
        self.ledger = ForeignLabel(elide=True)
        self.ledger.setContentsMargins(theme.unit * 3, theme.unit, theme.unit * 3, theme.unit)
        mark(self.ledger, role="muted")
        self.ledger.hide()
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_head())
        layout.addWidget(self._fault)
        layout.addWidget(self._make_split(), 1)
        layout.addWidget(self.ledger)
        self._body.setFocusProxy(self.tabs)

    @property
    def fault(self) -> FaultCard:
        """Why the run did not end well."""
        return self._fault.card

    def _make_head(self) -> RunHead:
        theme = self.context.theme
        self.head = RunHead(theme)
        for button, act in (
            (self.head.stop, self.stop),
            (self.head.keep, self.keep),
            (self.head.record, self.record),
            (self.head.plan, self._show_plan),
            (self.head.again, partial(self._open_program, start=True)),
        ):
            button.clicked.connect(act)
        self.links = RunLinks(self.context)
        self._tab = RoomyButton(theme, icon("code", "muted"), "Open program")
        self._tab.setToolTip("Open the program of this run in the editor")
        self._tab.clicked.connect(self._open_program)
        self.masked = tool_button("eye-off", "", theme)
        self.masked.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.masked.clicked.connect(self._show_masked)
        self._eye = RoomyButton(theme, icon("eye", "muted"), "What the model sees")
        self._eye.setToolTip("Show next to the result what the agent's model gets")
        self._eye.setCheckable(True)
        self._eye.toggled.connect(self._show_head)
        for chip in (self._tab, self._eye):
            mark(chip, kind="chip")
        for widget in (self.links, self._tab, self.masked, self._eye):
            self.head.add(widget)
        return self.head

    def _make_split(self) -> QSplitter:
        self.stream = StreamView(self.context.theme)
        self.result = ResultView(self.context)
        self.printed_tokens = TokenChips(self.stream, self.context)
        MarkMenu(self.stream, self.context)
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
        self._decide_action = self._action("Decide…", "hourglass", self._open_selected_call)
        self._tool_action = self._action("Show tool", "tool", self._open_selected_call)
        self._copy_action = self._action("Copy arguments", "copy", self._copy_arguments)
        self.calls_table.set_menu(self._call_actions)
        self.calls_table.chosen.connect(self._open_call)
        self.calls_box, self.calls_title = _titled("Calls", self.calls_table, self.context)
        self.calls_box.hide()
        return self.calls_box

    def _action(self, text: str, symbol: str, act: Callable[[], None]) -> QAction:
        action = QAction(icon(symbol), text, self)
        action.triggered.connect(act)
        return action


def _stretch(table: Table[Any], column: int) -> None:  # Any: whatever the table shows
    """Give the room that is left to this column instead of the last one."""
    header = table.horizontalHeader()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)


def _titled(title: str, inner: QWidget, context: Context) -> tuple[QWidget, ForeignLabel]:
    """A widget with a title above it."""
    unit = context.theme.unit
    box = QWidget()
    heading = ForeignLabel(title, elide=True)
    heading.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
    mark(heading, role="section")
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(heading)
    layout.addWidget(inner, 1)
    return box, heading
