"""Calls a tool for many arguments without flooding it, and without losing what went well when one fails."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any


async def batch_with_retry(
    call: Callable[..., Awaitable[Any]],
    arguments: Sequence[Mapping[str, Any]],
    at_once: int = 5,
    per_second: float = 20,
    tries: int = 3,
    pause: float = 0.2,
) -> dict[str, Any]:
    """`call(**each)` for each of the arguments. Results stand in their order; None where it failed for good."""
    loop, slots = asyncio.get_running_loop(), asyncio.Semaphore(max(1, at_once))
    start, tried = loop.time(), 0
    results: list[Any] = [None] * len(arguments)
    failed: list[dict[str, Any]] = []

    async def one(at: int) -> None:
        nonlocal tried
        async with slots:
            await asyncio.sleep(max(0.0, start + at / per_second - loop.time()) if per_second > 0 else 0)
            for left in reversed(range(max(1, tries))):
                tried += 1
                try:
                    results[at] = await call(**arguments[at])
                    return
                except Exception as fault:
                    if not left:
                        failed.append({"at": at, "arguments": dict(arguments[at]), "error": str(fault)})
                    else:
                        await asyncio.sleep(pause * 2 ** (tries - 1 - left))

    await asyncio.gather(*(one(at) for at in range(len(arguments))))
    failed.sort(key=lambda entry: entry["at"])
    return {"done": len(arguments) - len(failed), "failed": failed, "calls": tried, "results": results}
