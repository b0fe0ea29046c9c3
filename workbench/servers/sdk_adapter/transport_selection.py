"""Interface of a transport, and its selection for a server: stdio, streamable HTTP, or HTTP with SSE."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.configuration import launch_command
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.fast_tool_calls import FastToolCalls
from workbench.servers.sdk_adapter.http_transports import HttpTarget, SseTransport, StreamableHttpTransport
from workbench.servers.sdk_adapter.stdio_transport import StdioTransport
from workbench.servers.server_faults import ServerFault

if TYPE_CHECKING:
    import httpx2

Authorize = Callable[[ServerConfig], "httpx2.Auth | None"]
# Statuses with which a 2024-11-05 server answers a POST to its event stream, according to the specification.
_OLDER = frozenset({400, 404, 405})


def nobody_signs_in(config: ServerConfig) -> httpx2.Auth | None:
    return None


class TransportSelection(Struct, frozen=True):
    """Builds transports for the servers of one project."""

    project: Path
    groups: ProcessGroups
    secret: launch_command.Secret
    authorize: Authorize

    def kinds_for(self, config: ServerConfig, known: str) -> tuple[str, ...]:
        """Return the transport kinds to try, in order; `known` is the one that worked last time."""
        if not config.remote:
            return ("stdio",)
        if config.transport:
            return (config.transport,)
        return ("sse", "http") if known == "sse" else ("http", "sse")

    def build(self, kind: str, config: ServerConfig, frame_limit: int, traffic: MessageLog) -> Transport:
        """Build a transport. Raises WorkbenchError for a config with an unusable URL or command."""
        if kind == "stdio":
            prepared = launch_command.prepare(config, self.project, secret=self.secret)
            return StdioTransport(config.name, prepared, frame_limit, traffic, self.groups)
        chosen = SseTransport if kind == "sse" else StreamableHttpTransport
        return chosen(config.name, self._target(config), frame_limit, traffic)

    def _target(self, config: ServerConfig) -> HttpTarget:
        url = launch_command.expand(config.url, os.environ, self.secret)
        headers = {
            name: launch_command.expand(value, os.environ, self.secret) for name, value in config.headers.items()
        }
        _check(config.name, url, headers)
        return HttpTarget(url, headers, self.authorize(config))


def another_may_do(transport: Transport) -> bool:
    """Whether the other HTTP transport is worth a try after this one was refused."""
    return transport.status in _OLDER


def _check(name: str, url: str, headers: dict[str, str]) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or any(mark <= " " or mark == "\x7f" for mark in url):
        raise WorkbenchError(f"The address of {name} is not valid.", "Write it as https://host/path in .mcp.json.")
    for header, value in headers.items():
        if not value.isprintable() or not value.isascii():
            raise WorkbenchError(
                f"The header {header} of {name} cannot be sent.", "Write it as one line of ASCII text."
            )


if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

    Streams: TypeAlias = tuple[
        MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
    ]


class Transport(Protocol):
    """Async context manager that yields (messages in, messages out). Single use."""

    kind: str  # stdio, http or sse
    pid: int  # 0: no local process
    ended: asyncio.Event  # set when the server sends nothing more
    fault: str  # why this transport closed the stream
    returncode: int | None  # exit code of the process, when it exited by itself

    @property
    def direct(self) -> FastToolCalls | None:
        """The fast path for tool calls, if the transport has one."""

    @property
    def status(self) -> int:
        """HTTP status of the last refused message, 0 for none."""

    @property
    def challenge(self) -> str:
        """The www-authenticate header of that refusal."""

    @property
    def expired(self) -> bool:
        """Whether the server has forgotten the session; a request refused for that reason was not carried out."""

    async def __aenter__(self) -> Streams: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def unstarted(self, leaves: Sequence[BaseException]) -> ServerFault | None:
        """Explain a failed start, if the transport knows more than the SDK."""

    def gone(self) -> ServerFault:
        """Explain the end of a session that worked."""
