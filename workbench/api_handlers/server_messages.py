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
        """The whole text of one message."""
        return self._catalog.server(server).traffic.message_text(at)

    @api
    async def transcript(self, server: str) -> str:
        """Every kept message, whole, one a line of JSON."""
        return await asyncio.to_thread(transcript, self._catalog.server(server).traffic.snapshot())

    @api
    async def search_frames(self, server: str, words: str, after: float) -> tuple[float, ...]:
        """When the messages with all these words passed, wherever in the message they stand."""
        return await asyncio.to_thread(find, self._catalog.server(server).traffic.snapshot(after), words)

    @api(decides=True)
    async def send_raw(self, server: str, text: str, confirmed: bool) -> RawAnswer:
        """Send a message written by hand. A tool call goes the way of every tool call: policy, privacy, audit."""
        message = raw_messages.read(text)
        if message.tool:
            return await self._send_call(server, message, confirmed)
        self._note("server.message_sent", f"You sent {message.method:.200} to {server} by hand", server=server)
        seconds = self._services.settings().server_call_seconds
        return await raw_messages.send(self._catalog.server(server), message, seconds)

    async def _send_call(self, server: str, message: raw_messages.RawMessage, confirmed: bool) -> RawAnswer:
        """No way round the gate: it becomes a call like any other."""
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
        """Of every server of the project, for the price of one look."""
        return await vitals.vitals([self._catalog.server(state.config.name) for state in self._catalog.states()])

    @api
    async def warnings(self, server: str) -> tuple[ToolWarning, ...]:
        """What is odd about its definitions, by themselves and beside those of other servers."""
        return self._catalog.definition_warnings.of(self._catalog.server(server).name)

    @api
    async def changes(self, server: str) -> tuple[DefinitionChange, ...]:
        """What is not as the user approved it or last saw it: blocked tools first, then new ones, then those gone."""
        return self._catalog.server(server).pins.changes()

    @api
    async def removed_tools(self) -> tuple[ToolSummary, ...]:
        """Of every server, what it took back since the user last looked at its changes."""
        servers = [self._catalog.server(state.config.name) for state in self._catalog.states()]
        gone = [one for server in servers for one in server.pins.changes() if one.kind is ChangeKind.REMOVED]
        return tuple(
            ToolSummary(one.server, one.tool, one.tool, "", Hints(), "", 0, mark=ChangeKind.REMOVED) for one in gone
        )

    @api
    async def moments(self, server: str) -> tuple[Moment, ...]:
        """When the server changed, newest first."""
        return await self._catalog.server(server).definition_history.list()

    @api
    async def compare(self, server: str, before: float, after: float) -> tuple[DefinitionChange, ...]:
        """What is different between two moments: tools, instructions, version, protocol."""
        return await self._catalog.server(server).definition_history.compare(before, after)

    @api(decides=True, consent=True)
    async def approve_definitions(self, server: str, wanted: Mapping[str, str]) -> tuple[DefinitionChange, ...]:
        """Stand behind changed definitions, by tool and hash; answers with what is left."""
        found = self._catalog.server(server)
        await found.own.approve(wanted)
        for tool, sha in wanted.items():
            summary = f"You approved the changed definition of {server}.{tool:.100}, {sha[:12]}"
            self._note("definition.approved", summary, server=server)
        return found.pins.changes()

    @api(decides=True)
    async def see_changes(self, server: str) -> None:
        """New and removed tools were looked at; what is blocked stays blocked."""
        await self._catalog.server(server).own.look()
