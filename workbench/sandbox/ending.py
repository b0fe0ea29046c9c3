"""Finds the word for how a run ended, from what it said last, how its processes died, and what we decided."""

from __future__ import annotations

import re
import signal
from dataclasses import replace

from workbench.records import Limits
from workbench.sandbox.cells import Gone
from workbench.sandbox.channel import Channel
from workbench.sandbox.program import Ending

_TOO_MUCH = (b"out of memory", b"memory allocation of")
_CPU_SLACK = 0.25  # the kernel counts in ticks


def conclude(channel: Channel, gone: Gone, limits: Limits, seconds: float, last_words: bytes = b"") -> Ending:
    """The first of these that is true: we ended it; it said its end; it died. What ran it may have said why."""
    found = _reason(channel, gone, limits, last_words)
    return replace(found, output="".join(channel.output), seconds=seconds, memory_mb=gone.memory_mb)


def _reason(channel: Channel, gone: Gone, limits: Limits, last_words: bytes) -> Ending:
    if channel.reason:
        return Ending(False, channel.reason, message=channel.message)
    last = channel.ended.result()
    if last is None:
        reason, message = _death_of_engine(last_words, limits) or _death(gone, limits)
        return Ending(False, reason, message=message + channel.where() * (reason == "cpu"))
    if last["ok"]:
        return Ending(True, "done", result=last["result"])
    reason = "memory" if last["error_type"] == "MemoryError" else "failed"
    if reason == "memory" and not last["message"]:
        last = {**last, "message": _memory(limits)}
    return Ending(False, reason, "", last["error_type"], last["message"], last["traceback"])


def _death_of_engine(last_words: bytes, limits: Limits) -> tuple[str, str] | None:
    """Deno says on its way out what it died of, in many lines; None: it was silent."""
    if any(words in last_words for words in _TOO_MUCH):
        return "memory", _memory(limits)
    found = re.search(rb"panicked at .*\n(.*)", last_words) or re.search(rb"(?m)^(?:error: )?(\S.*)$", last_words)
    return ("killed", f"Deno ended: {found[1].decode('utf-8', 'replace')[:300]}") if found else None


def _death(gone: Gone, limits: Limits) -> tuple[str, str]:
    if gone.lost:
        return "lost", "The sandbox's launcher was ended from outside; the program died with it."
    if gone.code == -signal.SIGXFSZ:  # the outer half's own end, see `reduced`
        return "disk", "The program filled its home and temporary folders."
    name = _signal_name(gone.code)
    if name in ("SIGKILL", "SIGXCPU") and gone.cpu >= limits.cpu_seconds - _CPU_SLACK:
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
