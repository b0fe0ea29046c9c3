"""A tiny MCP server at an address, without any SDK or HTTP library, that can misbehave in every way we know of.

`async with Far("json") as far:` serves at `far.url`. What it does may be changed while it runs: `far.mode = "hang"`.

json         sessions of 2025-06-18, answers as JSON
events       the same, answers as a stream of events; the tool `count` tells its progress
modern       2026-07-28, no sessions
old          2024-11-05: a stream of events at /sse, messages posted to /messages
and in place of the answer to a call:
hang         nothing            rubbish      no JSON            page      a web page
status       HTTP `far.status`  closes       half an answer     stops     events without an answer
big          `far.size` bytes   endless      bytes for ever     zipped    a compressed answer
duplicates   the answer twice   late         after `far.seconds`
many         400,000 empty lists, many_event the same as an event
wrong_types  odd types          flood        `far.size` notifications before the answer
forgets      404 to each session but the newest, once
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import ssl
from typing import Any

from callers import Callers

TOOLS = [
    {"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
    {"name": "count", "inputSchema": {"type": "object"}},
]
REASONS = {200: "OK", 202: "Accepted", 404: "Not Found", 405: "Method Not Allowed"}


class Far:
    """The server and what it has seen."""

    def __init__(self, mode: str, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.mode = mode
        self.kind = mode
        self.status = 500
        self.challenge = ""
        self.size = 10
        self.seconds = 0.2
        self.tools: list[Any] = list(TOOLS)
        self.seen: list[tuple[str, str, dict[str, str], Any]] = []  # method, path, headers, message
        self.sessions: list[str] = []
        self._old: asyncio.StreamWriter | None = None
        self._readers: dict[asyncio.StreamWriter, asyncio.StreamReader] = {}
        self._callers = Callers(self._serve, tls=tls)

    async def __aenter__(self) -> Far:
        await self._callers.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        await self._callers.__aexit__()

    async def again(self) -> None:
        """Back at the same port."""
        await self._callers.__aenter__()

    @property
    def port(self) -> int:
        return self._callers.port

    @property
    def url(self) -> str:
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}/{'sse' if self.kind == 'old' else 'mcp'}"

    @property
    def connections(self) -> int:
        return len(self._readers)

    def methods(self) -> list[str]:
        return [message["method"] for *_, message in self.seen if isinstance(message, dict) and "method" in message]

    def headers(self, method: str) -> dict[str, str]:
        """Those of the last message of that method."""
        return [headers for *_, headers, message in self.seen if message and message.get("method") == method][-1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._readers[writer] = reader
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._one(reader, writer):
                    pass
            writer.close()
        finally:
            del self._readers[writer]

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        verb, path, _ = (await reader.readuntil(b"\r\n")).decode().split(" ", 2)
        headers = {}
        while (line := (await reader.readuntil(b"\r\n")).decode().strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        message = json.loads(body) if body else None
        self.seen.append((verb, path, headers, message))
        if self.kind == "old":
            return await self._one_old(verb, path, message, writer)
        if verb != "POST":
            return await self._answer(writer, 405 if verb == "GET" else 200)
        return await self._post(message, headers, writer)

    async def _post(self, message: dict, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
        if self.mode == "refuse" or (self.mode == "status" and message.get("method") in ("tools/call", "initialize")):
            more = {"WWW-Authenticate": self.challenge} if self.challenge else {}
            return await self._answer(writer, self.status, b'{"error": "because"}', **more)
        session = headers.get("mcp-session-id")
        if self.mode == "forgets" and session and session == self.sessions[0]:
            return await self._answer(writer, 404, b"no such session")
        if "id" not in message or "method" not in message:
            return await self._answer(writer, 202)
        more = {}
        if message["method"] == "initialize" and self.kind != "modern":
            self.sessions.append(f"session-{len(self.sessions)}")
            more = {"Mcp-Session-Id": self.sessions[-1]}
        if message["method"] == "tools/call" and self.mode not in ("json", "events", "modern", "forgets", "status"):
            return await self._misbehave(message, writer)
        if self.kind == "events":
            return await self._stream(message, writer, more)
        return await self._answer(writer, 200, self._reply(message), **more)

    def _reply(self, message: dict, result: Any = None) -> bytes:
        found = result if result is not None else self._result(message["method"], message.get("params") or {})
        told = {"result": found} if found is not None else {"error": {"code": -32601, "message": "Method not found"}}
        return json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}).encode()

    def _result(self, method: str, params: dict) -> dict | None:
        about = {"name": f"far-{self.kind}", "version": "1"}
        if method == "initialize" and self.kind != "modern":
            version = "2024-11-05" if self.kind == "old" else "2025-06-18"
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
        if method == "server/discover" and self.kind == "modern":
            meta = {"io.modelcontextprotocol/serverInfo": about}
            found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
            return {**found, "ttlMs": 0, "cacheScope": "private", "_meta": meta}
        if method == "tools/list":
            return {"tools": self.tools, **({"ttlMs": 0, "cacheScope": "private"} if self.kind == "modern" else {})}
        if method == "tools/call":
            return {"content": [{"type": "text", "text": (params.get("arguments") or {}).get("text", "")}]}
        return None

    async def _stream(self, message: dict, writer: asyncio.StreamWriter, more: dict[str, str]) -> bool:
        await self._head(writer, 200, **{"Content-Type": "text/event-stream"}, **more)
        token = ((message.get("params") or {}).get("_meta") or {}).get("progressToken")
        for step in range(3 if (message.get("params") or {}).get("name") == "count" else 0):
            params = {"progressToken": token, "progress": step + 1, "total": 3}
            await self._event(writer, {"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        await self._event(writer, self._reply(message))
        return False

    async def _misbehave(self, message: dict, writer: asyncio.StreamWriter) -> bool:
        echo = self._reply(message)
        match self.mode:
            case "hang":
                await self._until_closed(writer)
            case "rubbish":
                return await self._answer(writer, 200, b'{"jsonrpc": "2.0", "id"')
            case "page":
                return await self._answer(writer, 200, b"<html>hello</html>", **{"Content-Type": "text/html"})
            case "closes":
                await self._head(writer, 200, **{"Content-Type": "application/json", "Content-Length": "1000"})
                writer.write(echo[:20])
                await writer.drain()
            case "stops":
                await self._head(writer, 200, **{"Content-Type": "text/event-stream"})
                await self._event(writer, {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": 1}})
            case "big" | "big_event":
                result = {"content": [{"type": "text", "text": "x" * self.size}]}
                if self.mode == "big":
                    return await self._answer(writer, 200, self._reply(message, result))
                await self._head(writer, 200, **{"Content-Type": "text/event-stream"})
                await self._event(writer, self._reply(message, result))
            case "many" | "many_event":
                result = {"content": [], "structuredContent": {"a": [[]] * 400_000}}
                if self.mode == "many":
                    return await self._answer(writer, 200, self._reply(message, result))
                await self._head(writer, 200, **{"Content-Type": "text/event-stream"})
                await self._event(writer, self._reply(message, result))
            case "endless":
                await self._head(writer, 200, **{"Content-Type": "application/json"})
                while True:
                    writer.write(b" " * 65_536)
                    await writer.drain()
            case "zipped":
                return await self._answer(writer, 200, gzip.compress(echo), **{"Content-Encoding": "gzip"})
            case "late":
                await asyncio.sleep(self.seconds)
                return await self._answer(writer, 200, echo)
            case "wrong_types":
                result = {"content": ["bare", {"type": "text", "text": 5}], "structuredContent": [1, None]}
                return await self._answer(writer, 200, self._reply(message, result))
            case "duplicates" | "flood":
                await self._head(writer, 200, **{"Content-Type": "text/event-stream"})
                noise = b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": 1}}'
                for _ in range(self.size if self.mode == "flood" else 0):
                    await self._event(writer, noise)
                await self._event(writer, echo)
                if self.mode == "duplicates":
                    await self._event(writer, echo)
        return False

    async def _one_old(self, verb: str, path: str, message: Any, writer: asyncio.StreamWriter) -> bool:
        if verb == "GET" and path == "/sse":
            self._old = writer
            await self._head(writer, 200, **{"Content-Type": "text/event-stream"})
            where = "http://localhost:9/messages" if self.mode == "elsewhere" else "/messages?session=1"
            writer.write(f"event: endpoint\ndata: {where}\n\n".encode())
            await writer.drain()
            await self._until_closed(writer)
        if verb != "POST" or not path.startswith("/messages") or self._old is None:
            return await self._answer(writer, 405)
        if self.mode == "status" and message.get("method") == "tools/call":
            return await self._answer(writer, self.status, b"no")
        await self._answer(writer, 202)
        if "id" in message and "method" in message:
            await self._event(self._old, self._reply(message))
        return True

    async def _until_closed(self, writer: asyncio.StreamWriter) -> None:
        while await self._readers[writer].read(65_536):
            pass

    async def _event(self, writer: asyncio.StreamWriter, message: dict | bytes) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        writer.write(b"event: message\ndata: " + data + b"\n\n")
        await writer.drain()

    async def _head(self, writer: asyncio.StreamWriter, status: int, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Odd')}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        await writer.drain()

    async def _answer(self, writer: asyncio.StreamWriter, status: int, body: bytes = b"", **headers: str) -> bool:
        lines = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        head = [f"HTTP/1.1 {status} {REASONS.get(status, 'Odd')}", *(f"{name}: {lines[name]}" for name in lines)]
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await writer.drain()
        return True
