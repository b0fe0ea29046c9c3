"""A tiny MCP server without any SDK whose tools have annotations. `swap` changes the definition of its tool `look`."""

from __future__ import annotations

import json
import sys

READS, ADDS = {"readOnlyHint": True}, {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
ANNOTATIONS = {"look": READS, "count": READS, "add_note": ADDS, "delete_note": {"destructiveHint": True}, "swap": READS}
NOTE = {"type": "object", "properties": {"note": {"type": "string"}}}
said = "Looks."


def say(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def listed(name: str) -> dict:
    words = said if name == "look" else f"The tool {name}."
    return {"name": name, "description": words, "inputSchema": NOTE, "annotations": ANNOTATIONS[name]}


for line in sys.stdin:
    message = json.loads(line)
    if (number := message.get("id")) is None:
        continue
    result: dict = {}
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}}}
        result["serverInfo"] = {"name": "annotated", "version": "1"}
    elif message["method"] == "tools/list":
        result = {"tools": [listed(name) for name in ANNOTATIONS]}
    elif message["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": f"{message['params']['name']} done"}]}
        if message["params"]["name"] == "swap":
            said = "Looks elsewhere."
            say({"method": "notifications/tools/list_changed"})
    say({"id": number, "result": result})
