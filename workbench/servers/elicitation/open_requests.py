"""Requests of servers to the user that have not been answered yet.

A request blocks only its own call. It ends when it is answered, times out, is withdrawn by the server, or when its call
or server ends. Each end emits an event, so that no window shows an ended request.
"""

from __future__ import annotations

import asyncio
import itertools
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import AskArrived, AskSettled, Event
from workbench.records import Ask, JsonObject, JsonValue, ToolCall
from workbench.servers.elicitation import request_parsing
from workbench.servers.elicitation.request_parsing import INVALID_PARAMS, NOT_NOW, ElicitationRefusal
from workbench.settings import Settings

MOST_OPEN = 20  # open requests of one server, so that a hostile server cannot bury the others
UNATTENDED_SECONDS = 600  # longest wait without a window, when the setting has no limit

_numbers = itertools.count(1)
_calling: ContextVar[str] = ContextVar("calling", default="")  # the call of the current asyncio task


class _Calling:
    """Context of one call that runs at its server. Not a generator: that would cost each call of a program ten turns of
    the event loop."""

    def __init__(self, asks: OpenElicitations, call: ToolCall, clock: PausableClock) -> None:
        self._key = str(next(_numbers))  # clients choose the ids of their calls, so two may be equal
        self._asks, self._call, self._clock = asks, call, clock

    def __enter__(self) -> None:
        self._asks.begin_call(self._key, self._call, self._clock)
        self._before = _calling.set(self._key)

    def __exit__(self, *_: object) -> None:
        _calling.reset(self._before)
        self._asks.end_call(self._key)


class OpenElicitations:
    """Open requests, the calls that wait for them, and the number of windows that can answer."""

    def __init__(
        self,
        tell: Callable[[Event], None],
        settings: Callable[[], Settings] = Settings,
        author: Callable[[str], str] = str,
    ) -> None:
        self._tell = tell
        self._settings = settings
        self._author = author  # agent session → its client
        self._open: dict[str, PendingElicitation] = {}
        self._calls: dict[str, tuple[ToolCall, PausableClock]] = {}
        self._windows = 0

    @api(name="asks")
    def all(self) -> tuple[Ask, ...]:
        """Return the open requests of all servers, oldest first."""
        return tuple(waiting.ask for waiting in self._open.values())

    @property
    def has_windows(self) -> bool:
        """Whether a window is connected."""
        return self._windows > 0

    @contextmanager
    def attending(self) -> Iterator[None]:
        """Context in which a window is open that can show requests."""
        self._windows += 1
        try:
            yield
        finally:
            self._windows -= 1

    def calling(self, call: ToolCall, clock: PausableClock) -> _Calling:
        """Context of a running call: requests of its server pause its timeout, and end with the call."""
        return _Calling(self, call, clock)

    def begin_call(self, key: str, call: ToolCall, clock: PausableClock) -> None:
        self._calls[key] = (call, clock)

    def end_call(self, key: str) -> None:
        del self._calls[key]
        if self._open:
            for waiting in self._of(lambda one: one.call_key == key):
                self._end(waiting, "withdrawn", ElicitationRefusal(NOT_NOW, "The call of this request has ended."))

    async def answer_request(self, server: str, method: str, params: JsonObject) -> JsonObject:
        """Ask the user and return the answer. Raises ElicitationRefusal. Cancellation withdraws the request."""
        ask = request_parsing.read(uuid.uuid4().hex[:12], server, method, params)
        waiting = self._admit(ask, str(params.get("elicitationId") or ""))
        return await self._answer_of(waiting)

    async def visit(self, server: str, elicitations: JsonValue) -> None:
        """Ask the user to visit pages that a failed call requires. Returns when the user has visited them, or raises
        ElicitationRefusal."""
        asked = elicitations if isinstance(elicitations, list) else []
        if not asked or not all(isinstance(one, Mapping) for one in asked):
            raise ElicitationRefusal(INVALID_PARAMS, "The server does not name the page to visit.")
        for one in asked[:MOST_OPEN]:
            ask = request_parsing.read(uuid.uuid4().hex[:12], server, "elicitation/create", {**one, "mode": "url"})
            waiting = self._admit(replace(ask, repeats=True), str(one.get("elicitationId") or ""))
            if (await self._answer_of(waiting)).get("action") != "accept":
                raise ElicitationRefusal(NOT_NOW, f"The user did not visit {ask.host}.")

    def completed(self, server: str, params: JsonObject) -> None:
        """Handle the server's notice that the user completed an elicitation on its page."""
        number = str(params.get("elicitationId") or "")
        for waiting in self._of(lambda one: bool(number) and one.server == server and one.elicitation == number):
            self._end(waiting, "accept", {"action": "accept"})

    def answer(self, ask_id: str, action: str, content: str) -> Ask:
        """Take the user's answer. An invalid answer raises an error and changes nothing."""
        waiting = self._open.get(ask_id)
        if waiting is None:
            raise WorkbenchError("This request is no longer open.", "Its server or its call has ended.")
        result = request_parsing.response_to(waiting.ask, action, content)
        if waiting.ask.kind == request_parsing.URL and action == "accept" and not waiting.ask.opened:
            self._opened(waiting)
        else:
            self._end(waiting, action, result)
        return waiting.ask

    def forget(self, server: str) -> None:
        """End the requests of a server that has stopped."""
        for waiting in self._of(lambda one: one.server == server):
            self._end(waiting, "withdrawn", ElicitationRefusal(NOT_NOW, "The server was stopped."))

    def close(self) -> None:
        for waiting in self._of(lambda one: True):
            self._end(waiting, "withdrawn", ElicitationRefusal(NOT_NOW, "The workbench is closing."))

    def holds(self, run_id: str) -> bool:
        """Whether a call of this run waits for the user; that time does not count for the program."""
        return any(waiting.ask.run_id == run_id for waiting in self._open.values())

    def _admit(self, ask: Ask, elicitation: str) -> PendingElicitation:
        if not self._windows and self._settings().elicitation_without_window == "refuse":
            raise ElicitationRefusal(NOT_NOW, "No user can answer: no window of the workbench is open.")
        if len(self._of(lambda one: one.server == ask.server)) >= MOST_OPEN:
            raise ElicitationRefusal(NOT_NOW, f"{MOST_OPEN} requests of this server are already open.")
        key, clocks = self._waiting_calls(ask.server)
        waiting = PendingElicitation(self._told_by(ask, key), key, elicitation, clocks)
        self._open[ask.id] = waiting
        if waiting.ask.deadline:
            waiting.expire_in(waiting.ask.deadline - waiting.ask.asked_at, self._expired)
        self._tell(AskArrived(waiting.ask))
        return waiting

    def _told_by(self, ask: Ask, key: str) -> Ask:
        """Add deadline, call, tool, session and client to the request."""
        now = time.time()
        seconds = self._settings().elicitation_wait_seconds or (0 if self._windows else UNATTENDED_SECONDS)
        ask = replace(ask, asked_at=now, deadline=now + seconds if seconds else 0.0)
        if not key:
            return ask
        call = self._calls[key][0]
        by = self._author(call.session)
        return replace(ask, call_id=call.id, tool=call.tool, session=call.session, run_id=call.run_id, by=by)

    def _waiting_calls(self, server: str) -> tuple[str, tuple[PausableClock, ...]]:
        """Return the key of the call that caused a request, and the timeouts to pause. The call is known in its own
        asyncio task, or when it is the server's only one; otherwise the key is empty and all timeouts of the server
        pause."""
        here = {key: clock for key, (call, clock) in self._calls.items() if call.server == server}
        key = _calling.get() if _calling.get() in here else next(iter(here)) if len(here) == 1 else ""
        return key, (here[key],) if key else tuple(here.values())

    async def _answer_of(self, waiting: PendingElicitation) -> JsonObject:
        try:
            result = await waiting.answer
        except asyncio.CancelledError:
            self._end(waiting, "withdrawn", ElicitationRefusal(NOT_NOW, "The request was withdrawn."))
            raise
        if isinstance(result, ElicitationRefusal):
            raise result
        return result

    def _opened(self, waiting: PendingElicitation) -> None:
        """Record that the page was opened. A server that only needed consent gets its answer; otherwise the request
        stays open until the server reports completion."""
        waiting.ask = replace(waiting.ask, opened=True)
        if not waiting.ask.repeats:
            waiting.settle({"action": "accept"})
        if not waiting.ask.repeats and not waiting.elicitation:
            self._end(waiting, "accept", {"action": "accept"})
        else:
            self._tell(AskArrived(waiting.ask))

    def _expired(self, ask_id: str) -> None:
        if (waiting := self._open.get(ask_id)) is not None:
            self._end(waiting, "timed out", request_parsing.response_without_answer(waiting.ask))

    def _end(self, waiting: PendingElicitation, ending: str, result: JsonObject | ElicitationRefusal) -> None:
        if self._open.pop(waiting.ask.id, None) is not None:
            waiting.settle(result)
            waiting.release()
            self._tell(AskSettled(waiting.ask, ending))

    def _of(self, fits: Callable[[PendingElicitation], bool]) -> tuple[PendingElicitation, ...]:
        return tuple(waiting for waiting in self._open.values() if fits(waiting))


class PausableClock(Protocol):
    """The timeout of a call; each pause needs its own resume."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...


class PendingElicitation:
    """One open request. Pauses the timeouts of calls until `release`."""

    def __init__(self, ask: Ask, call_key: str, elicitation: str, clocks: tuple[PausableClock, ...]) -> None:
        self.ask = ask
        self.call_key = call_key  # key of the call that the request ends with; empty when unknown
        self.elicitation = elicitation  # the server's id of a URL elicitation
        self.answer: asyncio.Future[JsonObject | ElicitationRefusal] = asyncio.get_running_loop().create_future()
        self._clocks = clocks
        self._timer: asyncio.Handle | None = None
        for clock in clocks:
            clock.pause()

    @property
    def server(self) -> str:
        return self.ask.server

    def expire_in(self, seconds: float, act: Callable[[str], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, act, self.ask.id)

    def settle(self, result: JsonObject | ElicitationRefusal) -> None:
        """Set the result; only the first one counts."""
        if not self.answer.done():
            self.answer.set_result(result)

    def release(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        clocks, self._clocks = self._clocks, ()
        for clock in clocks:
            clock.resume()
