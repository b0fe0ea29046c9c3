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
TIMED_OUT = HeldCallAnswer("", allow=False, reason="Nobody answered in time.")
_WORSE = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)


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
    told: HeldCall | None = None
    ids: dict[str, int] = field(default_factory=dict)  # id → number of calls that it covered
    gathering: asyncio.TimerHandle | None = None  # runs until the user is notified about the calls that joined
    times: int = 0  # number of notifications


class HeldCalls:
    """All held calls of a core. Only clients of the user can call `answer`."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell = tell
        self._groups: dict[tuple[str, ...], _Group] = {}

    @api(name="held_calls")
    def all(self) -> tuple[HeldCall, ...]:
        """All held calls of the core, oldest first."""
        return tuple(group.told for group in self._groups.values() if group.told is not None)

    def of(self, run_id: str) -> tuple[HeldCall, ...]:
        return tuple(held_call for held_call in self.all() if held_call.run_id == run_id)

    def holds(self, run_id: str) -> bool:
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
            self._drop(group, waiting, "withdrawn")  # the run was stopped

    def answer(self, answer: HeldCallAnswer) -> HeldCall:
        """Apply the user's answer to the calls that the held call showed under the id in the answer."""
        group = next((one for one in self._groups.values() if answer.held_call_id in one.ids), None)
        if group is None or group.told is None:
            raise WorkbenchError("Nobody waits for this answer any more.", "The run went on, or it ended.")
        told = group.told
        many = group.ids[answer.held_call_id] if answer.allow else len(group.waiting)
        self._settle(group, many, answer, "allowed" if answer.allow else "denied")
        return told

    def withdraw(self, run_id: str) -> None:
        """Withdraw all held calls of a run that has ended."""
        for group in [group for group in self._groups.values() if group.key[0] == run_id]:
            self._settle(group, len(group.waiting), replace(TIMED_OUT, reason="The run ended."), "withdrawn")

    def close(self) -> None:
        """Deny all held calls, because the core is closing."""
        for group in tuple(self._groups.values()):
            self._settle(group, len(group.waiting), replace(TIMED_OUT, reason="The core closed."), "withdrawn")

    # internal

    def _join(self, waiting: _Waiting, seconds: float, alone: str) -> _Group:
        held_call = waiting.held_call
        key = (held_call.run_id, held_call.server, held_call.tool, alone)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(uuid.uuid4().hex[:12], key)
        loop = asyncio.get_running_loop()
        waiting.held_call = replace(held_call, deadline=time.time() + seconds)
        waiting.timer = loop.call_later(seconds, self._expired, group, waiting)
        group.waiting.append(waiting)
        if group.told is None:
            self._show(group)
        elif group.gathering is None:
            group.gathering = loop.call_later(GATHER, self._show, group)
        return group

    def _show(self, group: _Group) -> None:
        """Notify the user of the waiting calls, under a new id."""
        if group.gathering is not None:
            group.gathering.cancel()
            group.gathering = None
        if not group.waiting:
            return
        before = group.told.id if group.told is not None else ""
        group.times += 1
        shown = group.waiting[:LISTED]
        first = shown[0].held_call
        group.told = replace(
            first,
            id=f"{group.name}-{group.times}",
            deadline=min(one.held_call.deadline for one in shown),
            why=tuple(dict.fromkeys(reason for one in shown for reason in one.held_call.why))[:20],
            origins=tuple(dict.fromkeys(origin for one in shown for origin in one.held_call.origins))[:20],
            risk=max((one.held_call.risk for one in shown), key=_WORSE.index),
            trifecta=any(one.held_call.trifecta for one in shown),
            offers=tuple(dict.fromkeys(rule for one in shown for rule in one.held_call.offers)),
            more=len(group.waiting) - 1,
            list=tuple(one.line for one in shown),
        )
        group.ids[group.told.id] = len(shown)
        self._tell(CallHeld(group.told, before))

    def _settle(self, group: _Group, many: int, answer: HeldCallAnswer, ending: str) -> None:
        settled, group.waiting = group.waiting[:many], group.waiting[many:]
        for one in settled:
            _give(one, answer)
        self._left(group, ending)

    def _drop(self, group: _Group, waiting: _Waiting, ending: str) -> None:
        if waiting in group.waiting:
            group.waiting.remove(waiting)
            _give(waiting, TIMED_OUT)
            self._left(group, ending)

    def _left(self, group: _Group, ending: str) -> None:
        """Handle calls that no longer wait; the others are shown again under a new id, and old ids become invalid."""
        group.ids.clear()
        told = group.told
        if group.waiting:
            self._show(group)
            return
        if group.gathering is not None:
            group.gathering.cancel()
        self._groups.pop(group.key, None)
        if told is not None:
            self._tell(HeldCallSettled(told, ending))

    def _expired(self, group: _Group, waiting: _Waiting) -> None:
        self._drop(group, waiting, "timed out")


def _give(waiting: _Waiting, answer: HeldCallAnswer) -> None:
    if waiting.timer is not None:
        waiting.timer.cancel()
    if not waiting.answer.done():
        waiting.answer.set_result(answer)
