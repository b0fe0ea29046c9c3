"""Watches a program from its start to its end, and is that end when its time or its disk is used up."""

from __future__ import annotations

import asyncio
import time

from workbench.sandbox import quota
from workbench.sandbox.channel import Channel
from workbench.sandbox.program import Program

_LOOK_EVERY = 1.0  # seconds between looks at how full the workspace is


async def until_over(channel: Channel, program: Program, started: float) -> None:
    """Wait for its end, and be that end when time or disk are used up."""
    limits = program.limits
    looked = time.monotonic()
    while not channel.ended.done():
        before, looked = looked, time.monotonic()
        if program.stands():
            started += looked - before
        left = started + limits.seconds - looked
        if left <= 0:
            channel.end("timeout", f"The program ran longer than {limits.seconds:g} seconds.")
            return
        done, _ = await asyncio.wait([channel.ended], timeout=min(left, _LOOK_EVERY))
        if not done and program.writable:
            full = await asyncio.to_thread(quota.over, str(program.workspace), limits.disk_mb)
            if full:
                channel.end("disk", full)
