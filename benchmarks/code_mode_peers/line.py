"""What every contender of `code_mode.py` has in common: it answers each question on stdin with milliseconds.

Standard library only: the contenders live in environments of their own.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

SIX = ("list_orders_0", "get_orders_1", "find_orders_2", "count_orders_3", "list_people_4", "get_people_5")
QUERY = "find people of shelf"

Deeds = dict[str, Callable[[], Any]]  # by question; one that answers milliseconds has measured itself


def calls(form: str) -> str:
    """A hundred calls of six tools, one after the other, as a program would make them: `form` is one call of NAME."""
    six = [form.replace("NAME", name) for name in SIX]
    return "".join(["for _ in range(16):\n", *(f"    {one}\n" for one in six), *(f"{one}\n" for one in six[:4])])


def serve(deeds: Deeds) -> None:
    """Answer until stdin ends. What a contender cannot do is answered with the reason."""
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(_measured(deeds.get(line.strip()))), flush=True)


async def serve_async(deeds: dict[str, Callable[[], Awaitable[Any]]]) -> None:
    """The same on a loop."""
    import asyncio

    print(json.dumps("ready"), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        deed = deeds.get(line.strip())
        if deed is None:
            print(json.dumps(None), flush=True)
            continue
        began = time.perf_counter()
        try:
            await deed()
            print(json.dumps((time.perf_counter() - began) * 1000), flush=True)
        except Exception as fault:  # whatever a contender fails with is its answer
            print(json.dumps(f"{type(fault).__name__}: {fault}"[:300]), flush=True)


def _measured(deed: Callable[[], Any] | None) -> float | str | None:
    if deed is None:
        return None
    began = time.perf_counter()
    try:
        told = deed()
    except Exception as fault:  # as above
        return f"{type(fault).__name__}: {fault}"[:300]
    return told if isinstance(told, float) else (time.perf_counter() - began) * 1000
