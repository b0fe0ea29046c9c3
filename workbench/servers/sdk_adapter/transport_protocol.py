"""Interface of a transport: a pair of message streams, and why they ended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TypeAlias

from workbench.servers.sdk_adapter.fast_tool_calls import FastToolCalls
from workbench.servers.server_faults import ServerFault

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

    Streams: TypeAlias = tuple[
        MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
    ]


class Transport(Protocol):
    """An async context manager that yields (messages in, messages out). Single use."""

    kind: str  # stdio, http or sse
    pid: int  # 0: no process of ours
    ended: asyncio.Event  # nothing more will come from the server
    fault: str  # why we gave up on the stream, when it was us
    returncode: int | None  # of the process, when it left by itself

    @property
    def direct(self) -> FastToolCalls | None:
        """The short way for tool calls, where there is one."""

    @property
    def status(self) -> int:
        """The HTTP status with which the last message was refused, 0 for none."""

    @property
    def challenge(self) -> str:
        """The www-authenticate header that came with it."""

    @property
    def expired(self) -> bool:
        """The server has forgotten our session; what it answered so was not carried out."""

    async def __aenter__(self) -> Streams: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def unstarted(self, leaves: Sequence[BaseException]) -> ServerFault | None:
        """Why no session came about, if this way to the server knows better than the SDK."""

    def gone(self) -> ServerFault:
        """Why a session that worked is over."""
