"""Runs one program in a child: sends its text, enforces its limits, and determines the reason for its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import time
from dataclasses import replace

from workbench.records import Limits
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.locked_child import ChildExit, ChildMaker, SandboxChild
from workbench.sandbox.program import Answer, Ending, Output, Program
from workbench.sandbox.supervision.child_usage import innermost, usage
from workbench.sandbox.supervision.workspace_quota import LOOK_EVERY, QuotaGauge, quota_gauge

# seconds over which CPU use decides whether a program computes or sleeps: the kernel counts in hundredths
_WINDOW = 0.25
_SLEEPS = 0.1  # CPU share below which a program counts as sleeping
_LINE_SECONDS = 0.3  # seconds within which a program that timed out must report its current line


class RunClock:
    """Measures a program's own time and its total time.

    Own time excludes tool calls and, unless `limits.sleep_counts` is set, time without CPU use, if that is visible from
    outside.
    """

    def __init__(self, limits: Limits, channel: Channel, started: float, process: int) -> None:
        self._limits = limits
        self._channel = channel
        self._process = innermost(process) if process and not limits.sleep_counts else 0
        self._looked = started
        self._window = 0.0  # own time that is not classified yet
        self._own = 0.0
        self._total = 0.0
        self._cpu = self._cpu_used()
        self._answered = channel.answering_seconds()

    def look(self, now: float, user_is_asked: bool) -> float:
        """Count the time since the last call. Returns the remaining seconds, 0 or less if the time is over."""
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
        """Message that says which time limit was exceeded."""
        limits = self._limits
        if not limits.total_seconds:
            return f"The program ran longer than {limits.seconds:g} seconds."
        if self._own + self._window >= limits.seconds:
            return f"The program ran longer than {limits.seconds:g} seconds, not counting tool calls."
        return f"The program and the tools it called took longer than {limits.total_seconds:g} seconds in total."

    def _left(self) -> float:
        limits = self._limits
        if not limits.total_seconds:
            return limits.seconds - self._total
        return min(limits.seconds - self._own - self._window, limits.total_seconds - self._total)

    def _judge(self) -> None:
        if self._process:
            before, self._cpu = self._cpu, self._cpu_used()
            if self._cpu - before < _SLEEPS * self._window:
                self._window = 0.0
        self._own += self._window
        self._window = 0.0

    def _cpu_used(self) -> float:
        found = usage(self._process) if self._process else None
        return found.cpu if found is not None else 0.0


async def wait_for_end(channel: Channel, program: Program, started: float, process: int = 0) -> str:
    """Wait for the end of the program, and end it when its time or disk limit is exceeded.

    Returns a message if a program that ended by itself left the workspace too full. `process` is the outermost process
    of the child, if visible.
    """
    limits, gauge = program.limits, quota_gauge(str(program.workspace), program.limits.disk_mb)
    clock, counted = RunClock(limits, channel, started, process), time.monotonic()
    room = gauge.left()
    while not channel.ended.done():
        left = clock.look(time.monotonic(), program.is_user_asked())
        if left <= 0:
            where = await current_line(channel, process) if program.language == "python" else ""
            channel.end("timeout", f"{clock.sentence()}{where}")
            return ""
        done, _ = await asyncio.wait([channel.ended], timeout=min(left, LOOK_EVERY))
        if not done and program.writable and gauge.due(counted):
            full = await asyncio.to_thread(_too_full, gauge, room, process)
            counted = time.monotonic()
            if full:
                channel.end("disk", full)
    if channel.reason or not program.writable or not gauge.is_suspect():
        return ""
    return await asyncio.to_thread(gauge.count)


async def current_line(channel: Channel, process: int) -> str:
    """A sentence with the current line of a Python program that is about to be ended, or "".

    A signal makes the program report its line. The reply is untrusted, so it serves only as a hint.
    """
    if not process or not (inner := innermost(process)):
        return ""
    with contextlib.suppress(OSError):
        os.kill(inner, signal.SIGUSR1)
        async with asyncio.timeout(_LINE_SECONDS):
            await channel.located()
    return channel.where()


def _too_full(gauge: QuotaGauge, room: int, process: int) -> str:
    return gauge.count() or gauge.hidden_use(room - gauge.left(), process)


_TOO_MUCH = (b"out of memory", b"memory allocation of")
_CPU_SLACK = 0.25  # the kernel counts in ticks


def conclude(channel: Channel, gone: ChildExit, limits: Limits, seconds: float, last_words: bytes = b"") -> Ending:
    """Determine how a run ended: the core ended it, it sent its end, or it died.

    `last_words` is its runtime's error output.
    """
    found = _reason(channel, gone, limits, last_words)
    return replace(found, output="".join(channel.output), seconds=seconds, memory_mb=gone.memory_mb)


def _reason(channel: Channel, gone: ChildExit, limits: Limits, last_words: bytes) -> Ending:
    if channel.reason:
        return Ending(False, channel.reason, message=channel.message)
    last = channel.ended.result()
    if last is None:
        reason, message = _death_of_deno(last_words, limits) or _death(gone, limits)
        return Ending(False, reason, message=message + channel.where() * (reason == "cpu"))
    if last["ok"]:
        return Ending(True, "done", result=last["result"])
    reason = "memory" if last["error_type"] == "MemoryError" else "failed"
    if reason == "memory" and not last["message"]:
        last = {**last, "message": _memory_message(limits)}
    return Ending(False, reason, "", last["error_type"], last["message"], last["traceback"])


def _death_of_deno(last_words: bytes, limits: Limits) -> tuple[str, str] | None:
    """Reason for the end from Deno's error output, or None if there is none."""
    if any(words in last_words for words in _TOO_MUCH):
        return "memory", _memory_message(limits)
    found = re.search(rb"panicked at .*\n(.*)", last_words) or re.search(rb"(?m)^(?:error: )?(\S.*)$", last_words)
    return ("killed", f"Deno ended: {found[1].decode('utf-8', 'replace')[:300]}") if found else None


def _death(gone: ChildExit, limits: Limits) -> tuple[str, str]:
    if gone.lost:
        return "lost", "The sandbox's launcher was ended from outside; the program died with it."
    if gone.code == -signal.SIGXFSZ:  # exit status of the outer process, see `reduced_backend`
        return "disk", "The program filled its home and temporary folders."
    name = _signal_name(gone.code)
    if name in ("SIGKILL", "SIGXCPU") and gone.cpu >= limits.cpu_seconds - _CPU_SLACK:
        return "cpu", f"The program used more than {limits.cpu_seconds:g} seconds of processor time."
    if name == "SIGSEGV":
        return (
            "killed",
            "The program crashed Python (SIGSEGV), often because of endless recursion or too little memory.",
        )
    if name:
        return "killed", f"The program's process was ended by {name}."
    return "killed", f"The program's process ended without a result (exit code {gone.code})."


def _memory_message(limits: Limits) -> str:
    return f"The program needed more than its {limits.memory_mb} MB of memory."


def _signal_name(code: int) -> str:
    number = -code if code < 0 else code - 128
    return signal.Signals(number).name if number in set(signal.Signals) else ""


_DEATH_SECONDS = 1.0  # seconds within which a dying program must have ended


async def run_once(maker: ChildMaker, child: SandboxChild, program: Program, answer: Answer, output: Output) -> Ending:
    """Run the program and return its end. A child that sent its end is killed; the caller waits until it is gone."""
    channel, limits = child.channel, program.limits
    if child.files is not None:
        await child.files.bring()
    started = time.monotonic()
    channel.begin(program.code, limits, answer, output, program.network)
    full = await wait_for_end(channel, program, started, child.process)
    seconds = time.monotonic() - started
    reason, message = ("disk", full) if full and child.files is None else await _collect_files(child, output)
    last = channel.ended.result()
    gone = (
        await _wait_for_death(maker, child) if last is None else await _kill_finished(maker, child, last["memory_mb"])
    )
    ending = conclude(channel, gone, limits, seconds, child.last_words)
    return replace(ending, ok=False, reason=reason, message=message) if reason else ending


async def _collect_files(child: SandboxChild, output: Output) -> tuple[str, str]:
    """Copy files out of the child if its program ended by itself. Files of a program that was ended are discarded."""
    if child.files is None or child.channel.reason:
        return "", ""
    trouble = await child.files.collect()
    if notes := child.files.notes():
        output("stderr", notes)
    return trouble


async def _kill_finished(maker: ChildMaker, child: SandboxChild, memory_mb: float) -> ChildExit:
    """Kill a child that sent its end, and read its remaining output."""
    maker.kill(child)
    child.take_rest()
    child.channel.close()
    await child.channel.closed()
    return ChildExit(memory_mb=memory_mb)


async def _wait_for_death(maker: ChildMaker, child: SandboxChild) -> ChildExit:
    """Wait for a child that sent no end, because only its exit status tells the reason."""
    if child.channel.reason:
        maker.kill(child)
    await asyncio.wait([child.gone], timeout=_DEATH_SECONDS)
    if not child.channel.reason:
        await asyncio.wait([child.silent], timeout=_DEATH_SECONDS)
    return await maker.finish(child)
