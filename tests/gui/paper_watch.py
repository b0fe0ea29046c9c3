"""Fake core: protocol messages, vitals, tasks, and changes of definitions."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import ToolsChanged
from workbench.records import (
    ChangeKind,
    DefinitionChange,
    Fault,
    Frame,
    Hints,
    Moment,
    RawAnswer,
    ServerTask,
    ToolSummary,
    ToolWarning,
    Vitals,
)
from workbench.servers import raw_messages
from workbench.servers.monitoring.message_log import MessageLog, find, transcript


class PaperWatch:
    """Tests change the messages of a server, its changes and its warnings."""

    bus: Any

    def traffic(self, server: str) -> MessageLog:
        """The message log of a server."""
        return self.__dict__.setdefault("_traffic", {}).setdefault(server, MessageLog(server))

    def pair(self, server: str, number: int, method: str, answer: Mapping[str, Any], **params: Any) -> None:
        """Add a request and its answer."""
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.traffic(server).sent(json.dumps(request).encode())
        self.traffic(server).received(json.dumps({"jsonrpc": "2.0", "id": number, **answer}).encode())

    @property
    def changed(self) -> dict[str, list[DefinitionChange]]:
        return self.__dict__.setdefault("_changed", {})

    @property
    def odd(self) -> dict[str, list[ToolWarning]]:
        return self.__dict__.setdefault("_odd", {})

    @property
    def conditions(self) -> dict[str, Vitals]:
        return self.__dict__.setdefault("_conditions", {})

    async def frames(self, server: str, after: float = 0.0) -> tuple[Frame, ...]:
        return self.traffic(server).frames(after)

    async def frame(self, server: str, at: float) -> str:
        return self.traffic(server).message_text(at)

    async def transcript(self, server: str) -> str:
        return transcript(self.traffic(server).snapshot())

    async def search_frames(self, server: str, words: str, after: float) -> tuple[float, ...]:
        return find(self.traffic(server).snapshot(after), words)

    async def send_raw(self, server: str, text: str, confirmed: bool) -> RawAnswer:
        self.note("send_raw", server, text, confirmed)  # type: ignore[attr-defined]  # the project has it
        message, at = raw_messages.read(text), time.time()
        if message.tool.startswith("delete") and not confirmed:
            fault = Fault(f"{server}.{message.tool} can change or delete data for good.", "Press Call once more.")
            return RawAnswer(message.method, False, at, fault, needs_confirmation=True)
        if message.method == "no/such":
            self.pair(server, 9_000, message.method, {"error": {"code": -32601, "message": "Method not found"}})
            return RawAnswer(message.method, False, at, Fault("The server answered with error -32601."))
        self.pair(server, 9_000 + self.traffic(server).message_count, message.method, {"result": {"sent": "again"}})
        return RawAnswer(message.method, True, at, ms=2.0)

    async def vitals(self, server: str) -> Vitals:
        return self.conditions.get(server, Vitals(server))

    async def all_vitals(self) -> tuple[Vitals, ...]:
        return tuple([await self.vitals(name) for name in self.server_states])  # type: ignore[attr-defined]  # the project has it

    async def definition_changes(self, server: str) -> tuple[DefinitionChange, ...]:
        return tuple(self.changed.get(server, ()))

    async def removed_tools(self) -> tuple[ToolSummary, ...]:
        gone = [one for found in self.changed.values() for one in found if one.kind is ChangeKind.REMOVED]
        return tuple(ToolSummary(one.server, one.tool, one.tool, "", Hints(), "", 0, mark=one.kind) for one in gone)

    async def definition_history(self, server: str) -> tuple[Moment, ...]:
        return (Moment(1_700_500_000.0, "1.1", 4), Moment(1_700_000_000.0, "1.0", 3))

    async def compare_definitions(self, server: str, before: float, after: float) -> tuple[DefinitionChange, ...]:
        self.note("compare_definitions", server, before)  # type: ignore[attr-defined]  # the project has it
        return (
            DefinitionChange(server, "instructions", ChangeKind.NEW, "", after, after='{"description": "Be quick."}'),
        )

    async def approve_definitions(self, server: str, wanted: Mapping[str, str]) -> tuple[DefinitionChange, ...]:
        self.note("approve_definitions", server, dict(wanted))  # type: ignore[attr-defined]  # the project has it
        left = [one for one in self.changed.get(server, ()) if one.tool not in wanted]
        if len(left) == len(self.changed.get(server, ())):
            raise WorkbenchError("That tool is not waiting for approval.")
        self.changed[server] = left
        self.bus.tell(ToolsChanged(server))
        return tuple(left)

    async def mark_changes_seen(self, server: str) -> None:
        self.changed[server] = [one for one in self.changed.get(server, ()) if one.blocked]
        self.bus.tell(ToolsChanged(server))

    @property
    def tasks(self) -> dict[str, ServerTask]:
        return self.__dict__.setdefault("_tasks", {})

    async def server_tasks(self, server: str) -> tuple[ServerTask, ...]:
        return tuple(self.tasks.values())

    async def cancel_task(self, server: str, task: str) -> None:
        self.note("cancel_task", server, task)  # type: ignore[attr-defined]  # the project has it
        self.tasks[task] = replace(self.tasks[task], status="cancelled")

    async def task_result(self, server: str, task: str) -> str:
        return json.dumps({"content": [{"type": "text", "text": f"what came of {task}"}]})

    async def warnings(self, server: str) -> tuple[ToolWarning, ...]:
        return tuple(self.odd.get(server, ()))
