"""MCP server loop over stdin and stdout: one JSON-RPC message per line, concurrent calls, progress and cancellation."""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import Awaitable
from typing import Any

from workbench.demo import customers, mailbox, messaging_tools, orders, support, visits
from workbench.demo.arguments import check
from workbench.demo.asking import DemoElicitation
from workbench.demo.company import Company
from workbench.demo.completion import complete
from workbench.demo.prompts import PROMPTS, get_prompt
from workbench.demo.resources import RESOURCES, TEMPLATES, UnknownName, read_resource
from workbench.demo.telling import LEVELS, Telling
from workbench.demo.tool import DemoAnswer, Json, Progress, Refused

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
LONGEST_LINE = 16 * 1024 * 1024
LONGEST_TEXT = 64 * 1024  # structured results above this length are not repeated as text
INSTRUCTIONS = (
    "A made-up company: customers, 10,000 orders, support tickets, channels and mail. Nothing here is real, "
    "nothing leaves this process, and every start begins with the same data."
)

_TOOLS = {
    tool.name: tool for room in (customers, orders, support, messaging_tools, visits, mailbox) for tool in room.TOOLS
}


class ProtocolFault(Exception):
    """Error that becomes a JSON-RPC error response."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


async def serve(company: Company) -> None:
    """Answer requests until stdin closes, then cancel the calls that still run."""
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
    )
    async with _Conversation(company) as conversation:
        while line := await reader.readline():
            conversation.hear(line)
    transport.close()


class _Conversation:
    """One client connection and its running requests."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._running: dict[str, asyncio.Task[None]] = {}
        self._asking = DemoElicitation(_write)
        self._telling = Telling(company, _write, company.beat_seconds)

    async def __aenter__(self) -> _Conversation:
        return self

    async def __aexit__(self, *reason: object) -> None:
        await asyncio.sleep(0)  # answers messages that arrived just before stdin closed
        for task in tuple(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        await self._telling.close()

    def hear(self, line: bytes) -> None:
        """Handle one message of the client."""
        try:
            message = json.loads(line)
        except ValueError as fault:
            self._fail(None, ProtocolFault(-32700, f"This line is not JSON: {fault}"))
            return
        if isinstance(message, dict) and self._asking.hear(message):
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            self._fail(None, ProtocolFault(-32600, "A message must be an object with a method."))
        elif "id" in message:
            self._take(message)
        elif message["method"] == "notifications/cancelled":
            self._cancel(message.get("params"))

    def _take(self, message: Json) -> None:
        """Start an asyncio task for a request; `_running` holds it until it is done."""
        key = json.dumps(message["id"])
        task = asyncio.get_running_loop().create_task(self._work(message), name=f"request {key}")
        self._running[key] = task
        task.add_done_callback(lambda _: self._running.pop(key, None))

    def _cancel(self, params: object) -> None:
        task = self._running.get(json.dumps(params.get("requestId"))) if isinstance(params, dict) else None
        if task is not None:
            task.cancel()

    async def _work(self, message: Json) -> None:
        params = message.get("params")
        try:
            result = self._answer(message["method"], params if isinstance(params, dict) else {})
            _write({"id": message["id"], "result": await result if isinstance(result, Awaitable) else result})
        except ProtocolFault as fault:
            self._fail(message["id"], fault)
        except UnknownName as fault:
            self._fail(message["id"], ProtocolFault(-32602, str(fault)))
        except Exception as fault:  # a bug of the demo server: the client must still get a response
            traceback.print_exception(fault)
            self._fail(message["id"], ProtocolFault(-32603, f"The demo server failed: {fault}"))

    def _answer(self, method: str, params: Json) -> Json | Awaitable[Json]:
        match method:
            case "initialize":
                self._asking.meet(params)
                return _welcome(params.get("protocolVersion"))
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [tool.definition() for tool in _TOOLS.values()]}
            case "tools/call":
                return self._call(params)
            case "prompts/list":
                return {"prompts": PROMPTS}
            case "prompts/get":
                given = params.get("arguments")
                return get_prompt(self._company, params.get("name"), given if isinstance(given, dict) else {})
            case "completion/complete":
                return complete(self._company, params)
            case "logging/setLevel":
                return self._set_level(params.get("level"))
        if method.startswith("resources/"):
            return self._about_resources(method, params)
        raise ProtocolFault(-32601, f"There is no method {method}.")

    def _about_resources(self, method: str, params: Json) -> Json:
        uri = params.get("uri")
        match method:
            case "resources/list":
                return {"resources": RESOURCES}
            case "resources/templates/list":
                return {"resourceTemplates": TEMPLATES}
            case "resources/read":
                return read_resource(self._company, uri)
            case "resources/subscribe" | "resources/unsubscribe":
                read_resource(self._company, uri)  # raises for an unknown resource
                act = self._telling.subscribe if method == "resources/subscribe" else self._telling.unsubscribe
                act(str(uri))
                return {}
        raise ProtocolFault(-32601, f"There is no method {method}.")

    def _set_level(self, level: object) -> Json:
        if not self._telling.set_level(level):
            raise ProtocolFault(-32602, f"There is no level {level}. Levels: {', '.join(LEVELS)}.")
        return {}

    async def _call(self, params: Json) -> Json:
        tool = _TOOLS.get(str(params.get("name")))
        given = params.get("arguments") or {}
        if tool is None or not isinstance(given, dict):
            raise ProtocolFault(-32602, f"There is no tool {params.get('name')}, or its arguments are not an object.")
        try:
            check(tool, given)
            self._telling.log("debug", {"tool": tool.name, "arguments": given}, "demo.tools")
            with self._asking.here():
                answer = tool.work(self._company, given, _progress((params.get("_meta") or {}).get("progressToken")))
                result = _result(await answer if isinstance(answer, Awaitable) else answer)
            self._worked(tool.name, given)
            return result
        except Refused as fault:
            self._telling.log("warning", f"{tool.name}: {fault}", "demo.tools")
            return {"content": [{"type": "text", "text": str(fault)}], "isError": True}

    def _worked(self, name: str, given: Json) -> None:
        self._telling.log("info", f"{name} answered", "demo.tools")
        if name == "post_message":
            self._telling.changed(f"demo://channels/{given['channel']}")

    def _fail(self, request_id: object, fault: ProtocolFault) -> None:
        _write({"id": request_id, "error": {"code": fault.code, "message": str(fault)}})


def _welcome(asked: object) -> Json:
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
        "capabilities": {
            "tools": {},
            "resources": {"subscribe": True},
            "prompts": {},
            "completions": {},
            "logging": {},
        },
        "serverInfo": {"name": "demo", "title": "Demo company", "version": "1.0.0"},
        "instructions": INSTRUCTIONS,
    }


def _result(answer: DemoAnswer) -> Json:
    """Build a tool result. Structured data is repeated as text for older clients, unless it is large."""
    if answer.structured is None:
        return {"content": list(answer.content), "isError": False}
    words = json.dumps(answer.structured, ensure_ascii=False)
    if len(words) > LONGEST_TEXT:
        words = f"{len(words)} characters of JSON; see structuredContent."
    content = [{"type": "text", "text": words}, *answer.content]
    return {"content": content, "structuredContent": answer.structured, "isError": False}


def _progress(token: object) -> Progress:
    def tell(done: float, total: float, message: str) -> None:
        if token is not None:
            params = {"progressToken": token, "progress": done, "total": total, "message": message}
            _write({"method": "notifications/progress", "params": params})

    return tell


def _write(message: dict[str, Any]) -> None:
    """Write a JSON-RPC message (Any: its values). One write per message, so that responses of concurrent calls never
    mix."""
    line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()
