"""The agents connected to a core, and how connections are made: over the socket or over HTTP.

This module imports nothing of the MCP SDK, so a core without agents does not load it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.agent.http.access_token import token
from workbench.api.marker import api
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import (
    AgentsChanged,
    DefinitionsBlocked,
    Event,
    PermissionsChanged,
    ServerRemoved,
    ToolsChanged,
)
from workbench.gc_pause import pause_gc
from workbench.records import AgentInfo, Fault, HttpEndpoint, Note
from workbench.runs.run_manager import RunManager
from workbench.servers.sdk_adapter.lazy_sdk_import import load_sdk

if TYPE_CHECKING:
    from workbench.agent.agent_connection import AgentConnection
    from workbench.agent.http.http_server import AgentHttpServer

BY = "you"


class ConnectedAgents:
    """The connected agents of one core."""

    hears = (ToolsChanged, ServerRemoved, DefinitionsBlocked, PermissionsChanged)

    def __init__(
        self,
        services: Services,
        run_manager: RunManager,
        arrange: Callable[[AgentConnection], None] = lambda agent: None,
    ) -> None:
        """`arrange` is called with each connection before its agent is served; conformance tests add tools with it."""
        self._services = services
        self._run_manager = run_manager
        self._arrange = arrange
        self._connections: dict[str, AgentConnection] = {}  # connections of the connected agents, by session
        self._http: AgentHttpServer | None = None
        self._token = ""
        self._opening = asyncio.Lock()

    def hear(self, event: Event) -> None:
        """Handle an event: each connection compares the list of tools that its agent has with the current one."""
        self.check_tool_lists()

    def check_tool_lists(self) -> None:
        """Have each connection compare its list of tools, because a setting, a server or a definition changed."""
        for agent in tuple(self._connections.values()):
            agent.check_for_changes()

    def agents(self) -> tuple[AgentInfo, ...]:
        """The agents that are connected now."""
        return tuple(agent.info for agent in self._connections.values())

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one agent over one connection until it disconnects."""
        await asyncio.to_thread(load_agent_connection)
        await self._make_connection().serve(reader, writer)

    # over HTTP

    @api(name="http_endpoint")
    def view(self) -> HttpEndpoint:
        """Whether the HTTP endpoint for agents is open, with its access token."""
        return HttpEndpoint(self._http.url, self._token) if self._http is not None else HttpEndpoint()

    async def open_as_set(self) -> Fault | None:
        """Open the HTTP endpoint at the start if the settings say so; returns the fault if that fails, and the core
        continues."""
        settings = self._services.settings()
        if not settings.agent_http:
            return None
        try:
            await self.open_http(settings.agent_http_port)
        except WorkbenchError as fault:
            return Fault(fault.message, fault.hint)
        return None

    @api(name="open_http_endpoint", decides=True)
    async def open_http(self, port: int, fresh_token: bool = False) -> HttpEndpoint:
        """Open the HTTP endpoint for agents on this port of the local machine; 0 selects a free port. A fresh access
        token invalidates the old one. An open endpoint is kept unless the port or the token changes."""
        async with self._opening:
            if self._http is not None:
                if not fresh_token and port in (0, self._http.port):
                    return self.view()
                await self._close_http()
            await asyncio.to_thread(_load_http)
            from workbench.agent.http.http_server import AgentHttpServer

            self._token = await asyncio.to_thread(token, self._services.paths.agent_token, fresh=fresh_token)
            self._services.secrets.masks.add_secret(self._token)
            self._http = AgentHttpServer(self._make_connection, self._token, port)
            self._note(
                "http_endpoint.opened",
                f"The HTTP endpoint for agents is open on port {self._http.port} of this machine",
            )
            return self.view()

    @api(name="close_http_endpoint", decides=True)
    async def close_http(self) -> None:
        """Close the HTTP endpoint. Its agents are disconnected, and their runs are stopped."""
        async with self._opening:
            await self._close_http()

    async def _close_http(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            await http.close()
            self._note("http_endpoint.closed", "The HTTP endpoint for agents is closed")

    def _make_connection(self) -> AgentConnection:
        from workbench.agent.agent_connection import AgentConnection

        def changed(here: bool) -> None:
            if here:
                self._connections[agent.session.id] = agent
            else:
                self._connections.pop(agent.session.id, None)
            self._services.tell(AgentsChanged(self.agents()))

        agent = AgentConnection(self._services, self._run_manager, changed)
        self._arrange(agent)
        return agent

    def _note(self, kind: str, summary: str) -> None:
        self._services.journal.append(Note(kind, summary, actor=BY))


def load_agent_connection() -> None:
    """Import the agent connection with the MCP SDK. Runs on a thread, when an agent connects or is about to."""
    with pause_gc():
        load_sdk()
        import workbench.agent.agent_connection  # noqa: F401


def _load_http() -> None:
    load_sdk()
    import workbench.agent.http.http_server  # noqa: F401
