"""Calls that a server carries out as tasks (protocol 2025-11-25): begun, looked at until they end, and fetched.

The SDK has the types of it only, so the requests are made raw. A task's status is told like progress.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from workbench.events import spawn
from workbench.records import JsonObject, ServerState, Tool
from workbench.servers.sdk_adapter.protocol_negotiation import MODERN
from workbench.servers.server_faults import ServerFault

_KEPT_MS = 3_600_000  # how long a server is asked to keep a result
_LEAST, _MOST, _USUAL = 0.05, 10.0, 1.0  # seconds between two looks
_FAREWELL = 2.0  # seconds to tell a server that nobody wants its task any more
_KNOWN = 1_000  # tasks of one server whose tool is remembered
_OPEN = ("working", "input_required")
_ENDED = ("completed", "failed", "cancelled")

Heard = Callable[[float, float | None, str | None], Awaitable[None]]


class Send(Protocol):
    """Makes a request of the server."""

    def __call__(self, method: str, params: JsonObject) -> Awaitable[JsonObject]: ...


def wanted(tool: Tool, state: ServerState) -> bool:
    """Whether a call of this tool is made as a task: where the tool allows it and the server speaks of tasks."""
    execution = tool.raw.get("execution")
    support = execution.get("taskSupport") if isinstance(execution, Mapping) else None
    if support not in ("required", "optional"):
        return False
    if support == "required" and state.era == MODERN:
        raise ServerFault(
            f"{tool.server}.{tool.name} must be called as a task, and how protocol {state.protocol} does that is not "
            "known here.",
            "Tasks work with servers of protocol 2025-11-25.",
        )
    speaks = any(word == "tasks" or word.startswith("tasks.") for word in state.capabilities)
    return state.era != MODERN and (support == "required" or (support == "optional" and speaks))


async def carry_out(send: Send, params: JsonObject, heard: Heard, known: dict[str, str]) -> JsonObject:
    """The raw answer of the call. Cancelling cancels the task at its server. `known` learns which tool it is of."""
    begun = await send("tools/call", {**params, "task": {"ttl": _KEPT_MS}})
    if "task" not in begun and "content" in begun:
        return begun  # it preferred to answer at once
    number, status = _task(begun.get("task"))
    _learn(known, number, str(params.get("name", "")))
    try:
        return await _follow(send, number, status, begun["task"], heard)
    except asyncio.CancelledError:
        await asyncio.wait([spawn(f"cancel task {number:.40}", _cancel(send, number))], timeout=_FAREWELL)
        raise


def _learn(known: dict[str, str], number: str, tool: str) -> None:
    known[number] = tool
    if len(known) > _KNOWN:
        del known[next(iter(known))]


async def _follow(send: Send, number: str, status: str, task: JsonObject, heard: Heard) -> JsonObject:
    """Looks as often as the server likes. One that needs input asks for it while its result is being fetched."""
    fetching: asyncio.Task[JsonObject] | None = None
    told, looks = "", 0
    try:
        while status in _OPEN:
            if (words := _words(status, task)) != told:
                looks, told = looks + 1, words
                await heard(float(looks), None, words)
            if status == "input_required" and fetching is None:
                fetching = spawn(f"fetch task {number:.40}", _fetch(send, number))
            await asyncio.sleep(_pause(task))
            task = await send("tasks/get", {"taskId": number})
            _, status = _task(task)
        if status == "cancelled":
            raise ServerFault("The task was cancelled at the server.", "What it did until then stands.")
        return await (fetching or _fetch(send, number))
    finally:
        if fetching is not None and not fetching.done():
            fetching.cancel()
            await asyncio.wait([fetching])


async def _fetch(send: Send, number: str) -> JsonObject:
    return await send("tasks/result", {"taskId": number})


async def _cancel(send: Send, number: str) -> None:
    from mcp.shared.exceptions import MCPError

    with contextlib.suppress(MCPError, ServerFault):  # it may be over already, or the server be gone
        await send("tasks/cancel", {"taskId": number})


def _task(task: object) -> tuple[str, str]:
    """Its name and its status."""
    number = task.get("taskId") if isinstance(task, Mapping) else None
    status = task.get("status") if isinstance(task, Mapping) else None
    if not isinstance(number, str) or status not in (*_OPEN, *_ENDED):
        raise ServerFault(
            "The server's answer is no task as protocol 2025-11-25 knows it.",
            "Look at its frames: it may speak of tasks in a way of its own.",
        )
    return number, str(status)


def _words(status: str, task: JsonObject) -> str:
    message = task.get("statusMessage")
    shown = {"working": "task working", "input_required": "task needs input"}[status]
    return f"{shown}: {message:.200}" if isinstance(message, str) and message else shown


def _pause(task: JsonObject) -> float:
    wish = task.get("pollInterval")
    if not isinstance(wish, int | float) or isinstance(wish, bool) or wish != wish:
        return _USUAL
    return float(min(_MOST, max(_LEAST, wish / 1000)))
