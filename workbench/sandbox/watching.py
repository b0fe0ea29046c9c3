"""Watches a program from its start to its end, and is that end when its time or its disk is used up."""

from __future__ import annotations

import asyncio
import time

from workbench.sandbox.channel import Channel
from workbench.sandbox.gauge import LOOK_EVERY, Gauge, gauge_of
from workbench.sandbox.program import Program


async def until_over(channel: Channel, program: Program, started: float, process: int = 0) -> str:
    """Wait for its end, and be that end when time or disk are used up. Answers what a program that ended by itself
    left too full. `process` is the outermost of those that run it, where it can be seen."""
    limits, gauge = program.limits, gauge_of(str(program.workspace), program.limits.disk_mb)
    looked = counted = time.monotonic()
    room = gauge.left()
    while not channel.ended.done():
        before, looked = looked, time.monotonic()
        if program.stands():
            started += looked - before
        left = started + limits.seconds - looked
        if left <= 0:
            channel.end("timeout", f"The program ran longer than {limits.seconds:g} seconds.")
            return ""
        done, _ = await asyncio.wait([channel.ended], timeout=min(left, LOOK_EVERY))
        if not done and program.writable and gauge.due(counted):
            full = await asyncio.to_thread(_too_full, gauge, room, process)
            counted = time.monotonic()
            if full:
                channel.end("disk", full)
    if channel.reason or not program.writable or not gauge.suspects():
        return ""
    return await asyncio.to_thread(gauge.count)


def _too_full(gauge: Gauge, room: int, process: int) -> str:
    return gauge.count() or gauge.hidden(room - gauge.left(), process)
