"""The tasks a running server keeps: listed, cancelled, and their results fetched, when a person asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import datetime

from workbench.errors import WorkbenchError
from workbench.records import JsonObject, ServerTask
from workbench.servers.paged_lists import read_pages
from workbench.servers.server import Server
from workbench.servers.server_faults import ServerFault

_STATUSES = frozenset({"working", "input_required", "completed", "failed", "cancelled"})
_SHOWN = 500  # tasks told at once, the newest of them
_NAME, _WORDS = 512, 1_000  # characters of a task's name, and kept of its message


async def list_tasks(server: Server, seconds: float) -> tuple[ServerTask, ...]:
    """Newest first; entries that are no tasks are left out."""
    connection = server.running
    if connection is None:
        return ()
    try:
        async with asyncio.timeout(seconds):
            listed = await read_pages(connection, "tasks/list", "tasks", "list of tasks")
    except Exception as fault:
        raise _told(server, "tasks/list", seconds, fault) from fault
    found = [task for entry in listed.entries if (task := _task(server, entry)) is not None]
    return tuple(sorted(found, key=lambda task: -task.since)[:_SHOWN])


async def cancel_task(server: Server, task: str, seconds: float) -> None:
    await _ask(server, "tasks/cancel", task, seconds)


async def task_result(server: Server, task: str, seconds: float) -> str:
    """The raw answer of the call it began with, as JSON text."""
    return json.dumps(await _ask(server, "tasks/result", task, seconds), ensure_ascii=False)


async def _ask(server: Server, method: str, task: str, seconds: float) -> JsonObject:
    if (connection := server.running) is None:
        raise WorkbenchError(f"{server.name} does not run.", "Its tasks may have ended with it. Connect it and look.")
    try:
        async with asyncio.timeout(seconds):
            return await connection.request(method, {"taskId": task})
    except Exception as fault:
        raise _told(server, method, seconds, fault) from fault


def _told(server: Server, method: str, seconds: float, fault: Exception) -> Exception:
    """As a sentence; what nobody foresaw stays as it is."""
    from mcp.shared.exceptions import MCPError

    if isinstance(fault, TimeoutError):
        words = f"{method} was not answered within {seconds:g} seconds."
        return WorkbenchError(words, "See setting server.call_seconds.")
    if isinstance(fault, MCPError):
        words = f"{server.name} answered {method} with error {fault.code}: {fault.message:.500}"
        return WorkbenchError(words, "The task may be gone: servers keep them for a while only.")
    if isinstance(fault, ServerFault):
        return WorkbenchError(fault.fault.message, fault.fault.hint)
    return fault


def _task(server: Server, raw: object) -> ServerTask | None:
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
    """0 for what is no time."""
    try:
        return datetime.fromisoformat(text[:64]).timestamp() if isinstance(text, str) else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0
