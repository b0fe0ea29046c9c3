"""Opens the Review dialog at a request, and the plans of dry runs; ends both when the core is gone."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from workbench.errors import WorkbenchError
from workbench.events import AskArrived, RunChanged, spawn
from workbench.gui.kit.text import one_line
from workbench.gui.shell.actions import MUTED
from workbench.gui.shell.bridge import Link, LinkState
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun
from workbench.records import Ask, Fault, Run, RunState
from workbench.records.runs import ENDS

if TYPE_CHECKING:
    from workbench.gui.runs.decision_dialog import DecisionDialog
    from workbench.gui.runs.dry_run_plan import PlanDialog
    from workbench.gui.runs.review_dialog import ReviewDialog

TYPING_SECONDS: Final = 1.5  # without a key, after which the user is no longer typing
_TEXT_FIELDS = (QLineEdit, QPlainTextEdit, QTextEdit, QComboBox)
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class TypingWatch(QObject):
    """Knows whether the user is typing. Watches the widget with the focus only, not the whole application."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last_key = 0.0
        self._window: QWidget | None = None  # where the last key was typed
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)
        self._focus_changed(None, app.focusWidget())

    def is_typing(self, closed: QWidget | None = None) -> bool:
        """What the user typed into a dialog before closing it does not count."""
        return time.monotonic() - self._last_key < TYPING_SECONDS and (closed is None or self._window is not closed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            command = bool(event.modifiers() & _COMMANDS)  # Ctrl+Enter sends what was typed
            self._last_key = 0.0 if command else time.monotonic()
            self._window = watched.window() if isinstance(watched, QWidget) else None
        return False

    def _focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None:
            before.removeEventFilter(self)
        if isinstance(now, _TEXT_FIELDS):
            now.installEventFilter(self)


class DecisionDialogs(QObject):
    """One per window. Requests are pages of its Review dialog; a plan is a dialog of its own."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._typing = TypingWatch(self)
        self._linked = False
        self._made_review: ReviewDialog | None = None
        self._plans: list[PlanDialog] = []
        self._reviewing: asyncio.Task[None] | None = None  # while the clocks of requests are stopped
        self._isolation_told: dict[tuple[str, str], str] = {}  # session and sentence → the run whose page says it
        self._awaited_plans: set[str] = set()  # dry runs whose plan is shown when they end
        context.store.on(RunChanged, self._run_changed)
        context.store.on(AskArrived, self._elicitation_arrived)
        context.store.muted_changed.connect(self._show_muted)
        context.commands.bind("run.undo_denial", self._undo_denial)
        context.commands.bind("agents.unmute", self._unmute_agents)

    @property
    def review(self) -> ReviewDialog:
        """The Review dialog, which is made when it is first needed."""
        if self._made_review is None:
            from workbench.gui.runs.review_dialog import ReviewDialog

            self._made_review = ReviewDialog(self._context, self._make_page, self._window)
            self._made_review.page_finished.connect(self._page_finished)
            self._made_review.in_view.connect(self._stop_clocks)
        return self._made_review

    def link(self, link: Link) -> None:
        """A core that is gone cannot take an answer; one that is reached learns that the user is present."""
        self._linked = link.state is LinkState.LINKED
        if self._linked:
            spawn("attend to servers", self._attend())
            self._stop_clocks(self._made_review is not None and self._made_review.isVisible())
            return
        self._stop_clocks(False)
        self._awaited_plans.clear()
        for dialog in (*self._pages(), *self._plans):
            dialog.core_lost()

    def find(self, request_id: str) -> DecisionDialog | None:
        """The page or dialog about a run, a dry run, a held call or an elicitation."""
        return next((dialog for dialog in (*self._pages(), *self._plans) if dialog.request_id == request_id), None)

    def _pages(self) -> tuple[DecisionDialog, ...]:
        return self._made_review.pages() if self._made_review is not None else ()

    def _undo_denial(self) -> None:
        """Undo what the Review dialog offers to undo, or else what was denied a moment ago in the list of runs."""
        now = time.time()
        denied = [run.id for run in self._context.store.runs.values() if run.denied_until > now]
        if self._made_review is not None and self._made_review.undo.active:
            self._made_review.undo.undo()
        elif denied:
            self._context.tasks.run("undo a denial", self._undo_all(denied))
        else:
            self._context.say("There is no denial that can be undone.")

    async def _undo_all(self, ids: Sequence[str]) -> None:
        for request_id in ids:
            await self._context.api.undo_denial(request_id)

    def _show_muted(self) -> None:
        self._context.commands.set_condition(MUTED, bool(self._context.store.muted))

    async def _unmute_agents(self) -> None:
        muted = self._context.store.muted
        for agent in muted:
            await self._context.api.unmute_agent(agent.session)
        names = ", ".join(dict.fromkeys(one_line(agent.author, 40) for agent in muted))
        self._context.say(f"Unmuted: {names}. Their requests wait for you again.")

    def _page_finished(self, page: DecisionDialog) -> None:
        self._open_own_elicitation(closed=self.review if page.is_elicitation else None)

    def _make_page(self, request_id: str) -> DecisionDialog | None:
        """The page of what waits under this id."""
        store = self._context.store
        if (run := store.runs.get(request_id)) is not None and run.awaits_answer:
            from workbench.gui.runs.approval_page import ApprovalPage

            return ApprovalPage(self._context, run, isolation_told=self._isolation_told)
        if (held_call := store.held_calls.get(request_id)) is not None:
            from workbench.gui.runs.held_call_page import HeldCallPage

            return HeldCallPage(self._context, held_call)
        if (ask := store.elicitations.get(request_id)) is not None:
            from workbench.gui.runs.elicitation_page import ElicitationPage

            return ElicitationPage(self._context, ask)
        return None

    def show_request(self, request_id: str = "") -> None:
        """Open the Review dialog at a request; without an id, at the first one."""
        self.review.only_own = False
        self.review.show_request(request_id)

    # programs and plans of dry runs

    def show_run(self, run: Run) -> None:
        """Ask whether a waiting program may run."""
        if self._context.store.runs.get(run.id) != run:  # the window has not been told about it yet
            self._context.store.handle(RunChanged(run))
        self.show_request(run.id)

    def show_plan(self, run_id: str) -> None:
        """Show the plan of a dry run, at once or when it has ended."""
        self._awaited_plans.add(run_id)
        self._context.tasks.run("read a plan", self._load_plan(run_id))

    def start_dry_run(self, run_id: str) -> None:
        """Start a dry run of a waiting program and show its plan. A plan that was put away is shown again."""
        for plan in self._plans:
            if plan.plan_for == run_id and not plan.is_over:
                plan.come_back()
                self._dry_run_ended(run_id, None)
                return
        self._context.tasks.run("start a dry run of a waiting program", self._start_dry_run(run_id))

    async def _start_dry_run(self, run_id: str) -> None:
        try:
            run = await self._context.api.dry_run_waiting(run_id)
        except WorkbenchError as error:
            self._context.say(str(error))
            self._dry_run_ended(run_id, Fault(error.message, error.hint))
            return
        self._context.say("The dry run has started. It only reads; everything else is held back.")
        self._context.go(FollowRun(run.id))
        self.show_plan(run.id)

    async def _load_plan(self, run_id: str) -> None:
        try:
            self._take_plan(await self._context.api.run(run_id))
        except WorkbenchError as error:
            self._awaited_plans.discard(run_id)
            self._context.say(str(error))

    def _run_changed(self, event: RunChanged) -> None:
        run = event.run
        if run.proposal.dry_run and run.state in ENDS:
            self._dry_run_ended(run.proposal.dry_run_of, self._take_plan(run))

    def _dry_run_ended(self, waiting_run_id: str, fault: Fault | None) -> None:
        if waiting_run_id and (dialog := self.find(waiting_run_id)) is not None:
            dialog.dry_run_ended(fault)

    def _take_plan(self, run: Run) -> Fault | None:
        """Show the plan of a dry run that has ended, if this window waits for it. Answers why there is none."""
        if run.id not in self._awaited_plans or run.state not in ENDS:
            return None
        self._awaited_plans.discard(run.id)
        if run.state in (RunState.DONE, RunState.FAILED):
            self._show_plan(run)
            return None
        self._context.say("The dry run ended without a plan. Its page shows why.")
        return run.fault or Fault("The dry run ended without a plan.")

    def _show_plan(self, run: Run) -> None:
        from workbench.gui.runs.dry_run_plan import PlanDialog

        over = self._made_review if self._made_review is not None and self._made_review.isVisible() else self._window
        plan = next((plan for plan in self._plans if plan.request_id == run.id), None)
        if plan is None:
            plan = PlanDialog(self._context, run, over)
            self._plans.append(plan)
            plan.finished.connect(partial(self._forget_plan, plan))
        plan.come_back()

    def _forget_plan(self, plan: PlanDialog, _result: int = 0) -> None:
        self._plans = [other for other in self._plans if other is not plan]
        self._open_own_elicitation(closed=plan)

    # held calls

    def show_held_call(self, held_call_id: str = "") -> None:
        """Open a held call by its id or the id of the call; without an id, the one whose time ends first."""
        waiting = self._context.store.held_calls
        if held_call_id:
            by_call = {held_call.call_id: held_call for held_call in waiting.values()}
            held_call = waiting.get(held_call_id) or by_call.get(held_call_id)
        else:
            held_call = min(waiting.values(), key=lambda held_call: held_call.deadline, default=None)
        if held_call is None:
            self._context.say("This call no longer waits.")
            return
        self.show_request(held_call.id)

    # requests of servers

    def show_elicitation(self, ask_id: str = "") -> None:
        """Open a server's request; without an id, the oldest one."""
        waiting = self._context.store.elicitations
        ask = waiting.get(ask_id) if ask_id else next(iter(waiting.values()), None)
        if ask is None:
            self._context.say("This request is closed.")
            return
        self.show_request(ask.id)

    def _stop_clocks(self, stopped: bool) -> None:
        """Stop the clocks of requests while the Review dialog is in view."""
        if self._reviewing is not None:
            self._reviewing.cancel()
            self._reviewing = None
        if stopped and self._linked:
            self._reviewing = spawn("review requests", self._review())

    async def _review(self) -> None:
        with contextlib.suppress(WorkbenchError):  # the core is gone
            await self._context.api.review()

    async def _attend(self) -> None:
        with contextlib.suppress(WorkbenchError):  # the core is gone
            await self._context.api.attend()

    def _elicitation_arrived(self, _event: AskArrived) -> None:
        self._open_own_elicitation()

    def _open_own_elicitation(self, closed: QWidget | None = None) -> None:
        """Open the oldest request that the user's own call waits for, unless one is in front already.

        Nothing opens while the user is typing or decides something else: the strip says that a request waits.
        """
        if self._typing.is_typing(closed) or QApplication.activeModalWidget() is not None:
            return
        mine = (ask for ask in self._context.store.elicitations.values() if _is_own_call(ask))
        following = next((ask for ask in mine if self.find(ask.id) is None), None)
        in_front = self._made_review is not None and self._made_review.page_in_front() is not None
        if following is not None and self._linked and not in_front and self._window.isVisible():
            self.show_elicitation(following.id)
            self.review.only_own = True


def _is_own_call(ask: Ask) -> bool:
    """Whether the user made the call by hand."""
    return ask.by == "you" and not ask.run_id
