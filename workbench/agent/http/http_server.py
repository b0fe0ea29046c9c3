"""The HTTP server of the endpoint for agents: one port on the local machine, from opening to closing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from workbench.agent.agent_connection import AgentConnection
from workbench.agent.http.http_agents import HttpAgents
from workbench.agent.http.request_gate import PATH, RequestGate, RequestRefusal, refuse
from workbench.events import spawn
from workbench.loopback_http import HOST, SignalFreeServer, open_listener

CONNECTIONS: Final = 256  # connections of all agents together
STRANGERS: Final = 32  # unauthenticated connections; one more closes the oldest of them
STRANGER_SECONDS: Final = 5.0  # within which a connection must send the access token
KEEP_SECONDS: Final = 20
CLOSE_SECONDS: Final = 5

log = logging.getLogger(__name__)


class _Connections:
    """Tracks the connections of one endpoint. Any program on this machine can open connections without an access
    token: such connections have a small number of separate places for a short time, and take none from agents."""

    def __init__(self) -> None:
        # unauthenticated connections by address, the oldest first
        self._strangers: dict[tuple[str, int] | None, _Bounded] = {}
        self._known: set[_Bounded] = set()

    def add(self, connection: _Bounded) -> None:
        self._strangers[connection.client] = connection
        while len(self._strangers) > STRANGERS:
            self._strangers.pop(next(iter(self._strangers))).transport.abort()

    def discard(self, connection: _Bounded) -> None:
        self._known.discard(connection)
        if self._strangers.get(connection.client) is connection:
            del self._strangers[connection.client]

    def admit(self, client: tuple[str, int] | None) -> bool:
        """Move a connection that sent the access token to the authenticated ones; False if there is no place for it."""
        connection = self._strangers.get(client)
        if connection is not None and len(self._known) < CONNECTIONS:
            del self._strangers[client]
            self._known.add(connection)
            return True
        return connection is None

    def is_unauthenticated(self, connection: _Bounded) -> bool:
        return self._strangers.get(connection.client) is connection


class _Bounded(H11Protocol):
    """One HTTP connection of the endpoint, counted by `_Connections`."""

    open_connections: _Connections  # set in a subclass for each endpoint

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]  # a socket's, always
        self._silence = asyncio.get_running_loop().call_later(STRANGER_SECONDS, self._close_silent)
        self.open_connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._silence.cancel()
        self.open_connections.discard(self)
        super().connection_lost(exc)

    def _close_silent(self) -> None:
        if self.open_connections.is_unauthenticated(self):
            self.transport.abort()


class AgentHttpServer:
    """The HTTP server of one endpoint, open from its creation; a closed one is not opened again."""

    def __init__(self, make_connection: Callable[[], AgentConnection], token: str, port: int) -> None:
        """`port`: 0 selects a free port."""
        self._listener = open_listener(port, "The HTTP endpoint")
        self.port = int(self._listener.getsockname()[1])
        self._gate = RequestGate(self.port, token)
        self._agents = HttpAgents(make_connection)
        self._connections = _Connections()
        self._server = SignalFreeServer(
            uvicorn.Config(
                self._answer, interface="asgi3", proxy_headers=False, ws="none", lifespan="off",
                http=type("_Connection", (_Bounded,), {"open_connections": self._connections}),
                log_config=None, access_log=False, server_header=False,
                timeout_keep_alive=KEEP_SECONDS, timeout_graceful_shutdown=CLOSE_SECONDS,
            )
        )  # fmt: skip
        self._serving = spawn("HTTP endpoint", self._server.serve(sockets=[self._listener]))

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}{PATH}"

    async def close(self) -> None:
        """Disconnect every agent of the endpoint, stop their runs, and close the port."""
        await self._agents.close()
        self._server.should_exit = True
        await asyncio.wait([self._serving])
        self._listener.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if (refusal := self._gate.refusal(scope)) is not None:
            log.info("a request to the HTTP endpoint was refused: %s %s", refusal.status, refusal.message)
            await refuse(send, refusal)
            return
        if not self._connections.admit(scope.get("client")):
            await refuse(
                send, RequestRefusal(503, f"{CONNECTIONS} connections of agents are already open. Try again later.")
            )
            return
        await self._agents.answer(scope, receive, send)
