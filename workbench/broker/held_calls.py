"""Calls of a running program that wait for approval: grouped, answered, or denied at their deadline.

Similar calls of one run form one held call with a list, so that the user is asked once about a loop. The held call
gets a new id whenever a call joins it. An answer therefore applies to exactly the calls that the user saw; later ones
continue to wait.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import CallHeld, Event, HeldCallSettled
from workbench.records import HeldCall, HeldCallAnswer, Risk

LISTED = 200  # calls that one answer can apply to; more wait for the next answer
GATHER = 0.05  # seconds for which newly waiting calls are collected before the user is notified
TIMED_OUT = HeldCallAnswer("", allow=False, reason="The approval request was not answered in time.")
RUN_ENDED = replace(TIMED_OUT, reason="The run ended.")
CORE_CLOSED = replace(TIMED_OUT, reason="The core closed.")
_BY_RISK = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)


@dataclass(slots=True)
class _Waiting:
    """One call that waits for the user."""

    held_call: HeldCall  # the held call for this call alone, with its own deadline
    line: str
    answer: asyncio.Future[HeldCallAnswer]
    timer: asyncio.TimerHandle | None = None  # denies this call at its deadline


@dataclass(slots=True)
class _Group:
    """Calls of one tool by one run, which one held call covers."""

    name: str
    key: tuple[str, ...]
    waiting: list[_Waiting] = field(default_factory=list)
    shown_call: HeldCall | None = None
    ids: dict[str, int] = field(default_factory=dict)  # id → number of calls that it covered
    notify_timer: asyncio.TimerHandle | None = None  # runs until the user is notified about the calls that joined
    notifications: int = 0  # number of notifications


class HeldCalls:
    """All held calls of a core. Only clients of the user can call `answer`."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell = tell
        self._groups: dict[tuple[str, ...], _Group] = {}

    @api(name="held_calls")
    def all(self) -> tuple[HeldCall, ...]:
        """All held calls of the core, oldest first."""
        return tuple(group.shown_call for group in self._groups.values() if group.shown_call is not None)

    def for_run(self, run_id: str) -> tuple[HeldCall, ...]:
        return tuple(held_call for held_call in self.all() if held_call.run_id == run_id)

    def has_waiting(self, run_id: str) -> bool:
        """Whether a call of this run waits for the user right now; that time does not count as the program's."""
        return any(key[0] == run_id for key in self._groups)

    async def ask(self, held_call: HeldCall, line: str, seconds: float, *, alone: bool = False) -> HeldCallAnswer:
        """Wait for the user's answer; a timeout is a denial. `line`: the call as shown in a list. `alone`: the line
        is too short to show what decides, so the call is not grouped. Cancelling withdraws the call."""
        if seconds <= 0:
            return TIMED_OUT
        waiting = _Waiting(held_call, line, asyncio.get_running_loop().create_future())
        group = self._join(waiting, seconds, held_call.call_id if alone else "")
        try:
            return await waiting.answer
        finally:
            self._remove_call(group, waiting, "withdrawn")  # the run was stopped

    def answer(self, answer: HeldCallAnswer) -> HeldCall:
        """Apply the user's answer to the calls that the held call showed under the id in the answer."""
        group = next((one for one in self._groups.values() if answer.held_call_id in one.ids), None)
        if group is None or group.shown_call is None:
            raise WorkbenchError("This call no longer waits for a decision.", "Its run continued or ended.")
        shown_call = group.shown_call
        count = group.ids[answer.held_call_id] if answer.allow else len(group.waiting)
        self._settle(group, count, answer, "allowed" if answer.allow else "denied")
        return shown_call

    def withdraw(self, run_id: str) -> None:
        """Withdraw all held calls of a run that has ended."""
        for group in [group for group in self._groups.values() if group.key[0] == run_id]:
            self._settle(group, len(group.waiting), RUN_ENDED, "withdrawn")

    def close(self) -> None:
        """Deny all held calls, because the core is closing."""
        for group in tuple(self._groups.values()):
            self._settle(group, len(group.waiting), CORE_CLOSED, "withdrawn")

    # internal

    def _join(self, waiting: _Waiting, seconds: float, alone: str) -> _Group:
        held_call = waiting.held_call
        key = (held_call.run_id, held_call.server, held_call.tool, alone)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(uuid.uuid4().hex[:12], key)
        loop = asyncio.get_running_loop()
        waiting.held_call = replace(held_call, deadline=time.time() + seconds)
        waiting.timer = loop.call_later(seconds, self._time_out, group, waiting)
        group.waiting.append(waiting)
        if group.shown_call is None:
            self._notify_user(group)
        elif group.notify_timer is None:
            group.notify_timer = loop.call_later(GATHER, self._notify_user, group)
        return group

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
        first = shown[0].held_call
        group.shown_call = replace(
            first,
            id=f"{group.name}-{group.notifications}",
            deadline=min(one.held_call.deadline for one in shown),
            why=tuple(dict.fromkeys(reason for one in shown for reason in one.held_call.why))[:20],
            origins=tuple(dict.fromkeys(origin for one in shown for origin in one.held_call.origins))[:20],
            risk=max((one.held_call.risk for one in shown), key=_BY_RISK.index),
            trifecta=any(one.held_call.trifecta for one in shown),
            offers=tuple(dict.fromkeys(rule for one in shown for rule in one.held_call.offers)),
            more=len(group.waiting) - 1,
            list=tuple(one.line for one in shown),
        )
        group.ids[group.shown_call.id] = len(shown)
        self._tell(CallHeld(group.shown_call, before))

    def _settle(self, group: _Group, count: int, answer: HeldCallAnswer, ending: str) -> None:
        settled, group.waiting = group.waiting[:count], group.waiting[count:]
        for one in settled:
            _answer_call(one, answer)
        self._update_group(group, ending)

    def _remove_call(self, group: _Group, waiting: _Waiting, ending: str) -> None:
        if waiting in group.waiting:
            group.waiting.remove(waiting)
            _answer_call(waiting, TIMED_OUT)
            self._update_group(group, ending)

    def _update_group(self, group: _Group, ending: str) -> None:
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
            self._tell(HeldCallSettled(shown_call, ending))

    def _time_out(self, group: _Group, waiting: _Waiting) -> None:
        self._remove_call(group, waiting, "timed out")


def _answer_call(waiting: _Waiting, answer: HeldCallAnswer) -> None:
    if waiting.timer is not None:
        waiting.timer.cancel()
    if not waiting.answer.done():
        waiting.answer.set_result(answer)
