"""An MCP server with large answers, for `privacy_egress.py`: records of customers, and a log as one text."""

from __future__ import annotations

import json
from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from privacy_egress import SEED, Answers

answers = Answers(SEED)
server = MCPServer("bulk")
READS = ToolAnnotations(read_only_hint=True)


@server.tool(annotations=READS)
def customers(megabytes: float) -> dict[str, Any]:  # Any: JSON
    """List customers."""
    found: dict[str, Any] = json.loads(answers.records_text(int(megabytes * 1_000_000)))
    return found


@server.tool(annotations=READS, structured_output=False)
def log(megabytes: float) -> str:
    """Read a log."""
    return str(json.loads(answers.log_text(int(megabytes * 1_000_000)))["content"])


if __name__ == "__main__":
    server.run()
