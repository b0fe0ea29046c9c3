"""Runs a program and a skill on a project from Python: `python pending_orders.py [FOLDER]`."""

import asyncio
import sys

from workbench import Orchestrator, Task

CODE = """
from servers.demo import list_orders

page = await list_orders(status="pending", limit=10_000)
amounts = sorted((order["amount"] for order in page["orders"]), reverse=True)
return {"pending": len(amounts), "largest": amounts[:3]}
"""


async def main(project: str | None) -> None:
    async with Orchestrator(project) as orchestrator:
        task = Task("pending-1", "Count pending orders", CODE, required_tools=["demo.list_orders"])
        result = await orchestrator.execute_task(task)
        print(task.status, result.data)
        print(f"{result.stats.duration:.0f} ms, {result.stats.tokens_used} tokens, {result.stats.tools_called}")

        skill = (await orchestrator.search_skills("pending orders"))[0]
        summary = await orchestrator.execute_skill(skill.name, {"minimum_amount": 500, "show": 2})
        print(skill.name, summary.status, summary.data)
        print(await orchestrator.get_stats())


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
