"""Agents connected over HTTP. Each has its own connection, which stays open between its requests.

Up to protocol version 2025-11-25 a session id identifies the agent of a request; since 2026-07-28 each request names
its client.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import JSONRPCMessage
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Message, Receive, Scope, Send

from workbench.agent.agent_connection import AgentConnection
from workbench.agent.http.request_gate import RequestRefusal, refuse
from workbench.agent.http.response_filter import ResponseFilter
from workbench.agent.message_stream import parse_json, request_id_error, surrogate_error
from workbench.events import spawn

MOST: Final = 50  # agents connected at the same time
LARGEST: Final = 4 << 20  # bytes of a request
DRAINED: Final = 16 << 20  # bytes of an oversized request that are read before its connection is closed
BODY_SECONDS: Final = 30.0  # within which the body of a request must arrive
IDLE_SECONDS: Final = 1_800.0  # without any request, after which an agent counts as disconnected
GONE_SECONDS: Final = 60.0  # without any open request, after which an agent's programs are stopped
LOOK_SECONDS: Final = 5.0
KEPT_EVENTS: Final = 200  # events of one agent, for a client that resumes a stream
KEPT_CHARACTERS: Final = 8_000_000  # approximate characters of these events
AT_ONCE: Final = 32  # requests of one agent that are answered concurrently; others wait
RETRY_MS: Final = 1_000  # after which a client reopens a stream that ended

_VERSION_HEADER: Final = b"mcp-protocol-version"
_CLIENT: Final = "io.modelcontextprotocol/clientInfo"
_VERSION: Final = "io.modelcontextprotocol/protocolVersion"


class HttpAgent:
    """One agent, from its first request until it ends its session or is idle for `IDLE_SECONDS`."""

    def __init__(self, connection: AgentConnection) -> None:
        self.connection = connection
        self.open_requests = 0  # number of open requests
        self.last = time.monotonic()
        self._version = ""  # protocol version negotiated at the start of the session
        self._stop = asyncio.Event()
        self._ready = asyncio.Event()
        self._request_slots = asyncio.Semaphore(AT_ONCE)
        self._manager = StreamableHTTPSessionManager(
            connection.server,
            event_store=AgentEventStore(),
            retry_interval=RETRY_MS,
            # the request gate has checked the host
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            session_idle_timeout=None,
            max_request_body_size=LARGEST,
            max_sessions=1,
        )
        self._task = spawn(f"http agent {connection.session.id}", self._serve())

    async def answer(self, scope: Scope, receive: Receive, send: Send, on_session: Callable[[str], None]) -> int:
        """Have the SDK answer a request; returns the status. The agent counts as connected while a request is open."""
        await self._ready.wait()
        response_filter = ResponseFilter(send, self.connection.egress_filter, on_session)
        scope = self._with_session_version(scope)
        self.open_requests += 1
        try:
            if scope["method"] != "POST":
                await self._run_until_closed(scope, receive, response_filter)
            else:
                async with self._request_slots:
                    await self._run_until_closed(scope, receive, response_filter)
        finally:
            self.open_requests -= 1
            self.last = time.monotonic()
        self._version = self._version or response_filter.version
        return response_filter.status

    async def _run_until_closed(self, scope: Scope, receive: Receive, response_filter: ResponseFilter) -> None:
        """Run the SDK's answer until it ends or the agent's session ends, because an endless stream would outlive
        the session."""
        work = spawn("http answer", self._manager.handle_request(scope, receive, response_filter))
        gone = spawn("http agent gone", self._stop.wait())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not work.done():
                work.cancel()
                await asyncio.wait([work])
        if work.cancelled():
            await response_filter.end()
        else:
            work.result()

    def _with_session_version(self, scope: Scope) -> Scope:
        """Set the protocol version of the session in a request that names a different older one."""
        named = _header(scope, _VERSION_HEADER)
        if not self._version or named == self._version or named not in HANDSHAKE_PROTOCOL_VERSIONS:
            return scope
        others = [pair for pair in scope["headers"] if pair[0].lower() != _VERSION_HEADER]
        return {**scope, "headers": [*others, (_VERSION_HEADER, self._version.encode("latin-1"))]}

    async def close(self) -> None:
        self._stop.set()
        await asyncio.wait([self._task])

    async def _serve(self) -> None:
        async with self.connection.open(), self._manager.run():
            self._ready.set()
            await self._stop.wait()


class HttpAgents:
    """All agents that are connected over HTTP."""

    def __init__(self, make_connection: Callable[[], AgentConnection]) -> None:
        self._make_connection = make_connection
        self._by_session: dict[str, HttpAgent] = {}
        self._by_client: dict[tuple[str, str], HttpAgent] = {}
        self._checking_task = spawn("http agents", self._check_regularly())

    async def close(self) -> None:
        self._checking_task.cancel()
        for agent in self._all_agents():
            await self._end(agent)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that passed the request gate."""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _read_body(receive) if scope["method"] == "POST" else b""
        except TimeoutError:
            await refuse(send, RequestRefusal(408, f"The request did not arrive within {BODY_SECONDS:.0f} s."))
            return
        if body is None:
            await refuse(send, RequestRefusal(413, f"A request may have at most {LARGEST >> 20} MiB."))
            return
        message = parse_json(body)
        if error := request_id_error(message) or surrogate_error(body, message):
            await refuse(send, RequestRefusal(400, error.message), error.code, error.request)
            return
        if (found := self._find_agent(scope, message)) is None:
            await self._refuse_unknown(scope, send, message)
            return
        agent, fresh = found

        def on_session(session: str) -> None:
            self._by_session[session] = agent

        status = 500
        try:
            status = await agent.answer(scope, _replay_body(body, receive), send, on_session)
        finally:
            if (fresh and agent not in self._all_agents()) or (scope["method"] == "DELETE" and status < 400):
                await self._end(agent)

    def _find_agent(self, scope: Scope, message: Any) -> tuple[HttpAgent, bool] | None:  # Any: JSON
        """Return the agent of a request, and whether this is its first request."""
        session, version = _header(scope, b"mcp-session-id"), _header(scope, _VERSION_HEADER)
        if session:
            agent = self._by_session.get(session)
            return (agent, False) if agent is not None else None
        meta = message.get("params", {}).get("_meta", {}) if isinstance(message, dict) and isinstance(
            message.get("params", {}), dict) else {}  # fmt: skip
        meta = meta if isinstance(meta, dict) else {}
        if (version and version not in HANDSHAKE_PROTOCOL_VERSIONS) or _VERSION in meta:
            return self._agent_of_client(meta.get(_CLIENT))
        begins = isinstance(message, dict) and message.get("method") == "initialize"
        return (HttpAgent(self._make_connection()), True) if begins and len(self._all_agents()) < MOST else None

    def _agent_of_client(self, info: object) -> tuple[HttpAgent, bool] | None:
        named = info if isinstance(info, dict) else {}
        key = (str(named.get("name", ""))[:200], str(named.get("version", ""))[:80])
        if key not in self._by_client:
            if len(self._all_agents()) >= MOST:
                return None
            self._by_client[key] = HttpAgent(self._make_connection())
        return self._by_client[key], False

    async def _refuse_unknown(self, scope: Scope, send: Send, message: object) -> None:
        if _header(scope, b"mcp-session-id"):
            await refuse(send, RequestRefusal(404, "Session not found: it has ended. Initialize a new one."))
        elif len(self._all_agents()) >= MOST:
            await refuse(send, RequestRefusal(503, f"{MOST} agents are already connected. Try again later."))
        elif message is None and scope["method"] == "POST":
            await refuse(send, RequestRefusal(400, "The body is not JSON."), code=-32700)
        else:
            words = "Bad Request: Missing session ID. Start with initialize, or use protocol version 2026-07-28."
            await refuse(send, RequestRefusal(400, words))

    async def _end(self, agent: HttpAgent) -> None:
        self._by_session = {key: one for key, one in self._by_session.items() if one is not agent}
        self._by_client = {key: one for key, one in self._by_client.items() if one is not agent}
        await agent.close()

    def _all_agents(self) -> list[HttpAgent]:
        return [*self._by_session.values(), *self._by_client.values()]

    async def _check_regularly(self) -> None:
        """Check regularly for disconnected agents, which HTTP does not report."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.check_agents()

    async def check_agents(self) -> None:
        """Disconnect idle agents, and stop programs whose answers no request waits for any more."""
        for agent in self._all_agents():
            away = 0.0 if agent.open_requests else time.monotonic() - agent.last
            if away > IDLE_SECONDS:
                await self._end(agent)
            elif away > GONE_SECONDS and agent.connection.programs.awaited:
                agent.connection.programs.stop_all("Its agent disconnected.", late=False)


async def _read_body(receive: Receive) -> bytes | None:
    """Read the body of a request; None when it is too large. Some of an oversized body is read, so that the client
    gets the answer."""
    parts, size = [], 0
    while size <= DRAINED:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        if (size := size + len(part := message.get("body", b""))) <= LARGEST:
            parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts) if size <= LARGEST else None
    return None


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields the body again, for the SDK, and then the messages of the connection."""
    given: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return given.pop() if given else await receive()

    return receive_body


def _header(scope: Scope, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name.lower() == wanted), "")


class AgentEventStore(EventStore):
    """The newest events of one agent, in memory. Events sent again pass the egress filter as all messages do."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, StreamId, JSONRPCMessage | None, int]] = deque()
        self._number = 0
        self._weight = 0

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        self._number += 1
        weight = len(str(message)) if message is not None else 0
        self._kept.append((self._number, stream_id, message, weight))
        self._weight += weight
        while len(self._kept) > KEPT_EVENTS or (self._weight > KEPT_CHARACTERS and len(self._kept) > 1):
            self._weight -= self._kept.popleft()[3]
        return str(self._number)

    async def replay_events_after(self, last_event_id: EventId, send_callback: EventCallback) -> StreamId | None:
        last = int(last_event_id) if last_event_id.isdigit() and len(last_event_id) < 19 else -1
        stream = next((one for number, one, _, _ in self._kept if number == last), None)
        if stream is None:
            return None
        for number, one, message, _ in tuple(self._kept):
            if number > last and one == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream
