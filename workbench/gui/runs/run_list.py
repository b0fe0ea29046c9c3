"""The list of runs: what waits for the user, what is running, and earlier runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QFocusEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, RowsView
from workbench.gui.kit.rows import KEY
from workbench.gui.kit.text import one_line
from workbench.gui.runs.pending_strip import pending_requests
from workbench.gui.runs.review_queue import rows_without_run
from workbench.gui.runs.run_rows import UNDERWAY, can_keep, can_run_again, request_of, run_rows, run_sentence
from workbench.gui.shell.actions import ELICITATION, FINDINGS, HELD_CALL, STOPPABLE, WAITING, WAITING_PROGRAM
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import (
    FollowRun,
    KeepSkill,
    Request,
    Search,
    ShowAsk,
    ShowCode,
    ShowHeldCall,
    ShowReview,
    ShowRun,
    StartDryRun,
)
from workbench.records import Decision, DecisionOutcome, Gate, HeldCall, HeldCallAnswer, Origin, Risk, Run
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS, EXAMPLE_AGENT

_DRAW_MS = 20  # several changes at once are drawn together
_BY_KEYBOARD = (  # without the mouse: a click must find the row that it was meant for
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
)
_EMPTY = "No runs", "Programs of agents and your own appear here. Those that need your approval come first."
_LONGEST_LINE = 1_000  # of a call of several; the core cuts it before
_LONGEST_ARGUMENTS = 300  # of a call that is allowed without opening it
_NO_MATCH = "No run matches the filter", "Clear the filter to see all runs."


async def open_program(context: Context, run: Run, *, start: bool = False) -> None:
    """Open the program of a run in the editor; with `start`, run it as the user's own program."""
    (code,) = await fetch_whole(context.fetch, [run.proposal.code])
    title = one_line(run.proposal.purpose, 40) or f"Run of {one_line(run.proposal.author, 40)}"
    context.go(ShowCode(code, purpose=title, start=start, language=run.proposal.language))


class RunsPane(Pane):
    """Shows the runs of the store. A click shows a run and keeps the focus; Enter goes there."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._started = ""  # a run that the user has just started, until it is in the list
        empty = EmptyState(context.theme, "hourglass", *_EMPTY)
        empty.offer(commands["agent.example"])
        self.list = ListPane(context.theme, "Runs", empty, search="Filter runs", parent=self)
        self.model = self.list.model
        self.list.view.setUniformItemSizes(False)
        self.list.view.setSelectionMode(RowsView.SelectionMode.ExtendedSelection)
        self.list.view.installEventFilter(self)
        column(self, self.list)
        self.setFocusProxy(self.list)
        self._make_menu()
        self._tick = QTimer(self, interval=1000)
        self._draw_soon = QTimer(self, singleShot=True, interval=_DRAW_MS)
        for timer in (self._tick, self._draw_soon):
            timer.timeout.connect(self._draw)
        store = context.store
        store.runs_loaded.connect(self._draw)
        store.requests_changed.connect(self._changed)
        context.messages.requested.connect(self._follow)
        self.list.chosen.connect(self._open)
        self.list.view.clicked.connect(self._clicked)
        self.list.selection_changed.connect(self._selection_changed)
        self.list.searched.connect(self._draw)
        commands.bind("run.review", self._review)
        commands.bind("run.stop", self._stop)
        commands.bind("run.dry_run", self._dry_run)
        commands.bind("run.sarif", self._save_findings)
        commands.bind("agent.example", self._start_example_agent)
        self._draw()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys act on the current row, so it comes into view when the list gets the focus, but not by a click."""
        if isinstance(event, QFocusEvent) and event.gotFocus() and event.reason() in _BY_KEYBOARD:
            QTimer.singleShot(0, self, self._show_current)  # once the pane has its place and size
        return super().eventFilter(watched, event)

    def _show_current(self) -> None:
        self.list.view.scrollTo(self.list.view.currentIndex())

    # what is shown

    def _changed(self) -> None:
        self._hold_conditions()
        self._draw_soon.start()

    def _hold_conditions(self) -> None:
        """Enable the actions for what waits, at once: an event may be followed by a shortcut."""
        store = self.context.store
        for condition, holds in (
            (WAITING, store.waiting_count > 0),
            (WAITING_PROGRAM, self._waiting_run() is not None),
            (HELD_CALL, bool(store.held_calls)),
            (ELICITATION, bool(store.elicitations)),
        ):
            self._commands.set_condition(condition, holds)

    def _draw(self) -> None:
        store, search = self.context.store, self.list.search_text()
        by_deadline = sorted(store.held_calls.values(), key=lambda held_call: held_call.deadline)
        now = time.time()
        held = {call.run_id: now + call.clock_left if call.clock_left else call.deadline for call in by_deadline[::-1]}
        self.list.empty.say(*(_NO_MATCH if search else _EMPTY))
        others = [row for row in rows_without_run(store, now) if search.casefold() in row.title.casefold()]
        self.list.show_rows(run_rows(store.runs.values(), now, held, search, others))
        counts_down = bool(held or others) or self._waiting_run() is not None
        self._tick.start(1_000 if counts_down else 30_000)  # countdowns, and how long ago the others were
        self._hold_conditions()
        if self._started in store.runs:
            self.list.select(self._started)
            self._started = ""
        self._selection_changed()

    def _follow(self, request: Request) -> None:
        """Select the run that the user has just started, which may not be in the list yet."""
        if isinstance(request, FollowRun):
            self._started = request.run_id
            self._draw_soon.start()

    def _selection_changed(self) -> None:
        self._commands.set_condition(STOPPABLE, self._stoppable() is not None)
        self._commands.set_condition(FINDINGS, self._with_findings() is not None)

    # which run an action means

    def _selected(self) -> Run | None:
        return self.context.store.runs.get(self.list.key())

    def _waiting_run(self) -> Run | None:
        """The selected run if it waits; else the waiting program whose time ends first."""
        run = self._selected()
        if run is not None and run.awaits_answer:
            return run
        waiting = (run for run in self.context.store.runs.values() if run.awaits_answer)
        return min(waiting, key=lambda run: run.deadline, default=None)

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
        run = self._selected() or self._waiting_run()
        return run if run is not None and run.verdict is not None and run.verdict.findings else None

    # actions

    def _clicked(self, index: QModelIndex) -> None:
        """Approval requests open on purpose only: by Enter, a double click or Review."""
        run = self.context.store.runs.get(str(index.data(KEY)))
        if run is not None and not run.awaits_answer:
            self.context.go(FollowRun(run.id))

    def _open(self, key: str) -> None:
        if key in self.context.store.held_calls:
            self.context.go(ShowHeldCall(key))
        elif key in self.context.store.elicitations:
            self.context.go(ShowAsk(key))
        else:
            self.context.go(ShowRun(key))

    def _review(self) -> None:
        """Open the selected program if it waits, else what waits for the user."""
        store, selected = self.context.store, self._selected()
        if selected is not None and selected.awaits_answer:
            self.context.go(ShowRun(selected.id))
        elif self._waiting_run() is not None or store.held_calls or store.elicitations:
            self.context.go(ShowReview())
        elif waiting := pending_requests(self.context.store):
            self.context.go(waiting[0].opens)

    def _dry_run(self) -> None:
        if (run := self._waiting_run()) is not None:
            self.context.go(StartDryRun(run.id))

    async def _stop(self) -> None:
        if (run := self._stoppable()) is not None:
            self.context.say("Stopping the run…")
            await self.context.api.stop_run(run.id)

    async def _start_example_agent(self) -> None:
        """Show the program of the example agent while it waits: the core runs one example agent at a time."""
        runs = self.context.store.runs.values()
        for run in runs:
            if run.awaits_answer and run.proposal.author == EXAMPLE_AGENT:
                self.context.go(ShowRun(run.id))
                return
        self.context.say("The example agent is starting. Its program will wait for you.")
        try:
            await self.context.api.start_example_agent()
        except WorkbenchError as fault:
            self.context.say(str(fault))

    async def _save_findings(self) -> None:
        run = self._with_findings()
        if run is None or run.verdict is None:
            return
        name = run.id + (".py" if run.proposal.language == "python" else ".ts")
        sarif = await self.context.api.sarif((name,), (run.verdict,))
        (log,) = await fetch_whole(self.context.fetch, [sarif])
        self.context.save_file(self, f"{run.id}.sarif", log.encode("ascii"))

    # the context menu

    def _make_menu(self) -> None:
        self._open_action = menu_action(self, "Open program", partial(self._open_program, start=False), "code")
        self._again_action = menu_action(self, "Run again", partial(self._open_program, start=True), "play")
        self._keep_action = menu_action(self, "Keep as skill…", self._keep, "bookmark")
        self._audit_action = menu_action(self, "Show in audit", self._show_in_audit, "search")
        self._copy_action = menu_action(self, "Copy ID", self._copy_id, "copy")
        self._deny_action = menu_action(self, "Deny", self._deny_selected, "x")
        self._allow_action = menu_action(self, "Allow…", self._ask_to_allow, "check")
        self._revive_action = menu_action(self, "Let it run after all", self._revive, "undo")
        self.list.set_menu(self.actions_for)

    def actions_for(self, run_id: str) -> Sequence[QAction | None]:
        """What the context menu of a run, or of all selected runs, offers."""
        run = self.context.store.runs.get(run_id)
        waiting: list[Run | HeldCall] = [*self._selected_waiting(), *self._selected_calls()]
        several = len(self.list.view.selected_keys()) > 1
        count = f" {len(waiting):,}" if several else ""
        self._deny_action.setText(f"Deny{count}")
        self._allow_action.setText(f"Allow{count}…")
        self._allow_action.setEnabled(all(_is_allowed_together(one) for one in waiting))
        self._copy_action.setText("Copy IDs" if several else "Copy ID")
        if several:
            return (*((self._deny_action, self._allow_action, None) if waiting else ()), self._copy_action)
        if run is None:
            return ()
        commands = self._commands
        first = [commands["run.review"], commands["run.dry_run"], self._deny_action] if run.awaits_answer else []
        if run.can_be_revived:
            first.append(self._revive_action)
        if run.state not in ENDS:
            first.append(commands["run.stop"])
        if can_run_again(run):
            first.append(self._again_action)
        first.append(self._open_action)
        if can_keep(run):
            first.append(self._keep_action)
        return (*first, None, self._audit_action, self._copy_action)

    def _open_program(self, *, start: bool) -> None:
        if (run := self._selected()) is not None:
            self.context.tasks.run("open a run's program", open_program(self.context, run, start=start))

    def _keep(self) -> None:
        self.context.go(KeepSkill(run_id=self.list.key()))

    def _show_in_audit(self) -> None:
        self.context.go(Search("audit", f"run:{self.list.key()}"))

    def _copy_id(self) -> None:
        keys = self.list.view.selected_keys()
        QGuiApplication.clipboard().setText("\n".join(keys))
        self.context.say(f"{count_of(len(keys), 'ID')} copied.")

    # deciding about several

    def _selected_waiting(self) -> list[Run]:
        """The selected programs that wait, with identical requests, which are one row."""
        runs = self.context.store.runs
        rows = [runs[key] for key in self.list.view.selected_keys() if key in runs and runs[key].awaits_answer]
        asked = {request_of(run) for run in rows}
        return [run for run in runs.values() if run.awaits_answer and request_of(run) in asked]

    def _selected_calls(self) -> list[HeldCall]:
        """The held calls of the selected rows."""
        keys = set(self.list.view.selected_keys())
        return [call for call in self.context.store.held_calls.values() if keys & {call.id, call.run_id}]

    def _deny_selected(self) -> None:
        self._decide(self._selected_waiting(), self._selected_calls(), allow=False)

    def _ask_to_allow(self) -> None:
        request = self._allow(self._selected_waiting(), self._selected_calls())
        self.context.tasks.run("ask about several requests", request)

    async def _allow(self, runs: Sequence[Run], calls: Sequence[HeldCall]) -> None:
        """Allow programs and calls together, once the user has read what each of them does."""
        lines = [f"{one_line(run.proposal.author, 40)}: {one_line(run_sentence(run), 300)}" for run in runs]
        lines += [line for call in calls for line in _call_lines(call)]
        title = f"Allow {_counts(len(runs), len(calls))}?"
        sentence = "Each is allowed once. Review shows code and arguments."
        text, button = "\n".join(lines), f"Allow {len(runs) + len(calls):,}"
        if await self.context.ask(title, sentence, button, danger=True, text=text, parent=self.window()):
            self._decide(runs, calls, allow=True)

    def _decide(self, runs: Sequence[Run], calls: Sequence[HeldCall], *, allow: bool) -> None:
        decisions = tuple(
            Decision(run.id, run.proposal.sha, allow, "you", at=time.time(), fingerprint=run.fingerprint, undoable=True)
            for run in runs
        )
        answers = tuple(HeldCallAnswer(call.id, allow, undoable=not allow) for call in calls)
        request = self.context.api.decide_many(decisions, answers)
        done = partial(self._decided, allow, frozenset(call.id for call in calls))
        self.context.tasks.run("decide about several requests", request, done)

    def _decided(self, allow: bool, calls: frozenset[str], outcomes: Sequence[DecisionOutcome]) -> None:
        problems = [one.problem for one in outcomes if one.problem]
        accepted = [one.request_id in calls for one in outcomes if not one.problem]
        count = _counts(accepted.count(False), accepted.count(True))
        undo = "" if allow or not accepted else "run.undo_denial"
        self.context.say(" ".join([f"{'Allowed' if allow else 'Denied'} {count}.", *problems[:1]]), undo=undo)

    def _revive(self) -> None:
        """Put the program back; it waits again as a new run."""
        request = self.context.api.revive(self.list.key())
        self.context.tasks.run("put a program back", request, lambda run: self.context.go(ShowRun(run.id)))


def _counts(programs: int, calls: int) -> str:
    parts = [count_of(programs, "program")] if programs or not calls else []
    return " and ".join([*parts, *([count_of(calls, "call")] if calls else [])])


def _call_lines(call: HeldCall) -> list[str]:
    """What a held call would do; of several calls, each of them."""
    author, name = one_line(call.author, 40) or "A program", f"{call.server}.{call.tool}"
    if call.more:
        return [f"{author}: calls {name}({one_line(line, _LONGEST_LINE)})" for line in call.list]
    sentence = one_line(call.sentence, 300) or f"calls {name}"
    return [f"{author}: {sentence}", f"    {one_line(call.arguments, _LONGEST_LINE)}"]


def _is_allowed_together(request: Run | HeldCall) -> bool:
    """Whether this may be allowed together with others: up to medium risk, and only what can be read here. An answer
    is always read in full first."""
    if isinstance(request, HeldCall):
        shown = len(request.list) > request.more and len(request.arguments) <= _LONGEST_ARGUMENTS
        mild = request.risk in (Risk.LOW, Risk.MEDIUM) and not request.trifecta
        return mild and shown and not request.is_answer
    verdict = request.verdict
    return verdict is not None and verdict.gate is not Gate.BLOCKED and verdict.risk in (Risk.LOW, Risk.MEDIUM)
