"""A sandbox that stays after its program: the next one goes on with its variables, imports and open files.

What holds for a fresh sandbox holds here too, with one difference: programs of one state share a process, so that
whatever an earlier one left behind may act while a later one runs. Nothing inside could prevent that. Who lets a
program in has to judge it together with all that ran here before.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import Any

from workbench.events import spawn
from workbench.records import Limits
from workbench.sandbox.isolation_levels import LEVELS
from workbench.sandbox.locked_child import ChildExit, ChildMaker, SandboxChild
from workbench.sandbox.program import Answer, Ending, Output, Program
from workbench.sandbox.supervision.child_usage import ChildUsage, innermost, usage
from workbench.sandbox.supervision.program_run import conclude, current_line, wait_for_end

_LOOK_EVERY = 0.5  # seconds between looks at the processor time
_DEATH_SECONDS = 1.0  # seconds a child that ends by itself may take to be gone
_IDLE_CPU = 2.0  # seconds of processor time that may be used while no program runs


@dataclass(frozen=True, slots=True)
class ReplPlace:
    """Level and folders of a REPL sandbox."""

    level: str
    folders: tuple[tuple[int, int], ...]


class ReplSandbox:
    """One locked child for several programs in turn; `gone` tells in half a sentence why it takes no more."""

    def __init__(self, maker: ChildMaker, child: SandboxChild, place: ReplPlace) -> None:
        self.place = place
        self.profile = child.profile
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._maker = maker
        self._child = child
        self._turn = asyncio.Lock()
        self._reason = ""  # what somebody outside gave as the reason
        self._process = 0  # the one programs run in, once somebody looked for it
        self.last = ChildUsage()  # as it was seen last
        self._usage_at_rest: ChildUsage | None = None  # what was used when the last program ended
        self._watching = spawn("kept sandbox", self._watch())

    async def run(self, program: Program, answer: Answer, output: Output) -> Ending:
        """Run the next program to its end. Cancelling kills all of it."""
        async with self._turn:
            try:
                return await self._run(program, answer, output)
            except BaseException:
                await asyncio.shield(self._finish("its last program was stopped"))
                raise

    async def end(self, why: str) -> None:
        """Kill it and wait until nothing of it is left."""
        self._reason = self._reason or why
        self._child.channel.end("stopped", f"Its sandbox was ended: {why}.")
        await self._finish(why)
        await asyncio.wait([self._watching])

    async def used(self) -> ChildUsage:
        """What it has used up to now; nothing where that cannot be seen from outside."""
        if not self._process and self._child.process:
            self._process = await asyncio.to_thread(innermost, self._child.process)
        self.last = (usage(self._process) if self._process else None) or self.last
        return self.last

    async def _run(self, program: Program, answer: Answer, output: Output) -> Ending:
        channel, started = self._child.channel, time.monotonic()
        before = await self.used() if self._usage_at_rest else ChildUsage()
        if program.network is not None:
            program.network.nearby = self.place.level == LEVELS[0]
        channel.begin_next(program.code, program.limits, answer, output, program.network)
        minding = spawn("kept sandbox's time", self._limit_cpu(before.cpu, program.limits))
        try:
            full = await wait_for_end(channel, program, started, self._child.process)
        finally:
            minding.cancel()
        if full:
            channel.reason, channel.message = "disk", full
        if channel.reason or channel.ended.result() is None:
            return await self._died(program.limits, started)
        await channel.rest()
        self._usage_at_rest = used = await self.used()
        gone = ChildExit(0, used.cpu - before.cpu, used.memory_mb)
        return conclude(channel, gone, program.limits, time.monotonic() - started)

    async def _died(self, limits: Limits, started: float) -> Ending:
        """The program took the sandbox with it."""
        if self._child.channel.reason:
            self._maker.kill(self._child)
        await asyncio.wait([self._child.gone], timeout=_DEATH_SECONDS)
        ending = conclude(
            self._child.channel, await self._maker.finish(self._child), limits, time.monotonic() - started
        )
        await self._finish(ending.message[:1].lower() + ending.message[1:].rstrip("."))
        return ending

    async def _limit_cpu(self, before: float, limits: Limits) -> None:
        """The kernel counts a process's whole life; what one program may use is counted here."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            if (await self.used()).cpu - before > limits.cpu_seconds:
                words = f"The program used more than {limits.cpu_seconds:g} seconds of processor time."
                self._child.channel.end("cpu", f"{words}{await current_line(self._child.channel, self._child.process)}")
                return

    async def _watch(self) -> None:
        """Between programs: it may die, or what was left behind in it may go on."""
        why = ""
        news: list[asyncio.Future[Any]] = [
            self._child.gone,
            self._child.channel.unusable,
            self.gone,
        ]  # Any: of many kinds
        while not why and not self.gone.done():
            await asyncio.wait(news, timeout=_LOOK_EVERY)
            async with self._turn:
                why = await self._fault()
        if not self.gone.done():
            await self._finish(why)

    async def _fault(self) -> str:
        if self._child.channel.unusable.done():
            return self._child.channel.unusable.result()
        if self._child.gone.done():
            return "its process ended"
        if self._usage_at_rest and (await self.used()).cpu - self._usage_at_rest.cpu > _IDLE_CPU:
            return "something in it went on computing after its program had ended"
        return ""

    async def _finish(self, why: str) -> None:
        await self._maker.finish(self._child)
        with contextlib.suppress(asyncio.InvalidStateError):  # the first reason stays
            self.gone.set_result(self._reason or why)
