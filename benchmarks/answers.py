"""Measures how soon the user sees the answer of a call made by hand: `answers.py [ROUNDS]`.

A real core process and a real server, whose answers contain 0.1, 0.6 and 3 MB of customers. Measured alternately: the
SDK's client calling the same server directly, and a client of the core, from the call to the complete answer. Also
measured is how long the core then searches the answer for personal data; earlier versions made the user wait for that.
Goal: less than 0.5 s more than the SDK's client for 3 MB.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from workbench.api.client import CoreConnection, connect
from workbench.paths import OVERRIDE, paths_of
from workbench.records import Origin, PrivacyQuery, ToolCall

SIZES = (100_000, 600_000, 3_000_000)  # characters


async def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ[OVERRIDE] = str(Path(home) / "home")
        project = Path(home) / "project"
        project.mkdir()
        entry = {"command": sys.executable, "args": [__file__, "--serve"]}
        (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"big": entry}}), encoding="utf-8")
        connection = await connect(paths_of(project))
        try:
            consent = await connection.api.consent("big")
            await connection.api.connect("big", consent.sha)
            async with Client(StdioServerParameters(**entry), mode="legacy") as client:
                for size in SIZES:
                    await _measure(connection, client, size, rounds)
        finally:
            await connection.api.shut_down()
            await connection.closed.wait()
            await connection.close()


async def _measure(connection: CoreConnection, client: Client, size: int, rounds: int) -> None:
    direct, shown, behind = [], [], []
    for turn in range(rounds):
        arguments = {"size": size, "turn": turn}
        began = time.perf_counter()
        await client.call_tool("customers", arguments)
        direct.append(time.perf_counter() - began)
        call = ToolCall("", "big", "customers", arguments, Origin.PERSON, "person", confirmed=True)
        began = time.perf_counter()
        outcome = await connection.api.call(call)
        assert outcome.ok, outcome.fault
        assert outcome.bytes > size * 0.9
        shown.append(time.perf_counter() - began)
        await connection.api.privacy_report(PrivacyQuery("person"))  # returns when the search is complete
        behind.append(time.perf_counter() - began)
    one, other, last = map(statistics.median, (direct, shown, behind))
    print(
        f"{size / 1e6:.1f} MB: the SDK's client {one * 1000:,.0f} ms, shown after {other * 1000:,.0f} ms"
        f" ({other / one:.1f} times), looked through after {last * 1000:,.0f} ms"
    )


def serve() -> None:
    """An MCP server that returns any number of customers."""
    for line in sys.stdin:
        message = json.loads(line)
        if (number := message.get("id")) is None:
            continue
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": _answer(message)}) + "\n")
        sys.stdout.flush()


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            about = {"name": "big", "version": "1"}
            return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            schema = {"type": "object", "properties": {"size": {"type": "integer"}, "turn": {"type": "integer"}}}
            hints = {"readOnlyHint": True}
            return {"tools": [{"name": "customers", "inputSchema": schema, "annotations": hints}]}
        case "tools/call":
            arguments = message["params"]["arguments"]
            return {"content": [{"type": "text", "text": _customers(arguments["size"], arguments["turn"])}]}
    return {}


def _customers(size: int, turn: int) -> str:
    rows: list[dict[str, Any]] = []
    length = number = 0
    while length < size:
        who = f"{number:05}{turn}"
        row = {"id": number, "name": f"Ines Novak {who}", "email": f"ines.{who}@example.org",
               "street": f"Straße 12 你好 {number}"}  # fmt: skip
        rows.append(row)
        length += len(json.dumps(row, ensure_ascii=False)) + 2
        number += 1
    return json.dumps(rows, ensure_ascii=False)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
