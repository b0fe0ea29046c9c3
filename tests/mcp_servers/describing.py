"""A tiny MCP server without any SDK whose definitions hold what a detector takes for people, and whose tool fails."""

from __future__ import annotations

import json
import sys

DESCRIPTION = """Reads a report. Contact Margaret Holloway for access; Mr Harlan Whitlock reads it.

owner: Hilda Brandt
name: str, Ada Pemberton: int, phone: +44 20 7946 0958
Return the "orders" of /home/hbrandt/reports"""
TOOL = {
    "name": "read_report",
    "description": DESCRIPTION,
    "inputSchema": {
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "description": "Dear Rosa Lund, 12 Harbour Street, Bergen",
                "default": "Ada King",
            },
            "orders": {"type": "integer", "maximum": 4929_1234_5678_1234, "description": "owner: Hilda Brandt"},
            "return": {"enum": ["Wilma Ek <wilma@example.org>", "Nils Ødegård 'the second'"]},
        },
        "required": ["name"],
    },
}

for line in sys.stdin:
    message = json.loads(line)
    if (number := message.get("id")) is None:
        continue
    result: dict = {}
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        result["serverInfo"] = {"name": "describe", "version": "1"}
    elif message["method"] == "tools/list":
        result = {"tools": [TOOL]}
    elif message["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": "Rosa Lund could not be asked."}], "isError": True}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\n")
    sys.stdout.flush()
