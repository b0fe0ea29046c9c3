"""Measures the agent endpoint under load: `door_load.py [REQUESTS]`.

A real core in this process with the demo server. One agent sends requests without reading answers, while another agent
sends a request from time to time. Then a program makes 1,000 calls, and another one filters 10,000 rows.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psutil
from msgspec.structs import replace

from workbench.agent import message_stream
from workbench.core import Core
from workbench.events import spawn
from workbench.paths import OVERRIDE, paths_of
from workbench.tokens import count

CALLS = """
import asyncio
from servers.demo import count_orders
result = len(await asyncio.gather(*(count_orders() for _ in range(1_000))))
"""
ROWS = """
import asyncio
from servers.demo import list_orders
pages = await asyncio.gather(*(list_orders(limit=500, offset=at) for at in range(0, 10_000, 500)))
rows = [order for page in pages for order in page["orders"]]
large = sorted((order for order in rows if order["amount"] > 900), key=lambda order: -order["amount"])
print(len(rows), "rows,", len(large), "are large")
result = [order["id"] for order in large[:20]]
"""


class Agent:
    """An MCP client written by hand, so that no time of a client library is measured."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._number = 0

    async def __aenter__(self) -> Agent:
        near, far = socket.socketpair()
        self._serving = spawn("door", self._core.serve_agent(*await asyncio.open_connection(sock=far)))
        self.reader, self._writer = await asyncio.open_connection(sock=near, limit=1 << 24)
        about = {"name": "load", "version": "1"}
        await self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about})
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._serving

    async def say(self, method: str, params: object) -> None:
        self._number += 1
        self._writer.write(
            json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode()
        )
        self._writer.write(b"\n")
        await self._writer.drain()

    async def hear(self) -> dict[str, object]:
        while "id" not in (message := json.loads(await self.reader.readline())):
            continue
        return message

    async def ask(self, method: str, params: object) -> dict[str, object]:
        await self.say(method, params)
        return await self.hear()

    async def run(self, code: str) -> str:
        answer = await self.ask("tools/call", {"name": "execute_code", "arguments": {"code": code, "description": "x"}})
        return answer["result"]["content"][0]["text"]  # type: ignore[index]


async def flood(core: Core, requests: int) -> None:
    """Send requests as fast as the endpoint accepts them, and read the answers as they arrive."""
    own, waits = psutil.Process(), []
    async with Agent(core) as rude, Agent(core) as patient:
        await patient.ask("tools/list", {})
        before, start = own.memory_info().rss, time.perf_counter()
        writing = spawn("flood", _write(rude, requests))
        reading = spawn("answers", _read(rude, requests))
        while not reading.done():
            asked = time.perf_counter()
            await patient.ask("tools/call", {"name": "get_execution_stats", "arguments": {}})
            waits.append((time.perf_counter() - asked) * 1000)
            await asyncio.sleep(0.05)
        await writing
        seconds, more = time.perf_counter() - start, (own.memory_info().rss - before) / 1e6
    print(
        f"{requests:,} requests of one agent: {seconds:.1f} s, at most {message_stream.MOST_OPEN} open, {more:+.0f} MB"
    )
    print(
        f"another agent meanwhile, {len(waits)} calls: p50 {statistics.median(waits):.0f} ms, max {max(waits):.0f} ms"
    )


async def _write(agent: Agent, requests: int) -> None:
    for _ in range(requests):
        await agent.say("tools/call", {"name": "get_execution_stats", "arguments": {}})


async def _read(agent: Agent, requests: int) -> None:
    for _ in range(requests):
        assert "result" in await agent.hear()


async def programs(core: Core) -> None:
    for title, code in (("1,000 calls in one run", CALLS), ("10,000 rows filtered in one run", ROWS)):
        async with Agent(core) as agent:
            start, cpu = time.perf_counter(), time.process_time()
            text = await agent.run(code)
            took, used = time.perf_counter() - start, time.process_time() - cpu
            print(
                f"{title}: {took:.2f} s, {used:.2f} s of the core's processor time, {count(text)} tokens to the model"
            )


async def main(requests: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ[OVERRIDE] = home
        project = Path(home) / "project"
        project.mkdir()
        core = Core(paths_of(project))
        await core.open()
        core.services.settings.set(replace(core.settings, run_seconds=600, run_cpu_seconds=600))
        try:
            await flood(core, requests)
            await programs(core)
        finally:
            await core.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
