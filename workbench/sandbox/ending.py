"""Finds the word for how a run ended, from what it said last, how its processes died, and what we decided."""

from __future__ import annotations

import signal
from dataclasses import replace

from workbench.records import Limits
from workbench.sandbox.cells import Gone
from workbench.sandbox.channel import Channel
from workbench.sandbox.program import Ending

_CPU_SLACK = 0.25  # the kernel counts in ticks


def conclude(channel: Channel, gone: Gone, limits: Limits, seconds: float) -> Ending:
    """The first of these that is true: we ended it; it said its end; it died."""
    return replace(
        _reason(channel, gone, limits), output="".join(channel.output), seconds=seconds, memory_mb=gone.memory_mb
    )


def _reason(channel: Channel, gone: Gone, limits: Limits) -> Ending:
    if channel.reason:
        return Ending(False, channel.reason, message=channel.message)
    last = channel.ended.result()
    if last is None:
        reason, message = _death(gone, limits)
        return Ending(False, reason, message=message)
    if last["ok"]:
        return Ending(True, "done", result=last["result"])
    reason = "memory" if last["error_type"] == "MemoryError" else "failed"
    if reason == "memory" and not last["message"]:
        last = {**last, "message": _memory(limits)}
    return Ending(False, reason, "", last["error_type"], last["message"], last["traceback"])


def _death(gone: Gone, limits: Limits) -> tuple[str, str]:
    if gone.lost:
        return "lost", "The sandbox's launcher was ended from outside; the program died with it."
    if gone.code == -signal.SIGXFSZ:  # the outer half's own end, see `reduced`
        return "disk", "The program filled its home and temporary folders."
    name = _signal_name(gone.code)
    if name == "SIGKILL" and gone.cpu >= limits.cpu_seconds - _CPU_SLACK:
        return "cpu", f"The program used more than {limits.cpu_seconds:g} seconds of processor time."
    if name == "SIGSEGV":
        return (
            "killed",
            "The program crashed Python (SIGSEGV): often endless recursion, or too little memory.",
        )
    if name:
        return "killed", f"The program's process was ended by {name}."
    return "killed", f"The program's process left without a word (exit code {gone.code})."


def _memory(limits: Limits) -> str:
    return f"The program needed more than its {limits.memory_mb} MB of memory."


def _signal_name(code: int) -> str:
    number = -code if code < 0 else code - 128
    return signal.Signals(number).name if number in set(signal.Signals) else ""
