"""The list of runs: what waits for the user, what is running, and earlier runs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.rows import KEY, Row
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import ago, countdown, first_sentence, risk_word, run_state_word
from workbench.gui.results.saving import ask_and_save
from workbench.gui.shell.actions import FINDINGS, STOPPABLE, WAITING
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import FollowRun, KeepRun, ShowAudit, ShowCode, ShowRun, StartDryRun
from workbench.records import Gate, Origin, Run, RunState
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS

UNDERWAY = frozenset({RunState.PROPOSED, RunState.CHECKED, RunState.RUNNING})
URGENT_SECONDS = 30
"""From here on the countdown is shown in the colour of danger."""
MOST_ENDED = 500
"""So many ended runs are shown; the audit has all of them."""
_DRAW_MS = 20  # several changes at once are drawn together


def run_rows(runs: Iterable[Run], now: float, held: frozenset[str] = frozenset(), search: str = "") -> list[Row]:
    """All rows, with a heading above each part that is not empty. `held`: runs with a call that waits for the user."""
    ordered = sorted((run for run in runs if _fits(run, search)), key=_last_activity, reverse=True)
    waiting = [run for run in ordered if waits_for_user(run, held)]
    waiting.sort(key=lambda run: run.deadline if run.state is RunState.WAITING else now)
    same = Counter(_request(run) for run in waiting)
    first = {_request(run): run.id for run in reversed(waiting)}
    underway = [run for run in ordered if run.state in UNDERWAY and run not in waiting]
    ended = [run for run in ordered if run.state in ENDS and not run.held][:MOST_ENDED]
    rows: list[Row] = []
    for key, title, part in (
        ("waiting", "Waiting for you", waiting),
        ("underway", "Running", underway),
        ("ended", "Earlier", ended),
    ):
        if part:
            rows.append(Row(f"section:{key}", title, aside=f"{len(part):,}", section=True))
            if part is waiting:  # identical requests are one row
                part = [run for run in part if first[_request(run)] == run.id]
            rows += [run_row(run, now, same[_request(run)] if part and key == "waiting" else 0, held) for run in part]
    return rows


def waits_for_user(run: Run, held: frozenset[str]) -> bool:
    """Whether the program, one of its calls or its changes of files wait for a decision."""
    return run.state is RunState.WAITING or run.id in held or bool(run.held)


def _fits(run: Run, search: str) -> bool:
    texts = (run_title(run), run_sentence(run), run.proposal.author, run_state_word(run).text, run.id)
    return all(part in " ".join(texts).casefold() for part in search.casefold().split())


def _last_activity(run: Run) -> float:
    return max(run.ended, run.started, run.proposal.at)


def _request(run: Run) -> tuple[str, str]:
    """What one answer applies to: the same text with the same meaning, from the same session."""
    waiting = run.state is RunState.WAITING and run.fingerprint
    return (run.fingerprint, run.proposal.session) if waiting else (run.id, "")


def run_row(run: Run, now: float, same: int = 0, held: frozenset[str] = frozenset()) -> Row:
    """One run: its purpose, its state, what it does and who submitted it. `same`: how many identical requests wait."""
    state = run_state_word(run)
    waiting = run.state is RunState.WAITING
    badges: list[tuple[str, str]] = []
    if run.verdict and (waiting or run.state in UNDERWAY):
        risk = risk_word(run.verdict.risk)
        badges.append((risk.text, risk.tone))
    if same > 1:
        badges.append((f"{same} ×", "accent"))
    if run.id in held:
        badges.append(("Call waits", "warning"))
    if run.held:
        badges.append(("Files wait", "warning"))
    if run.proposal.dry_run:
        badges.append(("Dry run", "info"))
    title, sentence = visible(run_title(run)), visible(run_sentence(run))
    facts = [sentence if sentence != title else "", visible(run.proposal.author)]
    facts.insert(len(facts) if waiting else 0, _outcome(run))  # the heading says already that it waits
    detail = " · ".join(fact for fact in facts if fact)
    return Row(
        key=run.id,
        title=title,
        detail=detail,
        aside=countdown(run.deadline, now) if waiting else ago(_last_activity(run), now),
        aside_tone="danger" if waiting and run.deadline - now <= URGENT_SECONDS else "muted",
        icon="hourglass" if run.id in held else state.icon,
        tone="warning" if run.id in held else state.tone,
        badges=tuple(badges),
        strong=waits_for_user(run, held),
        tip=f"{title}\n{detail}",
    )


def held_files_sentence(run: Run) -> str:
    """What a program that has ended wants to change in files that are not its own."""
    names = ", ".join(one_line(path, 60) for path in run.held[:3]) + (" …" if len(run.held) > 3 else "")
    files = "" if len(run.held) == 1 else f"{count_of(len(run.held), 'file')}: "
    return f"A program of {one_line(run.proposal.author, 60)} wants to change {files}{names}"


def run_title(run: Run) -> str:
    """What tells runs apart: the skill, else the purpose that the author claims, else what the analysis says."""
    return run.proposal.skill or first_sentence(run.proposal.purpose) or run_sentence(run)


def run_sentence(run: Run) -> str:
    """What the analysis says about the program, else its purpose or first line."""
    if run.verdict and run.verdict.sentence:
        return run.verdict.sentence
    return first_sentence(run.proposal.purpose) or first_sentence(run.proposal.code) or run.id


def _outcome(run: Run) -> str:
    state = run_state_word(run).text
    if run.state is RunState.REFUSED and run.decision and run.decision.reason:
        return f"{state}: {visible(first_sentence(run.decision.reason))}"
    if run.fault and run.state in ENDS:
        return f"{state}: {visible(first_sentence(run.fault.message))}"
    return f"{state}, {count_of(len(run.calls), 'tool call')}" if run.calls else state


def can_run_again(run: Run) -> bool:
    """Whether the user can run the program again as their own."""
    blocked = run.verdict is not None and run.verdict.gate is Gate.BLOCKED
    return run.state in ENDS and not blocked and not run.proposal.dry_run


async def open_program(context: Context, run: Run, *, start: bool = False) -> None:
    """Open the program of a run in the editor; with `start`, run it as the user's own program."""
    (code,) = await fetch_whole(context.fetch, [run.proposal.code])
    title = one_line(run.proposal.purpose, 40) or f"Run of {one_line(run.proposal.author, 40)}"
    context.go(ShowCode(code, purpose=title, start=start, language=run.proposal.language))


class RunsPane(Pane):
    """Shows the runs of the store. A click shows a run and keeps the focus; Enter goes there."""

    waiting = Signal(int)
    """Carries how many runs and calls wait for the user."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.list = ListPane(context.theme, "Runs", self._make_empty(), search="Filter runs", parent=self)
        self.model = self.list.model
        self.list.view.setUniformItemSizes(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.setFocusProxy(self.list)
        self._make_menu()
        self._tick = QTimer(self, interval=1000)
        self._draw_soon = QTimer(self, singleShot=True, interval=_DRAW_MS)
        for timer in (self._tick, self._draw_soon):
            timer.timeout.connect(self._draw)
        store = context.store
        store.runs_loaded.connect(self._draw)
        store.held_calls_changed.connect(self._draw_soon.start)
        store.run_changed.connect(self._run_changed)
        self.list.chosen.connect(self._open)
        self.list.view.clicked.connect(self._clicked)
        self.list.selection_changed.connect(self._selection_changed)
        self.list.searched.connect(self._searched)
        commands.bind("run.review", self._review)
        commands.bind("run.stop", self._stop)
        commands.bind("run.dry_run", self._dry_run)
        commands.bind("run.sarif", self._save_findings)
        self._draw()

    def _run_changed(self, _run: Run) -> None:
        self._draw_soon.start()

    def _searched(self, _search: str) -> None:
        self._draw()

    def _make_empty(self) -> EmptyState:
        sentence = "Programs of agents and your own appear here. Those that need your approval come first."
        empty = EmptyState(self.context.theme, "hourglass", "No runs", sentence)
        empty.offer(self._commands["agent.example"])
        return empty

    # what is shown

    def _draw(self) -> None:
        store = self.context.store
        held = frozenset(held_call.run_id for held_call in store.held_calls.values())
        search = self.list.search_text()
        self._say_empty(search)
        self.list.show_rows(run_rows(store.runs.values(), time.time(), held, search))
        programs = sum(run.state is RunState.WAITING for run in store.runs.values())
        waits = sum(waits_for_user(run, held) for run in store.runs.values()) + len(held - store.runs.keys())
        self._tick.start(1_000 if programs else 30_000)  # countdowns, and how long ago the others were
        self._commands.hold(WAITING, programs > 0)
        self._selection_changed()
        self.waiting.emit(waits)

    def _say_empty(self, search: str) -> None:
        if search:
            self.list.empty.say("No run matches the filter", "Clear the filter to see all runs.")
        else:
            sentence = "Programs of agents and your own appear here. Those that need your approval come first."
            self.list.empty.say("No runs", sentence)

    def _selection_changed(self) -> None:
        self._commands.hold(STOPPABLE, self._stoppable() is not None)
        self._commands.hold(FINDINGS, self._with_findings() is not None)

    # which run an action means

    def _selected(self) -> Run | None:
        return self.context.store.runs.get(self.list.key())

    def most_urgent(self) -> Run | None:
        """The waiting program whose time ends first."""
        waiting = (run for run in self.context.store.runs.values() if run.state is RunState.WAITING)
        return min(waiting, key=lambda run: run.deadline, default=None)

    def _waiting_run(self) -> Run | None:
        """The selected run if it waits; else the one whose time ends first."""
        run = self._selected()
        return run if run is not None and run.state is RunState.WAITING else self.most_urgent()

    def _stoppable(self) -> Run | None:
        """The selected run if it has not ended; else the user's own, or any, if there is exactly one."""
        selected = self._selected()
        if selected is not None and selected.state not in ENDS:
            return selected
        open_runs = [run for run in self.context.store.runs.values() if run.state not in ENDS]
        own = [run for run in open_runs if run.proposal.origin is Origin.PERSON]
        underway = [run for run in open_runs if run.state in UNDERWAY]
        return next((runs[0] for runs in (own, underway) if len(runs) == 1), None)

    def _with_findings(self) -> Run | None:
        """The selected run, else the waiting one, if its analysis found something."""
        run = self._selected() or self.most_urgent()
        return run if run is not None and run.verdict is not None and run.verdict.findings else None

    # actions

    def _clicked(self, index: QModelIndex) -> None:
        """Approval requests open on purpose only: by Enter, a double click or Review."""
        run = self.context.store.runs.get(str(index.data(KEY)))
        if run is not None and run.state is not RunState.WAITING:
            self.context.go(FollowRun(run.id))

    def _open(self, run_id: str) -> None:
        self.context.go(ShowRun(run_id))

    def _review(self) -> None:
        if (run := self._waiting_run()) is not None:
            self.context.go(ShowRun(run.id))

    def _dry_run(self) -> None:
        if (run := self._waiting_run()) is not None:
            self.context.go(StartDryRun(run.id))

    async def _stop(self) -> None:
        if (run := self._stoppable()) is not None:
            self.context.say("Stopping the run…")
            await self.context.api.stop_run(run.id)

    async def _save_findings(self) -> None:
        run = self._with_findings()
        if run is None or run.verdict is None:
            return
        name = run.id + (".py" if run.proposal.language == "python" else ".ts")
        sarif = await self.context.api.sarif((name,), (run.verdict,))
        (log,) = await fetch_whole(self.context.fetch, [sarif])
        ask_and_save(self.context, self, f"{run.id}.sarif", log.encode("ascii"))

    # the context menu

    def _make_menu(self) -> None:
        self._open_action = self._action("Open program", "code", partial(self._open_program, start=False))
        self._again_action = self._action("Run again", "play", partial(self._open_program, start=True))
        self._keep_action = self._action("Keep as skill…", "bookmark", self._keep)
        self._audit_action = self._action("Show in audit", "search", self._show_in_audit)
        self._copy_action = self._action("Copy ID", "copy", self._copy_id)
        self.list.set_menu(self.actions_for)

    def _action(self, text: str, symbol: str, act: object) -> QAction:
        action = QAction(icon(symbol), text, self)
        action.triggered.connect(act)
        return action

    def actions_for(self, run_id: str) -> Sequence[QAction | None]:
        """What the context menu of a run offers."""
        run = self.context.store.runs.get(run_id)
        if run is None:
            return ()
        commands = self._commands
        first = [commands["run.review"], commands["run.dry_run"]] if run.state is RunState.WAITING else []
        if run.state not in ENDS:
            first.append(commands["run.stop"])
        if can_run_again(run):
            first.append(self._again_action)
        first.append(self._open_action)
        if run.state is RunState.DONE and not run.proposal.dry_run and run.proposal.language == "python":
            first.append(self._keep_action)
        return (*first, None, self._audit_action, self._copy_action)

    def _open_program(self, _checked: bool = False, *, start: bool) -> None:
        if (run := self._selected()) is not None:
            self.context.tasks.run("open a run's program", open_program(self.context, run, start=start))

    def _keep(self) -> None:
        self.context.go(KeepRun(self.list.key()))

    def _show_in_audit(self) -> None:
        self.context.go(ShowAudit(f"run:{self.list.key()}"))

    def _copy_id(self) -> None:
        QGuiApplication.clipboard().setText(self.list.key())
        self.context.say("The ID of the run was copied.")
