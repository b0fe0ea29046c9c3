"""A server to measure a window with: `gui_server.py TOOLS` offers so many tools, and answers at once.

Standard library only and no threads, so that what is measured is the workbench.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main(count: int) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            _say({"id": message["id"], **_answer(message["method"], message.get("params") or {}, count)})


def _answer(method: str, params: dict[str, Any], count: int) -> dict[str, Any]:
    match method:
        case "initialize":
            version = min(params.get("protocolVersion", ""), "2025-06-18")
            about = {"name": "measured", "version": "1"}
            return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}}
        case "tools/list":
            return {"result": {"tools": [_tool(number) for number in range(count)]}}
        case "tools/call":
            return {"result": _call(params.get("arguments") or {})}
        case "ping":
            return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def _call(given: dict[str, Any]) -> dict[str, Any]:
    for number in range(given.get("notifications", 0)):
        _say({"method": "notifications/message", "params": {"level": "info", "data": f"noise {number}"}})
    return {"content": [{"type": "text", "text": "done"}]}


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


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
