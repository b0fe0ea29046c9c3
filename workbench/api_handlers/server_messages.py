"""API methods about a server's messages, its resource use, and changes of its tool definitions."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.broker import Broker
from workbench.broker.services import Services
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
from workbench.servers import raw_messages
from workbench.servers.monitoring import server_statistics as vitals
from workbench.servers.monitoring.message_log import find, transcript


class ServerMessageHandler(RequestHandler):
    """Messages, resource use and definition changes of servers."""

    def __init__(self, services: Services, broker: Broker) -> None:
        super().__init__(services)
        self._broker = broker

    @api
    async def frame(self, server: str, at: float) -> str:
        """The complete text of one message."""
        return self._catalog.server(server).traffic.message_text(at)

    @api
    async def transcript(self, server: str) -> str:
        """All stored messages in full, one JSON object per line."""
        return await asyncio.to_thread(transcript, self._catalog.server(server).traffic.snapshot())

    @api
    async def search_frames(self, server: str, words: str, after: float) -> tuple[float, ...]:
        """The times of the messages that contain all these words anywhere."""
        return await asyncio.to_thread(find, self._catalog.server(server).traffic.snapshot(after), words)

    @api(decides=True)
    async def send_raw(self, server: str, text: str, confirmed: bool) -> RawAnswer:
        """Send a message written by hand. A tool call is processed as any tool call: policy, privacy, audit."""
        message = raw_messages.read(text)
        if message.tool:
            return await self._send_call(server, message, confirmed)
        self._note("server.message_sent", f"You sent the message {message.method:.200} to {server}", server=server)
        seconds = self._services.settings().server_call_seconds
        return await raw_messages.send(self._catalog.server(server), message, seconds)

    async def _send_call(self, server: str, message: raw_messages.RawMessage, confirmed: bool) -> RawAnswer:
        """Send a tool call through the broker, so that a raw message cannot avoid approval."""
        at, session = time.time(), self._services.sessions.person.id
        name = uuid.uuid4().hex[:12]
        call = ToolCall(name, server, message.tool, message.arguments, Origin.PERSON, session, confirmed=confirmed)
        outcome = await self._broker.call(call)
        return RawAnswer(raw_messages.CALL, outcome.ok, at, outcome.fault, outcome.needs_confirmation, outcome.ms)

    @api
    async def vitals(self, server: str) -> Vitals:
        return (await vitals.vitals([self._catalog.server(server)]))[0]

    @api
    async def all_vitals(self) -> tuple[Vitals, ...]:
        """The resource use of every server of the project, measured at once."""
        return await vitals.vitals([self._catalog.server(state.config.name) for state in self._catalog.states()])

    @api
    async def warnings(self, server: str) -> tuple[ToolWarning, ...]:
        """Warnings about a server's tool definitions, also compared with those of other servers."""
        return self._catalog.definition_warnings.of(self._catalog.server(server).name)

    @api
    async def definition_changes(self, server: str) -> tuple[DefinitionChange, ...]:
        """Differences from the definitions that the user approved or last saw: blocked tools first, then new ones,
        then removed ones."""
        return self._catalog.server(server).pins.changes()

    @api
    async def removed_tools(self) -> tuple[ToolSummary, ...]:
        """The tools of every server that were removed since the user last looked at its changes."""
        servers = [self._catalog.server(state.config.name) for state in self._catalog.states()]
        gone = [one for server in servers for one in server.pins.changes() if one.kind is ChangeKind.REMOVED]
        return tuple(
            ToolSummary(one.server, one.tool, one.tool, "", Hints(), "", 0, mark=ChangeKind.REMOVED) for one in gone
        )

    @api
    async def definition_history(self, server: str) -> tuple[Moment, ...]:
        """The times at which the server's definitions changed, newest first."""
        return await self._catalog.server(server).definition_history.list()

    @api
    async def compare_definitions(self, server: str, before: float, after: float) -> tuple[DefinitionChange, ...]:
        """The differences between two points in time: tools, instructions, version, protocol."""
        return await self._catalog.server(server).definition_history.compare(before, after)

    @api(decides=True, consent=True)
    async def approve_definitions(self, server: str, wanted: Mapping[str, str]) -> tuple[DefinitionChange, ...]:
        """Approve changed definitions, by tool and hash; returns the remaining changes."""
        found = self._catalog.server(server)
        await found.own.approve(wanted)
        for tool, sha in wanted.items():
            summary = f"You approved the changed definition of {server}.{tool:.100}, {sha[:12]}"
            self._note("definition.approved", summary, server=server)
        return found.pins.changes()

    @api(decides=True)
    async def mark_changes_seen(self, server: str) -> None:
        """Mark new and removed tools as seen; blocked tools stay blocked."""
        await self._catalog.server(server).own.look()
