"""What the SDK is about to send over HTTP, made anew by the agent's edge: bodies and events, none as it came."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from starlette.types import Message, Send

from workbench.agent.egress_filter import EgressFilter

_KEPT: Final = (b"id:", b"event:", b"retry:", b":")  # lines of an event stream that the SDK itself writes


class ResponseFilter:
    """One answer on its way out."""

    def __init__(self, send: Send, edge: EgressFilter, begun: Callable[[str], None]) -> None:
        """`begun`: told of the id that the SDK gave a new session, before the agent knows it."""
        self._send = send
        self._edge = edge
        self._begun = begun
        self._start: Message | None = None  # held until the length of the body is known
        self._body = b""
        self._streams = False
        self.status = 0
        self.version = ""  # of the protocol, where this answers what began a session

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif self._streams:
            body = await self._events(message.get("body", b""))
            await self._send({**message, "body": body})
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._whole()

    async def end(self) -> None:
        """The session ended before the answer did."""
        if self._streams:
            await self._send({"type": "http.response.body", "body": b""})
        else:
            self._body = b""
            await self._whole()

    async def _begin(self, message: Message) -> None:
        headers = {name.lower(): value for name, value in message["headers"]}
        self.status, self._start = message["status"], message
        if (session := headers.get(b"mcp-session-id", b"")) and self.status < 400:
            self._begun(session.decode("latin-1"))
        if headers.get(b"content-type", b"").startswith(b"text/event-stream"):
            self._streams = True
            await self._send(message)

    async def _whole(self) -> None:
        body = await self._cleaned(self._body) if self._body else b""
        start = self._start or {"type": "http.response.start", "status": 500, "headers": []}
        kept = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        await self._send({**start, "headers": [*kept, (b"content-length", str(len(body)).encode())]})
        await self._send({"type": "http.response.body", "body": body})

    async def _events(self, chunk: bytes) -> bytes:
        """The SDK writes whole events; a line that is neither its own nor a message is left out."""
        lines: list[bytes] = []
        for line in chunk.splitlines():
            if line.startswith(b"data:"):
                data = line[5:].strip()
                lines.append(b"data: " + (await self._cleaned(data) if data else b""))
            elif not line or line.startswith(_KEPT):
                lines.append(line)
        return b"\r\n".join(lines) + b"\r\n" if lines else b""

    async def _cleaned(self, body: bytes) -> bytes:
        try:
            message = json.loads(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            return await self._words(body)
        result = message.get("result")
        if isinstance(result, dict) and isinstance(agreed := result.get("protocolVersion"), str):
            self.version = agreed
        return (await self._edge.leave(message)).strip()

    async def _words(self, body: bytes) -> bytes:
        """No message: the SDK's own few words about a request."""
        wrapped = json.loads(await self._edge.leave({"words": body.decode("utf-8", "replace")}))
        return str(wrapped.get("words", "")).encode()
