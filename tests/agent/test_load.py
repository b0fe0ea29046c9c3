"""Many programs, calls, rows and requests, and agents that break off: served in turn, and nothing is left."""

from __future__ import annotations

import asyncio
import json
import socket

from msgspec.structs import replace

from workbench.agent import message_stream
from workbench.agent.lookup_tools import LookupTools
from workbench.records import RunState
from workbench.tokens import count

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
MANY = """
import asyncio
from servers.demo import count_orders, list_orders

counted = await asyncio.gather(*(count_orders() for _ in range(1_000)))
pages = await asyncio.gather(*(list_orders(limit=500, offset=at) for at in range(0, 1_000, 500)))
rows = [order for page in pages for order in page["orders"]]
large = sorted((order for order in rows if order["amount"] > 900), key=lambda order: -order["amount"])
print(len(counted), "calls,", len(rows), "rows,", len(large), "are large")
result = [order["id"] for order in large[:20]]
"""


class Raw:
    """An agent that writes its own lines."""

    def __init__(self, core) -> None:
        near, far = socket.socketpair()
        self._near, self._far, self._core = near, far, core

    async def __aenter__(self) -> Raw:
        self.serving = asyncio.get_running_loop().create_task(
            self._core.serve_agent(*await asyncio.open_connection(sock=self._far))
        )
        self.reader, self.writer = await asyncio.open_connection(sock=self._near, limit=1 << 24)
        self.say(HELLO)
        await self.hear()
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.transport.abort()
        await asyncio.wait_for(self.serving, 60)

    def say(self, message: object) -> None:
        self.writer.write(json.dumps(message).encode() + b"\n")

    def call(self, number: int, tool: str, **arguments: object) -> None:
        params = {"name": tool, "arguments": arguments}
        self.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    async def hear(self) -> dict:
        return json.loads(await asyncio.wait_for(self.reader.readline(), 60))


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def test_a_thousand_calls_and_a_thousand_rows_are_one_short_answer(core, agent):
    core.services.settings.set(
        replace(core.settings, run_seconds=600, run_cpu_seconds=600)
    )  # a busy machine is no fault
    async with agent() as client:
        ran = await client.call_tool("execute_code", {"code": MANY, "description": "many"})
    text = ran.content[0].text
    assert not ran.is_error, text
    assert text.startswith("1000 calls, 1000 rows, ")
    assert count(text) <= 500
    (run,) = core.run_manager.runs()
    assert run.ledger.direct > 50 * run.ledger.actual, "what single calls would have cost"


async def test_five_programs_run_at_once_and_the_sixth_waits_until_its_agent_breaks_off(core):
    sleep = {"code": "import time\ntime.sleep(25)", "description": "sleep"}
    async with Raw(core) as one:
        for number in range(1, 7):
            one.call(number, "execute_code", **sleep)
        await until(lambda: core.run_manager.count_runs(RunState.RUNNING) == 5 and core.run_manager.slots.waiting == 1)
    await until(lambda: not core.run_manager.busy)
    assert {run.state for run in core.run_manager.runs()} == {RunState.STOPPED}
    assert (core.run_manager.slots.waiting, core.run_manager.slots.full, core.connected_agents.agents()) == (
        0,
        False,
        (),
    )


async def test_a_flood_is_read_as_fast_as_it_is_answered_and_others_are_served_meanwhile(core, agent, monkeypatch):
    inside, most = 0, 0
    plain = LookupTools.stats

    async def counted(self):
        nonlocal inside, most
        inside, most = inside + 1, max(most, inside + 1)
        try:
            return await plain(self)
        finally:
            inside -= 1

    monkeypatch.setattr(LookupTools, "stats", counted)
    async with Raw(core) as flood, agent("patient") as patient:
        for number in range(1, 301):
            flood.call(number, "get_execution_stats")
        await until(lambda: most > 0)
        assert not (await patient.call_tool("list_skills", {})).is_error
        answered = 0
        while answered < 300:
            message = await flood.hear()
            assert "result" in message, message
            answered += "id" in message
    assert most <= message_stream.MOST_OPEN


async def test_rubbish_is_answered_with_errors_and_the_next_request_with_its_answer(core):
    async with Raw(core) as one:
        rubbish = (b"{", b"[" * 50_000, b'{"jsonrpc":"2.0","id":{},"method":5}', b"\xff\xfe\x00", b"null", b"[]")
        for line in rubbish:
            one.writer.write(line + b"\n")
            assert (await one.hear())["error"]["code"] in (-32700, -32600)
        one.say({"jsonrpc": "2.0", "id": 7, "method": "no/such"})
        assert (await one.hear())["error"]["code"] == -32601
        one.call(8, "execute_code", code="result = 1", description="x", extra=1)
        assert (await one.hear())["result"]["isError"]
        one.writer.write(b"x" * (message_stream.MAX_FRAME + 10))
        assert "16 MiB" in (await one.hear())["error"]["message"]
    await until(lambda: not core.connected_agents.agents())
