"""Answers what a person asks of a server's messages, and sends what they wrote by hand."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping

from workbench.catalog import raw, sending, vitals
from workbench.catalog.traffic import find
from workbench.catalog.transcript import transcript
from workbench.desk.seat import Seat
from workbench.records import (
    ChangeKind,
    DefinitionChange,
    Hints,
    Moment,
    Origin,
    RawAnswer,
    ToolCall,
    ToolSummary,
    ToolWarning,
    Vitals,
)


class WatchDesk(Seat):
    """Messages as they crossed the pipe, and the server's condition."""

    async def frame(self, server: str, at: float) -> str:
        return self._catalog.server(server).traffic.whole(at)

    async def transcript(self, server: str) -> str:
        return await asyncio.to_thread(transcript, self._catalog.server(server).traffic.snapshot())

    async def search_frames(self, server: str, words: str, after: float) -> tuple[float, ...]:
        return await asyncio.to_thread(find, self._catalog.server(server).traffic.snapshot(after), words)

    async def send_raw(self, server: str, text: str, confirmed: bool) -> RawAnswer:
        message = raw.read(text)
        if message.tool:
            return await self._send_call(server, message, confirmed)
        self._note("server.raw", f"You sent {message.method:.200} to {server} by hand", server=server)
        seconds = self._rooms.settings().server_call_seconds
        return await sending.send(self._catalog.server(server), message, seconds)

    async def _send_call(self, server: str, message: raw.Raw, confirmed: bool) -> RawAnswer:
        """No way round the gate: it becomes a call like any other."""
        at, session = time.time(), self._rooms.sessions.person.id
        name = uuid.uuid4().hex[:12]
        call = ToolCall(name, server, message.tool, message.arguments, Origin.PERSON, session, confirmed=confirmed)
        outcome = await self._house.broker.call(call)
        return RawAnswer(raw.CALL, outcome.ok, at, outcome.fault, outcome.needs_confirmation, outcome.ms)

    async def vitals(self, server: str) -> Vitals:
        return (await vitals.vitals([self._catalog.server(server)]))[0]

    async def all_vitals(self) -> tuple[Vitals, ...]:
        return await vitals.vitals([self._catalog.server(state.config.name) for state in self._catalog.states()])

    async def warnings(self, server: str) -> tuple[ToolWarning, ...]:
        return self._catalog.oddities.of(self._catalog.server(server).name)

    async def changes(self, server: str) -> tuple[DefinitionChange, ...]:
        return self._catalog.server(server).pins.changes()

    async def removed_tools(self) -> tuple[ToolSummary, ...]:
        servers = [self._catalog.server(state.config.name) for state in self._catalog.states()]
        gone = [one for server in servers for one in server.pins.changes() if one.kind is ChangeKind.REMOVED]
        return tuple(
            ToolSummary(one.server, one.tool, one.tool, "", Hints(), "", 0, mark=ChangeKind.REMOVED) for one in gone
        )

    async def moments(self, server: str) -> tuple[Moment, ...]:
        return await self._catalog.server(server).moments.list()

    async def compare(self, server: str, before: float, after: float) -> tuple[DefinitionChange, ...]:
        return await self._catalog.server(server).moments.compare(before, after)

    async def approve_definitions(self, server: str, wanted: Mapping[str, str]) -> tuple[DefinitionChange, ...]:
        found = self._catalog.server(server)
        await found.own.approve(wanted)
        for tool, sha in wanted.items():
            summary = f"You approved the changed definition of {server}.{tool:.100}, {sha[:12]}"
            self._note("definition.approved", summary, server=server)
        return found.pins.changes()

    async def see_changes(self, server: str) -> None:
        await self._catalog.server(server).own.look()
