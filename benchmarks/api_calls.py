"""Measures API calls of a client to the core: `api_calls.py [ROUNDS]`.

A real API server with made-up answers, over a socket pair: the first call, a small method, the settings, and a list of
2,000 tools.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

from workbench.api.in_memory import connect_in_memory
from workbench.events import Bus
from workbench.records import Hints, ToolSummary
from workbench.settings import Settings

TOOLS = tuple(ToolSummary("demo", f"tool{at}", "", "Does it.", Hints(), "import", at) for at in range(2_000))


class Answers:
    """Answers immediately, so that only the transport is measured."""

    async def has_pin(self) -> bool:
        return True

    async def settings(self) -> Settings:
        return Settings()

    async def tools(self) -> tuple[ToolSummary, ...]:
        return TOOLS


async def calls(rounds: int) -> None:
    connection = await connect_in_memory(Answers(), Bus())
    api = connection.api
    print(f"first call         {await _took(api.has_pin) * 1e3:8.2f} ms")
    for name, method, times in (
        ("small answer", api.has_pin, rounds),
        ("settings", api.settings, rounds // 10),
        ("2,000 tools", api.tools, rounds // 100),
    ):
        took = statistics.median([await _took(method) for _ in range(max(5, times))])
        print(f"{name:18} {took * 1e3:8.3f} ms")
    await connection.close()


async def _took(method: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    await method()
    return time.perf_counter() - begun


if __name__ == "__main__":
    asyncio.run(calls(int(sys.argv[1]) if len(sys.argv) > 1 else 3_000))
