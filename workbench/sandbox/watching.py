"""Watches a program from its start to its end, and ends it when its time or its disk is used up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time

from workbench.records import Limits
from workbench.sandbox.channel import Channel
from workbench.sandbox.gauge import LOOK_EVERY, Gauge, gauge_of
from workbench.sandbox.program import Program
from workbench.sandbox.usage import innermost, usage

_WINDOW = 0.25  # seconds over which a program is judged to compute or to sleep: the kernel counts in hundredths
_SLEEPS = 0.1  # the share of a processor below which it sleeps
_LINE_SECONDS = 0.3  # how long a program that is out of time may take to say where it is


class Clock:
    """The time of one program: its own, and in all. `own` leaves out what its tools take, and, unless
    `limits.sleep_counts`, the time in which it uses no processor, where that can be seen from outside."""

    def __init__(self, limits: Limits, channel: Channel, started: float, process: int) -> None:
        self._limits = limits
        self._channel = channel
        self._process = innermost(process) if process and not limits.sleep_counts else 0
        self._looked = started
        self._window = 0.0  # own time that is not judged yet
        self._own = 0.0
        self._total = 0.0
        self._cpu = self._used()
        self._answered = channel.answering_seconds()

    def look(self, now: float, user_is_asked: bool) -> float:
        """Count the time since the last look; answers how many seconds are left at most, 0 or less when none is."""
        passed, self._looked = now - self._looked, now
        answered = self._channel.answering_seconds()
        tools, self._answered = answered - self._answered, answered
        if user_is_asked:
            return LOOK_EVERY
        self._total += passed
        self._window += max(0.0, passed - tools)
        if self._window >= _WINDOW or self._left() <= 0:
            self._judge()
        return self._left()

    def sentence(self) -> str:
        """Which of its times is over."""
        limits = self._limits
        if not limits.total_seconds:
            return f"The program ran longer than {limits.seconds:g} seconds."
        if self._own + self._window >= limits.seconds:
            return f"The program ran longer than {limits.seconds:g} seconds of its own."
        return f"The program and the tools it called took longer than {limits.total_seconds:g} seconds in all."

    def _left(self) -> float:
        limits = self._limits
        if not limits.total_seconds:
            return limits.seconds - self._total
        return min(limits.seconds - self._own - self._window, limits.total_seconds - self._total)

    def _judge(self) -> None:
        if self._process:
            before, self._cpu = self._cpu, self._used()
            if self._cpu - before < _SLEEPS * self._window:
                self._window = 0.0
        self._own += self._window
        self._window = 0.0

    def _used(self) -> float:
        found = usage(self._process) if self._process else None
        return found.cpu if found is not None else 0.0


async def until_over(channel: Channel, program: Program, started: float, process: int = 0) -> str:
    """Wait for its end, and end it when time or disk are used up. Answers what a program that ended by itself
    left too full. `process` is the outermost of those that run it, where it can be seen."""
    limits, gauge = program.limits, gauge_of(str(program.workspace), program.limits.disk_mb)
    clock, counted = Clock(limits, channel, started, process), time.monotonic()
    room = gauge.left()
    while not channel.ended.done():
        left = clock.look(time.monotonic(), program.stands())
        if left <= 0:
            where = await line_of(channel, process) if program.language == "python" else ""
            channel.end("timeout", f"{clock.sentence()}{where}")
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


async def line_of(channel: Channel, process: int) -> str:
    """Where a Python program is right now, in a sentence of its own; empty where it does not say. It is about to be
    ended: a signal asks it, and what it answers is taken for no more than a hint."""
    if not process or not (inner := innermost(process)):
        return ""
    with contextlib.suppress(OSError):
        os.kill(inner, signal.SIGUSR1)
        async with asyncio.timeout(_LINE_SECONDS):
            await channel.located()
    return channel.where()


def _too_full(gauge: Gauge, room: int, process: int) -> str:
    return gauge.count() or gauge.hidden(room - gauge.left(), process)
