"""Measures the time that the run guard adds to a call: an ordinary call, one with side effects, and after long answers.

python benchmarks/guard.py
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import statistics
import time
from collections.abc import Callable

from injection import bench

from workbench.broker.provenance_index import AnswerRead, ProvenanceIndex
from workbench.broker.run_guard import RunGuard
from workbench.core import Core
from workbench.permissions.judgement import CallContext, judge
from workbench.records import CallDecision, Gate, Origin, Outcome, Proposal, Risk, Tool, ToolCall, ToolUse, Verdict
from workbench.runs.run import ProgramRun

ROUNDS = 20_000
LETTERS = 10_000_000
READS = frozenset({"private"})


def main() -> None:
    asyncio.run(_all())


async def _all() -> None:
    async with bench("", trust=True, medium_unasked=True) as one:
        await _ordinary(one.core)
    _long()


async def _ordinary(core: Core) -> None:
    session = core.services.sessions.open("scripted agent")
    run = ProgramRun(core.services, session, Proposal("r", "", "", Origin.AGENT, session.id, "scripted agent"))
    guard = RunGuard(run, lambda: core.settings, core.run_manager.held_calls, lambda call_id, waits: None)
    answer = Outcome("c", ok=True, structured=json.dumps({"id": "ORD-00042", "status": "paid", "note": "x" * 800}))
    reads, posts = core.catalog.tool("demo", "get_order"), core.catalog.tool("demo", "post_message")
    await _time(core, guard, reads, {"order_id": "ORD-00042"}, answer, "an ordinary call, before and after", "≤ 10")
    await _time(core, guard, posts, {"channel": "general", "text": "Good morning"}, None, "a call with side effects")


async def _time(
    core: Core,
    guard: RunGuard,
    tool: Tool,
    arguments: dict[str, str],
    answer: Outcome | None,
    words: str,
    wanted: str = "",
) -> None:
    call = ToolCall("c", tool.server, tool.name, arguments, Origin.AGENT, "s", "r")
    uses = (ToolUse(tool.server, tool.name, 1, often=True),)
    verdict, took = Verdict("", Risk.LOW, Gate.AUTO, "", tools=uses), []
    for _ in range(ROUNDS // (1 if answer else 20)):
        began = time.perf_counter()
        rules, counted = core.services.rules.rules_for(tool), guard.count(call, tool, arguments)
        context = CallContext(
            tool, rules, core.settings, verdict=verdict, arguments=arguments, run=guard, counted=counted
        )
        assert judge(call, context).decision is CallDecision.ALLOW
        if answer is not None:
            await guard.learn(call, tool, answer)
        took.append(time.perf_counter() - began)
    quantiles = statistics.quantiles(took, n=100)
    aside = f"   (wanted: {wanted} µs)" if wanted else ""
    print(f"{words:44} p50 {quantiles[49] * 1e6:8.1f} µs   p95 {quantiles[94] * 1e6:8.1f} µs{aside}")


def _long() -> None:
    dice, provenance = random.Random(7), ProvenanceIndex()
    words = ["alpha", "beta", "gamma", "order", "late", "early", "customer", "wants", "refund", "soon", "please"]
    rows: list[str] = []
    size = 0
    while size < LETTERS:
        rows.append(
            json.dumps({"id": f"ORD-{len(rows):06}", "note": " ".join(dice.choices(words, k=9)), "sum": dice.random()})
        )
        size += len(rows[-1])
    provenance.learn(AnswerRead("c", "r", "data", "rows", READS, (f"[{','.join(rows)}]",)))
    _once("10 MB of answers filed, once, on a thread", provenance.index_answers)
    _once("an address looked up after that", lambda: provenance.find_sources("somebody@else.example", READS))
    _once("a text of 10,000 words looked up", lambda: provenance.find_sources("word " * 10_000, READS))
    _once("10,000 answers of 1 kB taken in and filed", lambda: _many(rows))
    print(f"{'memory at most':44} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB")


def _many(rows: list[str]) -> None:
    provenance = ProvenanceIndex()
    for number in range(10_000):
        provenance.learn(
            AnswerRead(f"c{number}", "r", "data", "row", READS, ("".join(rows[number * 4 : number * 4 + 8]),))
        )
    provenance.index_answers()


def _once(words: str, act: Callable[[], object]) -> None:
    began = time.perf_counter()
    act()
    print(f"{words:44}     {(time.perf_counter() - began) * 1000:8.1f} ms")


if __name__ == "__main__":
    main()
