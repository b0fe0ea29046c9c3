"""Sandbox of a REPL session: each program continues with the variables, imports and open files of the earlier ones.

It guarantees the same as a new sandbox, with one difference: the programs of a session share a process, so code that an
earlier program left running may act while a later one runs. Nothing inside can prevent that. So a program must be
judged together with all programs that ran in the session before.
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

_LOOK_EVERY = 0.5  # seconds between checks of the CPU time
_DEATH_SECONDS = 1.0  # seconds within which a child that ends by itself must be gone
_IDLE_CPU = 2.0  # CPU seconds allowed while no program runs


@dataclass(frozen=True, slots=True)
class ReplPlace:
    """Level and folders of a REPL sandbox."""

    level: str
    folders: tuple[tuple[int, int], ...]


class ReplSandbox:
    """A locked child for several programs, one at a time.

    `gone` is set to the reason why it accepts no more programs.
    """

    def __init__(self, maker: ChildMaker, child: SandboxChild, place: ReplPlace) -> None:
        self.place = place
        self.profile = child.profile
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._maker = maker
        self._child = child
        self._turn = asyncio.Lock()
        self._reason = ""  # reason given by the caller of `end`
        self._process = 0  # process that runs the programs, once it was looked up
        self.last = ChildUsage()  # most recent measurement
        self._usage_at_rest: ChildUsage | None = None  # usage at the end of the last program
        self._watching = spawn("kept sandbox", self._watch())

    async def run(self, program: Program, answer: Answer, output: Output) -> Ending:
        """Run the next program and return its end. Cancelling kills the sandbox."""
        async with self._turn:
            try:
                return await self._run(program, answer, output)
            except BaseException:
                await asyncio.shield(self._finish("its last program was stopped"))
                raise

    async def end(self, why: str) -> None:
        """Kill the sandbox and wait until all its processes have ended."""
        self._reason = self._reason or why
        self._child.channel.end("stopped", f"The sandbox of the REPL session was ended: {why}.")
        await self._finish(why)
        await asyncio.wait([self._watching])

    async def used(self) -> ChildUsage:
        """CPU time and memory that the sandbox has used so far. Zero if that is not visible from outside."""
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
        """Finish the sandbox after a program ended it, and return the end of that program."""
        if self._child.channel.reason:
            self._maker.kill(self._child)
        await asyncio.wait([self._child.gone], timeout=_DEATH_SECONDS)
        ending = conclude(
            self._child.channel, await self._maker.finish(self._child), limits, time.monotonic() - started
        )
        await self._finish(ending.message[:1].lower() + ending.message[1:].rstrip("."))
        return ending

    async def _limit_cpu(self, before: float, limits: Limits) -> None:
        """Enforce the CPU limit of one program. The kernel's limit covers the whole life of the process."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            if (await self.used()).cpu - before > limits.cpu_seconds:
                words = f"The program used more than {limits.cpu_seconds:g} seconds of processor time."
                self._child.channel.end("cpu", f"{words}{await current_line(self._child.channel, self._child.process)}")
                return

    async def _watch(self) -> None:
        """Watch the sandbox between programs: its process may die, or leftover code may keep computing."""
        why = ""
        news: list[asyncio.Future[Any]] = [
            self._child.gone,
            self._child.channel.unusable,
            self.gone,
        ]  # Any: futures of different types
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
            return "code in it kept computing after its program had ended"
        return ""

    async def _finish(self, why: str) -> None:
        await self._maker.finish(self._child)
        with contextlib.suppress(asyncio.InvalidStateError):  # the first reason stays
            self.gone.set_result(self._reason or why)
