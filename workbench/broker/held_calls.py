"""Calls of a running program that wait for approval: grouped, answered, or denied at their deadline.

Similar calls of one run form one held call with a list, so that the user is asked once about a loop. The held call
gets a new id whenever a call joins it. An answer that allows applies to exactly the calls that the user saw, and later
ones continue to wait; a denial applies to all of them.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.broker.approval_clocks import LEAST, ApprovalClock, ApprovalClocks
from workbench.errors import WorkbenchError
from workbench.events import CallHeld, Event, HeldCallSettled, MutedAgentsChanged
from workbench.records import HeldCall, HeldCallAnswer, MutedAgent, RequestClock, Risk

LISTED = 200  # calls that one answer can apply to; more wait for the next answer
SHOWN_LINE = 400  # characters of a call in a list of calls
GATHER = 0.05  # seconds for which newly waiting calls are collected before the user is notified
TIMED_OUT = HeldCallAnswer("", allow=False, reason="The approval request was not answered in time.")
RUN_ENDED = replace(TIMED_OUT, reason="The run ended.")
CORE_CLOSED = replace(TIMED_OUT, reason="The core closed.")
MUTED = replace(TIMED_OUT, reason="The user denies all further requests of this agent until it connects again.")
_SCOPES = ("once", "rest", "again")  # of calls of programs and of answers; others are offered by the held call
_BY_RISK = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)


@dataclass(slots=True, eq=False)
class _Waiting:
    """One call that waits for the user."""

    held_call: HeldCall  # the held call for this call alone
    line: str
    answer: asyncio.Future[HeldCallAnswer]
    edit: Callable[[str], Awaitable[HeldCall]] | None = None  # judges changed arguments
    changed: str = ""  # the changed arguments, once the user has replaced them
    group: _Group | None = None  # the group that it waits in
    clock: ApprovalClock | None = None  # denies this call when its time is over
    left: float = 0.0  # seconds that it had left when it was denied


@dataclass(slots=True, eq=False)
class _Group:
    """Calls of one tool by one run, which one held call covers."""

    name: str
    key: tuple[str, ...]
    waiting: list[_Waiting] = field(default_factory=list)
    shown_call: HeldCall | None = None
    ids: dict[str, int] = field(default_factory=dict)  # id → number of calls that it covered
    notify_timer: asyncio.TimerHandle | None = None  # runs until the user is notified about the calls that joined
    notifications: int = 0  # number of notifications


@dataclass(slots=True, eq=False)
class _Denied:
    """Calls that the user denied a moment ago. Their program is told when the time for undoing is over."""

    group: _Group
    held_call: HeldCall
    answer: HeldCallAnswer
    timer: asyncio.TimerHandle


class HeldCalls:
    """All held calls of a core, also those of other clients' own tools, which have no run. Only clients of the user can
    call `answer`."""

    def __init__(
        self,
        tell: Callable[[Event], None],
        clocks: ApprovalClocks | None = None,
        undo_seconds: Callable[[], float] = float,
    ) -> None:
        """`undo_seconds`: how long a denial can be undone, if the client that sent it offers that."""
        self._tell = tell
        self._clocks = clocks or ApprovalClocks(tell)
        self._undo_seconds = undo_seconds
        self._groups: dict[tuple[str, ...], _Group] = {}
        self._denied: dict[str, _Denied] = {}  # by the id of the held call
        self._muted: dict[str, MutedAgent] = {}  # by agent session
        self._last_answers: dict[str, str] = {}  # id of a held call → how it was answered

    @api(name="held_calls")
    def all(self) -> tuple[HeldCall, ...]:
        """All held calls of the core, oldest first."""
        return tuple(group.shown_call for group in self._groups.values() if group.shown_call is not None)

    def find(self, held_call_id: str) -> HeldCall:
        """Return the held call of this id."""
        found = next((one for one in self.all() if one.id == held_call_id), None)
        if found is None:
            raise self._no_longer_waiting(held_call_id)
        return found

    def for_run(self, run_id: str) -> tuple[HeldCall, ...]:
        return tuple(held_call for held_call in self.all() if held_call.run_id == run_id)

    def has_waiting(self, run_id: str) -> bool:
        """Whether a call of this run waits for the user right now; that time does not count as the program's."""
        denied = any(one.group.key[0] == run_id for one in self._denied.values())
        return denied or any(key[0] == run_id for key in self._groups)

    async def ask(
        self,
        held_call: HeldCall,
        line: str,
        seconds: float,
        *,
        alone: bool = False,
        edit: Callable[[str], Awaitable[HeldCall]] | None = None,
        limit: float | None = None,
    ) -> HeldCallAnswer:
        """Wait for the user's answer; a timeout is a denial. `line`: the call as shown in a list. `alone`: the line
        is too short to show what decides, so the call is not grouped. Cancelling withdraws the call. A request that
        belongs to no program has no `run_id`. `edit` judges a text that
        the user wrote in place of the arguments, and returns the held call for it; an answer that allows the changed
        call has the text in `arguments`. `limit`: seconds that the caller can wait, also while the clock is stopped or
        a denial can be undone; a denial that could still be undone is final then."""
        if self.is_muted(held_call.session):
            self.count_muted(held_call.session)
            return MUTED
        if seconds <= 0:
            return TIMED_OUT
        held_call = replace(held_call, editable=edit is not None)
        waiting = _Waiting(held_call, line, asyncio.get_running_loop().create_future(), edit)
        self._join(waiting, seconds, held_call.call_id if alone else "")
        try:
            async with asyncio.timeout(limit):
                return await waiting.answer
        except TimeoutError:
            return self._denial_of(waiting) or TIMED_OUT
        finally:
            self._remove_call(waiting, "withdrawn")  # the run was stopped

    def answer(self, answer: HeldCallAnswer) -> HeldCall:
        """Apply the user's answer to the calls that the held call showed under the id in the answer. A denial that the
        client can undo is held back first."""
        group = next((one for one in self._groups.values() if answer.held_call_id in one.ids), None)
        if group is None or group.shown_call is None:
            raise self._no_longer_waiting(answer.held_call_id)
        shown_call = group.shown_call
        if answer.allow and answer.scope not in (*_SCOPES, *(one.id for one in shown_call.rule_offers)):
            raise WorkbenchError("This call cannot be allowed for that long.", "Allow it once.")
        seconds = self._undo_seconds() if answer.undoable and not answer.allow else 0.0
        if seconds > 0:
            return self._hold_back(group, shown_call, answer, seconds)
        count = group.ids[answer.held_call_id] if answer.allow else len(group.waiting)
        self._settle(group, count, answer, "allowed" if answer.allow else "denied")
        return shown_call

    async def assess_edit(self, held_call_id: str, text: str) -> HeldCall:
        """Return what the held call would be with this text in place of its arguments; nothing is changed."""
        group, waiting = self._editable(held_call_id)
        assert waiting.edit is not None
        assert group.shown_call is not None
        changed = await waiting.edit(text)
        kept = {"deadline": group.shown_call.deadline, "clock_left": group.shown_call.clock_left}
        return replace(changed, id=held_call_id, editable=True, **kept)

    async def edit(self, held_call_id: str, text: str) -> HeldCall:
        """Replace the arguments of a held call; it waits on under a new id, so that answers about the old arguments are
        refused. Calls that joined it since it was shown under this id wait on by themselves."""
        changed = await self.assess_edit(held_call_id, text)
        group, waiting = self._editable(held_call_id)  # it may have been answered meanwhile
        waiting.held_call, waiting.changed = changed, text
        waiting.line = " ".join(changed.arguments.split())[:SHOWN_LINE]
        own = group if len(group.waiting) == 1 else self._separate(group, waiting)
        own.ids.clear()
        self._notify_user(own)
        if own is not group:
            self._notify_user(group)
        assert own.shown_call is not None
        return own.shown_call

    def _separate(self, group: _Group, waiting: _Waiting) -> _Group:
        """Let a call wait by itself in the place of its group. The caller shows both again."""
        key = (*group.key[:-1], waiting.held_call.call_id)
        own = self._groups[key] = _Group(uuid.uuid4().hex[:12], key, [waiting], group.shown_call)
        waiting.group = own
        group.waiting.remove(waiting)
        group.ids.clear()
        group.shown_call = None
        return own

    def _editable(self, held_call_id: str) -> tuple[_Group, _Waiting]:
        group = next((one for one in self._groups.values() if held_call_id in one.ids), None)
        if group is None:
            raise self._no_longer_waiting(held_call_id)
        if group.ids[held_call_id] > 1:
            raise WorkbenchError("Several calls wait together, so they cannot be changed.", "Allow or deny them.")
        if group.waiting[0].edit is None:
            raise WorkbenchError("This request cannot be changed.", "Allow or deny it.")
        return group, group.waiting[0]

    def undo_denial(self, held_call_id: str) -> HeldCall:
        """Let calls wait again that the user denied a moment ago; returns them under a new id."""
        denied = self._denied.pop(held_call_id, None)
        if denied is None:
            raise self._no_longer_waiting(held_call_id)
        denied.timer.cancel()
        waiting = [one for one in denied.group.waiting if not one.answer.done()]
        if not waiting:
            raise WorkbenchError("These calls no longer wait.", "Their program has ended.")
        denied.group.waiting = []
        group = self._groups.setdefault(denied.group.key, denied.group)  # later calls may wait under the same key
        for one in waiting:
            self._wait_in(group, one, max(one.left, LEAST))
        self._notify_user(group)
        assert group.shown_call is not None
        return group.shown_call

    def has_denied(self, held_call_id: str) -> bool:
        """Whether the denial of this held call can still be undone."""
        return held_call_id in self._denied

    def withdraw(self, run_id: str) -> None:
        """Withdraw all held calls of a run that has ended; denials that could be undone are final."""
        self._commit_denials(lambda group: group.key[0] == run_id)
        for group in [group for group in self._groups.values() if group.key[0] == run_id]:
            self._settle(group, len(group.waiting), RUN_ENDED, "withdrawn")

    def close(self) -> None:
        """Deny all held calls, because the core is closing; denials that could be undone are final."""
        self._commit_denials(lambda group: True)
        for group in tuple(self._groups.values()):
            self._settle(group, len(group.waiting), CORE_CLOSED, "withdrawn")

    # ── muted agents ─────────────────────────────────────────────────────────────────────────────
    @api
    def muted_agents(self) -> tuple[MutedAgent, ...]:
        """The agent sessions whose approval requests are denied at once, because the user muted them."""
        return tuple(self._muted.values())

    def is_muted(self, session: str) -> bool:
        """Whether the user muted this agent session."""
        return session in self._muted

    def mute(self, session: str, author: str) -> None:
        """Deny all further requests of this agent session."""
        self._muted[session] = MutedAgent(session, author, time.time())
        self._tell(MutedAgentsChanged(self.muted_agents()))

    def unmute(self, session: str) -> None:
        """Ask the user about requests of this agent session again."""
        if self._muted.pop(session, None) is not None:
            self._tell(MutedAgentsChanged(self.muted_agents()))

    def count_muted(self, session: str) -> None:
        """Count a request that was denied because its agent is muted."""
        if (muted := self._muted.get(session)) is not None:
            self._muted[session] = replace(muted, denied=muted.denied + 1)
            self._tell(MutedAgentsChanged(self.muted_agents()))

    # internal

    def _join(self, waiting: _Waiting, seconds: float, alone: str) -> None:
        held_call = waiting.held_call
        # requests without a run are grouped by agent session only
        key = (held_call.run_id, held_call.session, held_call.server, held_call.tool, alone)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(uuid.uuid4().hex[:12], key)
        self._wait_in(group, waiting, seconds)
        if group.shown_call is None:
            self._notify_user(group)
        elif group.notify_timer is None:
            group.notify_timer = asyncio.get_running_loop().call_later(GATHER, self._notify_user, group)

    def _wait_in(self, group: _Group, waiting: _Waiting, seconds: float) -> None:
        waiting.group = group
        waiting.clock = self._clocks.start(
            seconds, lambda: self._remove_call(waiting, "timed out"), lambda: self._update_clock(waiting.group or group)
        )
        group.waiting.append(waiting)

    def _update_clock(self, group: _Group) -> RequestClock | None:
        """Bring the time that a shown held call has left up to date."""
        if group.shown_call is None or group.key not in self._groups:
            return None
        deadline, left = _time_left(group.waiting[:LISTED])
        group.shown_call = replace(group.shown_call, deadline=deadline, clock_left=left)
        return RequestClock(group.shown_call.id, deadline, left)

    def _hold_back(self, group: _Group, shown_call: HeldCall, answer: HeldCallAnswer, seconds: float) -> HeldCall:
        """Take calls that the user denied out of the queue; they are told when the time for undoing is over."""
        self._groups.pop(group.key, None)
        if group.notify_timer is not None:
            group.notify_timer.cancel()
            group.notify_timer = None
        group.ids.clear()
        for one in group.waiting:
            one.left = self._clocks.cancel(one.clock) if one.clock is not None else 0.0
        shown_call = replace(shown_call, denied_until=time.time() + seconds)
        timer = asyncio.get_running_loop().call_later(seconds, self._commit_denial, shown_call.id)
        self._denied[shown_call.id] = _Denied(group, shown_call, answer, timer)
        self._tell(HeldCallSettled(shown_call, "denied", answer.by))
        return shown_call

    def _denial_of(self, waiting: _Waiting) -> HeldCallAnswer | None:
        """Return the denial of this call that can still be undone."""
        return next((one.answer for one in self._denied.values() if waiting in one.group.waiting), None)

    def _commit_denial(self, held_call_id: str) -> None:
        if (denied := self._denied.pop(held_call_id, None)) is not None:
            denied.timer.cancel()
            for one in denied.group.waiting:
                self._answer_call(one, denied.answer)
            denied.group.waiting = []
            self._remember_answer([held_call_id], denied.answer, "denied")

    def _commit_denials(self, chosen: Callable[[_Group], bool]) -> None:
        for held_call_id in [one for one, denied in self._denied.items() if chosen(denied.group)]:
            self._commit_denial(held_call_id)

    def _no_longer_waiting(self, held_call_id: str) -> WorkbenchError:
        denied = self._denied.get(held_call_id)
        if denied is not None:
            by = f" by {denied.answer.by}" if denied.answer.by else ""
            return WorkbenchError(f"This call was already denied{by}.", "The denial can be undone for a moment.")
        last = self._last_answers.get(held_call_id)
        if last is not None:
            return WorkbenchError(f"This call was already {last}.", "Nothing was changed.")
        return WorkbenchError("This call no longer waits for a decision.", "Its run continued or ended.")

    def _notify_user(self, group: _Group) -> None:
        """Notify the user of the waiting calls, under a new id."""
        if group.notify_timer is not None:
            group.notify_timer.cancel()
            group.notify_timer = None
        if not group.waiting:
            return
        before = group.shown_call.id if group.shown_call is not None else ""
        group.notifications += 1
        shown = group.waiting[:LISTED]
        first, (deadline, left) = shown[0].held_call, _time_left(shown)
        group.shown_call = replace(
            first,
            id=f"{group.name}-{group.notifications}",
            deadline=deadline,
            clock_left=left,
            why=tuple(dict.fromkeys(reason for one in shown for reason in one.held_call.why))[:20],
            origins=tuple(dict.fromkeys(origin for one in shown for origin in one.held_call.origins))[:20],
            risk=max((one.held_call.risk for one in shown), key=_BY_RISK.index),
            trifecta=any(one.held_call.trifecta for one in shown),
            once_only=next((one.held_call.once_only for one in shown if one.held_call.once_only), ""),
            offers=tuple(dict.fromkeys(rule for one in shown for rule in one.held_call.offers)),
            more=len(group.waiting) - 1,
            editable=first.editable and len(group.waiting) == 1,
            rule_offers=first.rule_offers if len(group.waiting) == 1 else (),
            list=tuple(one.line for one in shown),
        )
        group.ids[group.shown_call.id] = len(shown)
        self._tell(CallHeld(group.shown_call, before))

    def _settle(self, group: _Group, count: int, answer: HeldCallAnswer, ending: str) -> None:
        settled, group.waiting = group.waiting[:count], group.waiting[count:]
        for one in settled:
            self._answer_call(one, answer)
        self._remember_answer(group.ids, answer, ending)
        self._update_group(group, ending, answer.by)

    def _remove_call(self, waiting: _Waiting, ending: str) -> None:
        group = waiting.group
        if group is not None and waiting in group.waiting:
            group.waiting.remove(waiting)
            self._answer_call(waiting, TIMED_OUT)
            if self._groups.get(group.key) is group:
                self._update_group(group, ending)

    def _update_group(self, group: _Group, ending: str, by: str = "") -> None:
        """Handle calls that no longer wait; the others are shown again under a new id, and old ids become invalid."""
        group.ids.clear()
        shown_call = group.shown_call
        if group.waiting:
            self._notify_user(group)
            return
        if group.notify_timer is not None:
            group.notify_timer.cancel()
        self._groups.pop(group.key, None)
        if shown_call is not None:
            self._tell(HeldCallSettled(shown_call, ending, by))

    def _remember_answer(self, ids: Iterable[str], answer: HeldCallAnswer, ending: str) -> None:
        """Remember who answered, for a second client that answers at the same time."""
        for held_call_id in ids:
            self._last_answers[held_call_id] = f"{ending} by {answer.by}" if answer.by else ending
        while len(self._last_answers) > LISTED:
            del self._last_answers[next(iter(self._last_answers))]

    def _answer_call(self, waiting: _Waiting, answer: HeldCallAnswer) -> None:
        if waiting.clock is not None:
            self._clocks.cancel(waiting.clock)
        if not waiting.answer.done():
            waiting.answer.set_result(replace(answer, arguments=waiting.changed if answer.allow else ""))


def _time_left(shown: list[_Waiting]) -> tuple[float, float]:
    """Return the earliest deadline, and the seconds left if the clocks are stopped."""
    clocks = [one.clock for one in shown if one.clock is not None]
    first = min(clocks, key=lambda clock: clock.deadline)
    return first.deadline, first.left
