"""The runs: those that wait for a person on top with their time running out, then what runs, then what was."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from workbench.events import Event, RunChanged
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.models.rows import RowsModel
from workbench.gui.models.runs import UNDERWAY, run_rows
from workbench.gui.pane import Pane
from workbench.gui.results.save import ask_and_save
from workbench.gui.rows import KEY
from workbench.gui.run_actions import FINDINGS, STOPPABLE, WAITING
from workbench.gui.views import EmptyState, RowsView, lead_focus
from workbench.gui.whole import fetch_whole
from workbench.gui.wishes import ShowRun, StartDryRun
from workbench.records import Origin, Run, RunState
from workbench.records.runs import ENDS

KEPT = 500
"""How many ended runs the list remembers; the audit remembers all."""


class RunsPane(Pane):
    """The list. What is in it comes from events; the core is asked once per connection."""

    waiting = Signal(int)
    """How many runs wait for a person."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._runs: dict[str, Run] = {}
        self._held_calls = 0  # calls of running programs that wait
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Runs", self)
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(False)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._draw)
        self._empty = self._make_empty()
        self._lay_out()
        self.list.chosen.connect(self._choose)
        self.list.clicked.connect(self._clicked)
        self.list.selection_changed.connect(self._selected)
        commands.bind("run.review", self._review)
        commands.bind("run.stop", self._stop)
        commands.bind("run.dry_run", self._dry_run)
        commands.bind("run.sarif", self._save_findings)

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged):
            self._runs[event.run.id] = event.run
            self._forget_old()
            self._draw()

    def refresh(self) -> None:
        self.context.tasks.run("runs", self.context.api.runs(), self._load)

    def count_held_calls(self, number: int) -> None:
        """So many questions about calls are open beside the programs that wait."""
        if number != self._held_calls:
            self._held_calls = number
            self._draw()

    def run(self, run_id: str) -> Run | None:
        return self._runs.get(run_id)

    def most_urgent(self) -> Run | None:
        """The waiting run whose time ends first."""
        waiting = [run for run in self._runs.values() if run.state is RunState.WAITING]
        return min(waiting, key=lambda run: run.deadline, default=None)

    def _load(self, runs: tuple[Run, ...]) -> None:
        self._runs = {run.id: run for run in runs}
        self._draw()

    def _lay_out(self) -> None:
        self._stack = QStackedLayout()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._stack)
        lead_focus(self, self._stack)

    def _make_empty(self) -> EmptyState:
        empty = EmptyState(
            self.context.theme,
            "hourglass",
            "No program is waiting",
            "When a program of an agent needs your approval, it appears here with the remaining time.",
            self,
        )
        empty.offer(self._commands["agent.example"])
        return empty

    def _draw(self) -> None:
        self.model.show_rows(run_rows(self._runs.values(), time.time()))
        self._stack.setCurrentWidget(self.list if self._runs else self._empty)
        waits = sum(1 for run in self._runs.values() if run.state is RunState.WAITING)
        self._tick.start(1_000 if waits else 30_000)  # countdowns, and how long ago the others were
        self._commands.hold(WAITING, waits > 0)
        self._selected()
        self.waiting.emit(waits + self._held_calls)

    def _selected(self) -> None:
        self._commands.hold(STOPPABLE, self._stoppable() is not None)
        self._commands.hold(FINDINGS, self._found() is not None)

    def _stoppable(self) -> Run | None:
        """The chosen run if it is not over; else the only one under way; else the only one of the user's that waits."""
        chosen = self._runs.get(self.list.key())
        if chosen is not None and chosen.state not in ENDS:
            return chosen
        underway = [run for run in self._runs.values() if run.state in UNDERWAY]
        own = [run for run in self._runs.values() if run.state not in ENDS and run.proposal.origin is Origin.PERSON]
        found = underway or own
        return found[0] if len(found) == 1 else None

    def _clicked(self, index: QModelIndex) -> None:
        """One click shows a run that is decided; a question is opened on purpose: by Enter, two clicks or Review."""
        run = self._runs.get(str(index.data(KEY)))
        if run is not None and run.state is not RunState.WAITING:
            self._choose(run.id)

    def _choose(self, run_id: str) -> None:
        self.wished.emit(ShowRun(run_id))

    def _review(self) -> None:
        if (run := self._meant()) is not None:
            self.wished.emit(ShowRun(run.id))

    def _dry_run(self) -> None:
        if (run := self._meant()) is not None:
            self.wished.emit(StartDryRun(run.id))

    def _meant(self) -> Run | None:
        """The chosen run if it waits; else the one whose time ends first."""
        run = self._runs.get(self.list.key())
        return run if run is not None and run.state is RunState.WAITING else self.most_urgent()

    def _found(self) -> Run | None:
        """The chosen run, or without a choice the one that waits, if reading it found something; runs of earlier cores
        have kept the verdict's sentence only."""
        run = self._runs.get(self.list.key()) or self.most_urgent()
        return run if run is not None and run.verdict is not None and run.verdict.findings else None

    async def _save_findings(self) -> None:
        run = self._found()
        if run is None or run.verdict is None:
            return
        name = run.id + (".py" if run.proposal.language == "python" else ".ts")
        asked = await self.context.api.sarif((name,), (run.verdict,))
        (log,) = await fetch_whole(self.context.fetch, [asked])
        ask_and_save(self.context, self, f"{run.id}.sarif", log.encode("ascii"))

    async def _stop(self) -> None:
        run = self._stoppable()
        if run is not None:
            await self.context.api.stop_run(run.id)

    def _forget_old(self) -> None:
        ended = [run for run in self._runs.values() if run.state is not RunState.WAITING and run.state not in UNDERWAY]
        for run in sorted(ended, key=lambda run: run.proposal.at)[: max(0, len(ended) - KEPT)]:
            del self._runs[run.id]
