"""API methods about connections to servers, and calls of their tools."""

from __future__ import annotations

import asyncio
import uuid

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.api.peer_credentials import check_is_user
from workbench.api_handlers.request_handler import HandlerContext, RequestHandler
from workbench.errors import WorkbenchError
from workbench.identifiers import python_names
from workbench.records import (
    Consent,
    Depth,
    Fault,
    JsonValue,
    Origin,
    Outcome,
    SearchAnswer,
    ServerConfig,
    ServerState,
    Tool,
    ToolCall,
)
from workbench.servers.configuration import launch_consents
from workbench.servers.configuration.launch_command import fingerprint
from workbench.wrappers.python_source import call_source, wrapper_source


class ServerHandler(RequestHandler):
    """Servers, tools and calls."""

    def __init__(self, context: HandlerContext) -> None:
        super().__init__(context)
        self._calls: dict[str, asyncio.Task[Outcome]] = {}
        self._taken_back: set[str] = set()  # calls that a person ended

    @api
    async def consent(self, server: str) -> Consent:
        """What a person is shown before they connect a server that they have not allowed yet."""
        return launch_consents.consent(self._catalog.server(server).state.config)

    @api(decides=True)
    async def connect(self, server: str, sha: str = "") -> ServerState:
        """Start a server; asking is a person's consent to run exactly this command. With `sha`, it is refused when the
        entry is not the one any more that the consent of this hash was about."""
        terminal, state = "", self._catalog.server(server).state
        if not (state.allowed or state.config.builtin):
            check_is_user()
            terminal = self._check_terminal(of_agent=False)
        if sha and sha != fingerprint(state.config):
            raise WorkbenchError(
                f"The entry of {server} changed after it was shown.",
                "Nothing was started. Press Connect and read it.",
            )
        self._note("server.allowed", f"You allowed {server} to start", server=server, terminal=terminal)
        return await self._catalog.connect(server)

    @api(decides=True)
    async def disconnect(self, server: str) -> ServerState:
        self._note("server.stopped", f"You disconnected {server}", server=server)
        return await self._catalog.disconnect(server)

    @api(decides=True)
    async def add_server(self, config: ServerConfig) -> ServerState:
        """Write a server into the project's `.mcp.json`, replacing one of the same name."""
        state = await self._catalog.add(config)
        self._note("server.added", f"You added {config.name}", server=config.name)
        return state

    @api(decides=True)
    async def remove_server(self, server: str) -> None:
        config = self._catalog.server(server).state.config
        await self._catalog.remove(server)
        await self._services.sign_ins.remove(config)
        self._note("server.removed", f"You removed {server}", server=server)

    @api
    async def wrapper(self, server: str, name: str) -> str:
        """The Python source an agent imports for this tool."""
        tool = self._catalog.tool(server, name)
        return wrapper_source(tool, self._function(tool))

    @api
    async def search(self, query: str, depth: str, limit: int) -> SearchAnswer:
        return self._catalog.search(query, Depth(depth), limit)

    @api
    async def call(self, call: ToolCall) -> Outcome:
        """A person's call, whatever the door claims: the origin and session are set here."""
        session = self._services.sessions.person
        call = replace(call, id=call.id or uuid.uuid4().hex[:12], origin=Origin.PERSON, session=session.id, run_id="")
        task = asyncio.current_task()
        assert task is not None
        self._calls[call.id] = task
        try:
            return await self._context.broker.call(call, progress=self._context.broker.progress(call.id))
        except asyncio.CancelledError:
            if call.id not in self._taken_back:
                raise  # the door itself has gone
            task.uncancel()  # the question that is being answered here goes on: its answer is that it was cancelled
            fault = Fault("The call was cancelled.", "What the server had done until then stays done.")
            return Outcome(call.id, ok=False, fault=fault)
        finally:
            self._calls.pop(call.id, None)
            self._taken_back.discard(call.id)

    @api(decides=True)
    async def cancel_call(self, call_id: str) -> None:
        if (task := self._calls.get(call_id)) and not task.cancelling():
            self._taken_back.add(call_id)
            task.cancel()

    @api
    async def call_as_code(self, server: str, tool: str, arguments: JsonValue) -> str:
        """A program that makes the same call."""
        found = self._catalog.tool(server, tool)
        return call_source(found, self._function(found), dict(arguments))

    def _function(self, tool: Tool) -> str:
        names = [other.name for other in self._catalog.tools() if other.server == tool.server]
        return python_names(names)[tool.name]
