"""Filters the SDK's HTTP responses: every body and event is rewritten by the agent's egress filter."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from starlette.types import Message, Send

from workbench.agent.egress_filter import EgressFilter

_KEPT: Final = (b"id:", b"event:", b"retry:", b":")  # prefixes of event stream lines that the SDK itself writes


class ResponseFilter:
    """Filter for one HTTP response."""

    def __init__(self, send: Send, egress_filter: EgressFilter, on_session: Callable[[str], None]) -> None:
        """`on_session` is called with the id that the SDK gave a new session, before the agent receives it."""
        self._send = send
        self._egress_filter = egress_filter
        self._on_session = on_session
        self._start: Message | None = None  # held until the length of the body is known
        self._body = b""
        self._streams = False
        self.status = 0
        self.version = ""  # protocol version, if this response starts a session

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif self._streams:
            body = await self._filter_events(message.get("body", b""))
            await self._send({**message, "body": body})
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_complete()

    async def end(self) -> None:
        """End the response, because the session ended before it was complete."""
        if self._streams:
            await self._send({"type": "http.response.body", "body": b""})
        else:
            self._body = b""
            await self._send_complete()

    async def _begin(self, message: Message) -> None:
        headers = {name.lower(): value for name, value in message["headers"]}
        self.status, self._start = message["status"], message
        if (session := headers.get(b"mcp-session-id", b"")) and self.status < 400:
            self._on_session(session.decode("latin-1"))
        if headers.get(b"content-type", b"").startswith(b"text/event-stream"):
            self._streams = True
            await self._send(message)

    async def _send_complete(self) -> None:
        body = await self._filter_body(self._body) if self._body else b""
        start = self._start or {"type": "http.response.start", "status": 500, "headers": []}
        kept = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        await self._send({**start, "headers": [*kept, (b"content-length", str(len(body)).encode())]})
        await self._send({"type": "http.response.body", "body": body})

    async def _filter_events(self, chunk: bytes) -> bytes:
        """Filter a chunk of an event stream. The SDK writes complete events; lines that are neither SDK lines nor
        messages are dropped."""
        lines: list[bytes] = []
        for line in chunk.splitlines():
            if line.startswith(b"data:"):
                data = line[5:].strip()
                lines.append(b"data: " + (await self._filter_body(data) if data else b""))
            elif not line or line.startswith(_KEPT):
                lines.append(line)
        return b"\r\n".join(lines) + b"\r\n" if lines else b""

    async def _filter_body(self, body: bytes) -> bytes:
        try:
            message = json.loads(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            return await self._mask_text(body)
        result = message.get("result")
        if isinstance(result, dict) and isinstance(agreed := result.get("protocolVersion"), str):
            self.version = agreed
        return (await self._egress_filter.encode(message)).strip()

    async def _mask_text(self, body: bytes) -> bytes:
        """Mask a body that is not a message, but a short text of the SDK about a request."""
        wrapped = json.loads(await self._egress_filter.encode({"words": body.decode("utf-8", "replace")}))
        return str(wrapped.get("words", "")).encode()
