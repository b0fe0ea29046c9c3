"""Runs as rows: those that wait for a person first, then those on their way, then the history."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from workbench.events import Event, RunChanged
from workbench.gui.kit.lists import EmptyState, RowsView, lead_focus
from workbench.gui.kit.rows import KEY, Row, RowsModel
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import ago, countdown, first_sentence, risk_word, run_state_word
from workbench.gui.results.saving import ask_and_save
from workbench.gui.shell.actions import FINDINGS, STOPPABLE, WAITING
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import ShowRun, StartDryRun
from workbench.records import Origin, Run, RunState
from workbench.records.runs import ENDS

UNDERWAY = frozenset({RunState.PROPOSED, RunState.CHECKED, RunState.RUNNING})
URGENT_SECONDS = 30
"""From here on the countdown is shown in the colour of danger."""


def run_rows(runs: Iterable[Run], now: float) -> list[Row]:
    """The whole list, with a heading over each part that is not empty."""
    ordered = sorted(runs, key=lambda run: run.proposal.at, reverse=True)
    waiting = sorted((run for run in ordered if run.state is RunState.WAITING), key=lambda run: run.deadline)
    same = Counter(map(_question, waiting))
    first = {_question(run): run.id for run in reversed(waiting)}
    waiting = [run for run in waiting if first[_question(run)] == run.id]  # identical requests are one row
    underway = [run for run in ordered if run.state in UNDERWAY]
    ended = [run for run in ordered if run.state is not RunState.WAITING and run.state not in UNDERWAY]
    rows: list[Row] = []
    for key, title, part in (
        ("waiting", "Waiting for you", waiting),
        ("underway", "On their way", underway),
        ("ended", "Earlier", ended),
    ):
        if part:
            rows.append(Row(f"section:{key}", title, aside=str(len(part)), section=True))
            rows.extend(run_row(run, now, same[_question(run)] if key == "waiting" else 0) for run in part)
    return rows


def _question(run: Run) -> tuple[str, str]:
    """What one answer is for: the same text in the same meaning, asked by the same session."""
    return (run.fingerprint, run.proposal.session) if run.fingerprint else (run.id, "")


def run_row(run: Run, now: float, same: int = 0) -> Row:
    """One run: what it does, who asked, and how it stands; `same`: how many requests of this question wait."""
    word = run_state_word(run)
    waiting = run.state is RunState.WAITING
    badges: tuple[tuple[str, str], ...] = ()
    if run.verdict and (waiting or run.state in UNDERWAY):
        risk = risk_word(run.verdict.risk)
        badges = ((risk.text, risk.tone), *(((f"{same} ×", "accent"),) if same > 1 else ()))
    if run.proposal.dry_run:
        badges = (*badges, ("Dry run", "info"))
    if run.held:
        badges = (*badges, ("Files wait for you", "warning"))
    return Row(
        key=run.id,
        title=visible(run_title(run)),
        detail=f"{visible(run.proposal.author)} · {_detail(run)}",
        aside=countdown(run.deadline, now) if waiting else ago(run.proposal.at, now),
        aside_tone="danger" if waiting and run.deadline - now <= URGENT_SECONDS else "muted",
        icon=word.icon,
        tone=word.tone,
        badges=badges,
        strong=waiting,
        tip=f"{visible(run_title(run))}\n{visible(run.proposal.author)} · {_detail(run)}",
    )


def held_words(run: Run) -> str:
    """What a program that has ended wants to change of files that are not its own."""
    names = ", ".join(one_line(path, 60) for path in run.held[:3]) + (" …" if len(run.held) > 3 else "")
    many = "A program of {0} wants to change {1} files: {2}"
    one = "A program of {0} wants to change {2}"
    return (one if len(run.held) == 1 else many).format(one_line(run.proposal.author, 60), len(run.held), names)


def run_title(run: Run) -> str:
    """What the analyzer says it does; else the skill; else the author's claim; else the first line."""
    if run.proposal.skill:
        return run.proposal.skill
    if run.verdict and run.verdict.sentence:
        return run.verdict.sentence
    return first_sentence(run.proposal.purpose) or first_sentence(run.proposal.code) or run.id


def _detail(run: Run) -> str:
    word = run_state_word(run).text
    if run.state is RunState.REFUSED and run.decision and run.decision.reason:
        return f"{word}: {visible(first_sentence(run.decision.reason))}"
    if run.fault and run.state not in (RunState.WAITING, RunState.RUNNING):
        return f"{word}: {visible(first_sentence(run.fault.message))}"
    if run.calls:
        calls = "{}, 1 tool call" if len(run.calls) == 1 else "{}, {} tool calls"
        return calls.format(word, len(run.calls))
    return word


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
        self.context.go(ShowRun(run_id))

    def _review(self) -> None:
        if (run := self._meant()) is not None:
            self.context.go(ShowRun(run.id))

    def _dry_run(self) -> None:
        if (run := self._meant()) is not None:
            self.context.go(StartDryRun(run.id))

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
