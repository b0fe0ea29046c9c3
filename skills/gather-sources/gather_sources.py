"""Asks several sources at once; one that fails or is slow costs the others nothing."""

import asyncio
import time
from collections.abc import Awaitable, Mapping
from typing import Any


async def gather_sources(sources: Mapping[str, Awaitable[Any]], seconds: float = 10) -> dict[str, Any]:
    """Each source's answer by its name, what went wrong with the others, and how long each took."""
    answers: dict[str, Any] = {}
    faults: dict[str, str] = {}
    took: dict[str, float] = {}

    async def ask(name: str, source: Awaitable[Any]) -> None:
        started = time.perf_counter()
        try:
            answers[name] = await asyncio.wait_for(source, seconds)
        except TimeoutError:
            faults[name] = f"no answer within {seconds:g} s"
        except Exception as fault:
            faults[name] = f"{type(fault).__name__}: {fault}"
        took[name] = round(time.perf_counter() - started, 2)

    await asyncio.gather(*(ask(name, source) for name, source in sources.items()))
    in_order = {name: answers[name] for name in sources if name in answers}
    return {"answers": in_order, "faults": faults, "seconds": {name: took[name] for name in sources}}
