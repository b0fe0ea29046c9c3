"""MCP tasks (protocol 2025-11-25): calls that a server runs as tasks, and the list of its tasks.

The SDK has only types for tasks (python-sdk#2849), so the requests are sent raw. A task's status is reported like
progress.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Protocol

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import JsonObject, ServerState, ServerTask, Tool
from workbench.servers.paged_lists import read_pages
from workbench.servers.sdk_adapter.protocol_negotiation import MODERN
from workbench.servers.server import McpServer
from workbench.servers.server_faults import ServerFault

_KEPT_MS = 3_600_000  # milliseconds that a server is asked to keep a result
_LEAST, _MOST, _USUAL = 0.05, 10.0, 1.0  # seconds between two status requests
_FAREWELL = 2.0  # seconds to cancel a task at its server
_KNOWN = 1_000  # tasks of one server whose tool is remembered
_OPEN = ("working", "input_required")
_ENDED = ("completed", "failed", "cancelled")

Heard = Callable[[float, float | None, str | None], Awaitable[None]]


class TaskSend(Protocol):
    """Sends a request to the server."""

    def __call__(self, method: str, params: JsonObject) -> Awaitable[JsonObject]: ...


def runs_as_task(tool: Tool, state: ServerState) -> bool:
    """Whether a call of this tool runs as a task: both the tool and the server must support it."""
    execution = tool.raw.get("execution")
    support = execution.get("taskSupport") if isinstance(execution, Mapping) else None
    if support not in ("required", "optional"):
        return False
    if support == "required" and state.era == MODERN:
        raise ServerFault(
            f"{tool.server}.{tool.name} must be called as a task, which is not supported with protocol "
            f"{state.protocol}.",
            "Tasks are supported only for servers with protocol 2025-11-25.",
        )
    speaks = any(word == "tasks" or word.startswith("tasks.") for word in state.capabilities)
    return state.era != MODERN and (support == "required" or (support == "optional" and speaks))


async def call_as_task(send: TaskSend, params: JsonObject, heard: Heard, known: dict[str, str]) -> JsonObject:
    """Call a tool as a task and return the raw answer. Cancellation cancels the task at its server. `known` maps the
    task to its tool."""
    begun = await send("tools/call", {**params, "task": {"ttl": _KEPT_MS}})
    if "task" not in begun and "content" in begun:
        return begun  # the server answered at once
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


async def _follow(send: TaskSend, number: str, status: str, task: JsonObject, heard: Heard) -> JsonObject:
    """Poll a task at the server's interval until it ends. A task in the state input_required requests its input while
    its result is fetched."""
    fetching: asyncio.Task[JsonObject] | None = None
    told, looks = "", 0
    try:
        while status in _OPEN:
            if (words := _status_text(status, task)) != told:
                looks, told = looks + 1, words
                await heard(float(looks), None, words)
            if status == "input_required" and fetching is None:
                fetching = spawn(f"fetch task {number:.40}", _fetch(send, number))
            await asyncio.sleep(_pause(task))
            task = await send("tasks/get", {"taskId": number})
            _, status = _task(task)
        if status == "cancelled":
            raise ServerFault("The task was cancelled on the server.", "Changes that it had already made remain.")
        return await (fetching or _fetch(send, number))
    finally:
        if fetching is not None and not fetching.done():
            fetching.cancel()
            await asyncio.wait([fetching])


async def _fetch(send: TaskSend, number: str) -> JsonObject:
    return await send("tasks/result", {"taskId": number})


async def _cancel(send: TaskSend, number: str) -> None:
    from mcp.shared.exceptions import MCPError

    with contextlib.suppress(MCPError, ServerFault):  # the task may have ended, or the server may be gone
        await send("tasks/cancel", {"taskId": number})


def _task(task: object) -> tuple[str, str]:
    """Return id and status of a task in a server's answer."""
    number = task.get("taskId") if isinstance(task, Mapping) else None
    status = task.get("status") if isinstance(task, Mapping) else None
    if not isinstance(number, str) or status not in (*_OPEN, *_ENDED):
        raise ServerFault(
            "The server's answer is not a task as defined by protocol 2025-11-25.",
            "Look at the server's messages: it may use its own format for tasks.",
        )
    return number, str(status)


def _status_text(status: str, task: JsonObject) -> str:
    message = task.get("statusMessage")
    shown = {"working": "task working", "input_required": "task needs input"}[status]
    return f"{shown}: {message:.200}" if isinstance(message, str) and message else shown


def _pause(task: JsonObject) -> float:
    wish = task.get("pollInterval")
    if not isinstance(wish, int | float) or isinstance(wish, bool) or wish != wish:
        return _USUAL
    return float(min(_MOST, max(_LEAST, wish / 1000)))


_STATUSES = frozenset({"working", "input_required", "completed", "failed", "cancelled"})
_SHOWN = 500  # tasks in one answer, newest first
_NAME, _WORDS = 512, 1_000  # characters of a task's name and of its message


async def list_tasks(server: McpServer, seconds: float) -> tuple[ServerTask, ...]:
    """List a server's tasks, newest first; invalid entries are left out."""
    connection = server.running
    if connection is None:
        return ()
    try:
        async with asyncio.timeout(seconds):
            listed = await read_pages(connection, "tasks/list", "tasks", "list of tasks")
    except Exception as fault:
        raise _as_user_error(server, "tasks/list", seconds, fault) from fault
    found = [task for entry in listed.entries if (task := _listed_task(server, entry)) is not None]
    return tuple(sorted(found, key=lambda task: -task.since)[:_SHOWN])


async def cancel_task(server: McpServer, task: str, seconds: float) -> None:
    await _ask(server, "tasks/cancel", task, seconds)


async def task_result(server: McpServer, task: str, seconds: float) -> str:
    """Return the raw answer of the call that started the task, as JSON text."""
    return json.dumps(await _ask(server, "tasks/result", task, seconds), ensure_ascii=False)


async def _ask(server: McpServer, method: str, task: str, seconds: float) -> JsonObject:
    if (connection := server.running) is None:
        raise WorkbenchError(
            f"{server.name} is not running.",
            "Connect it and list its tasks again; they may have ended with the server.",
        )
    try:
        async with asyncio.timeout(seconds):
            return await connection.request(method, {"taskId": task})
    except Exception as fault:
        raise _as_user_error(server, method, seconds, fault) from fault


def _as_user_error(server: McpServer, method: str, seconds: float, fault: Exception) -> Exception:
    """Convert a fault to an error for the user; unexpected exceptions are returned unchanged."""
    from mcp.shared.exceptions import MCPError

    if isinstance(fault, TimeoutError):
        words = f"{method} was not answered within {seconds:g} seconds."
        return WorkbenchError(words, "To wait longer, raise the setting server.call_seconds.")
    if isinstance(fault, MCPError):
        words = f"{server.name} answered {method} with error {fault.code}: {fault.message:.500}"
        gone = "The task may no longer exist: servers keep tasks for a limited time."
        return WorkbenchError(words, "" if method == "tasks/list" else gone)
    if isinstance(fault, ServerFault):
        return WorkbenchError(fault.fault.message, fault.fault.hint)
    return fault


def _listed_task(server: McpServer, raw: object) -> ServerTask | None:
    if not isinstance(raw, Mapping):
        return None
    name, status = raw.get("taskId"), raw.get("status")
    if not isinstance(name, str) or not 0 < len(name) <= _NAME or status not in _STATUSES:
        return None
    message = raw.get("statusMessage")
    return ServerTask(
        server.name,
        name,
        str(status),
        message[:_WORDS] if isinstance(message, str) else "",
        server.begun_tasks.get(name, ""),
        _moment(raw.get("createdAt")),
        _moment(raw.get("lastUpdatedAt")),
    )


def _moment(text: object) -> float:
    """Return seconds since the epoch; 0 for an invalid time."""
    try:
        return datetime.fromisoformat(text[:64]).timestamp() if isinstance(text, str) else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0
