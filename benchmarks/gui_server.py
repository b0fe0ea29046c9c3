"""An MCP server for measuring the window: `gui_server.py TOOLS` offers that many tools and answers immediately.

Standard library only and no threads, so that its own time is small.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any


def main(count: int) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            for told in messages(message, count):
                sys.stdout.write(json.dumps(told) + "\n")
                sys.stdout.flush()


def messages(request: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """The messages sent for a request: the requested notifications, then the answer."""
    params = request.get("params") or {}
    for number in range((params.get("arguments") or {}).get("notifications", 0)):
        noise = {"level": "info", "data": f"noise {number}"}
        yield {"jsonrpc": "2.0", "method": "notifications/message", "params": noise}
    yield {"jsonrpc": "2.0", "id": request["id"], **_answer(request["method"], params, count)}


def _answer(method: str, params: dict[str, Any], count: int) -> dict[str, Any]:
    match method:
        case "initialize":
            version = min(params.get("protocolVersion", ""), "2025-06-18")
            about = {"name": "measured", "version": "1"}
            return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}}
        case "tools/list":
            return {"result": {"tools": [_tool(number) for number in range(count)]}}
        case "tools/call":
            return {"result": {"content": [{"type": "text", "text": "done"}]}}
        case "ping":
            return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def _tool(number: int) -> dict[str, Any]:
    verb, thing = ("list", "get", "find", "count")[number % 4], ("orders", "people", "files", "pages")[number // 4 % 4]
    properties = {"limit": {"type": "integer"}, "text": {"type": "string"}, "notifications": {"type": "integer"}}
    return {
        "name": f"{verb}_{thing}_{number}",
        "title": f"{verb.title()} {thing} {number}",
        "description": f"Reads {thing} of shelf {number} and answers with a list of them.",
        "inputSchema": {"type": "object", "properties": properties},
        "annotations": {"readOnlyHint": True},
    }


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
