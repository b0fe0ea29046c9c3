"""Measures runs through the complete core, assessed, audited and masked; a part of `sandbox.py`.

A real core with a project of its own, the demo server, and a server with any number of tools.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from workbench.broker.agent_sessions import Session
from workbench.core import Core
from workbench.events import Event, RunChanged
from workbench.paths import OVERRIDE, paths_of
from workbench.records import Decision, RunState

SIX = """
from servers.demo import get_channel_history, get_customer, get_order, get_ticket, list_customers, list_outbox
import time
began = time.perf_counter()
for number in range(17):
    await get_order(order_id=f"ORD-{number + 1:05}")
    await get_customer(customer_id=f"CUS-{number + 1:04}")
    await get_ticket(ticket_id=f"TIC-{number + 1:04}")
    await list_customers(limit=1)
    await get_channel_history(channel="general")
    if number < 15:
        await list_outbox()
result = time.perf_counter() - began
"""
PARALLEL = """
import time
began = time.perf_counter()
await asyncio.gather(*[call_tool("many", "list_orders_0", {"limit": 100}) for _ in range(10)])
result = time.perf_counter() - began
"""
ROUNDS = 12  # the first two are warm-up
Line = Callable[..., None]
Ask = Callable[[str, dict[str, Any]], Awaitable[Any]]  # Any: JSON, and the SDK's typed result


async def through_the_core(line: Line, bare: Callable[[], float], rounds: int) -> None:
    """Measure three cores: without servers, with the demo server only, and with 985 more tools."""
    await _in_a_core(0, lambda core: _trivial(core, line, bare, rounds))
    await _in_a_core(0, lambda core: _calls(core, line, "100 calls of 6 tools, 21 tools known"))
    await _in_a_core(985, lambda core: _calls(core, line, "100 calls of 6 tools, 1,006 tools known", parallel=True))


async def _in_a_core(tools: int, measure: Callable[[Core], object]) -> None:
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-project-") as folder:
        os.environ[OVERRIDE] = f"{folder}/home"
        project = Path(folder, "project")
        project.mkdir()
        if tools:
            server = {
                "command": sys.executable,
                "args": [str(Path(__file__).with_name("waiting_server.py")), str(tools)],
            }
            (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"many": server}}))
        core = Core(paths_of(project))
        await core.open()
        try:
            for name in ("demo", *(["many"] if tools else [])):
                await core.catalog.connect(name)
            await measure(core)  # type: ignore[misc]  # a coroutine, whatever it answers
        finally:
            await core.close()


async def _trivial(core: Core, line: Line, bare: Callable[[], float], rounds: int) -> None:
    for who, session in (
        ("an agent", core.services.sessions.open("benchmark")),
        ("a person", core.services.sessions.person),
    ):
        took, beside = [], []
        for number in range(rounds + 3):
            seconds, _ = await _run(core, f"result = {number}", session)
            await asyncio.sleep(0.1)  # until a sandbox is prepared again
            took.append(seconds)
            beside.append(bare())
        line(f"through the core: a trivial run, by {who}", took[3:], beside[3:], "≤ 2.3")


async def _calls(core: Core, line: Line, name: str, parallel: bool = False) -> None:
    """Measure calls, alternating with the SDK's own client on another demo server."""
    session = core.services.sessions.open("benchmark")
    took, beside = [], []
    async with _sdk_client() as ask:
        for number in range(ROUNDS):
            took.append(float((await _run(core, f"{SIX}# {number}\n", session))[1]))
            await asyncio.sleep(0.4)  # until deferred writes are done
            beside.append(await _directly(ask))
    line(f"through the core: {name}", took[2:], None, "≤ 26")
    line("  the same calls by the SDK's client, directly", beside[2:])
    ratios = sorted(ours / other for ours, other in zip(took[2:], beside[2:], strict=True))
    print(
        f"{'  ours beside the client':52}{ratios[len(ratios) // 2]:8.2f}×{min(took) / min(beside):8.2f}× (best)  ≤ 1.3"
    )
    if parallel:
        took = [float((await _run(core, f"{PARALLEL}# {number}\n", session))[1]) for number in range(8)]
        line("through the core: 10 calls of 100 ms together", took[2:], None, "≤ 111")


@contextlib.asynccontextmanager
async def _sdk_client() -> AsyncIterator[Ask]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    root = str(Path(__file__).resolve().parents[1])
    server = StdioServerParameters(command=sys.executable, args=["-m", "workbench.demo"], cwd=root)
    async with stdio_client(server) as (incoming, outgoing), ClientSession(incoming, outgoing) as client:
        await client.initialize()
        yield client.call_tool


async def _directly(ask: Ask) -> float:
    """Seconds for the calls of `SIX` through the SDK's client."""
    began = time.perf_counter()
    for number in range(17):
        await ask("get_order", {"order_id": f"ORD-{number + 1:05}"})
        await ask("get_customer", {"customer_id": f"CUS-{number + 1:04}"})
        await ask("get_ticket", {"ticket_id": f"TIC-{number + 1:04}"})
        await ask("list_customers", {"limit": 1})
        await ask("get_channel_history", {"channel": "general"})
        if number < 15:
            await ask("list_outbox", {})
    return time.perf_counter() - began


def _allow(core: Core, event: Event) -> None:
    """Allow every request. The hints of these servers are not trusted, so calls need approval."""
    if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
        run = event.run
        yes = Decision(run.id, run.proposal.sha, allow=True, by="benchmark", fingerprint=run.fingerprint)
        asyncio.get_running_loop().call_soon(core.run_manager.decide, yes)


async def _run(core: Core, code: str, session: Session) -> tuple[float, str]:
    began = time.perf_counter()
    run = core.run_manager.submit(code, session)
    stop = core.bus.listen(lambda event: _allow(core, event))
    run = await core.run_manager.wait_until_finished(run.id)
    stop()
    seconds = time.perf_counter() - began
    if run.state is not RunState.DONE:
        raise SystemExit(f"the benchmark's program was {run.state}: {run.fault}")
    return seconds, run.result
