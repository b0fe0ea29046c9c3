"""Whether this machine and this bench have what the workbench needs, line by line."""

from __future__ import annotations

import asyncio
import platform
import shutil
from collections.abc import Sequence

from workbench.records import Check, CheckState, Fault, Level
from workbench.runs.rooms import Rooms

_ROOM = 500 << 20  # bytes of free disk under which a person should know
_RUNNERS = {"npx": "servers written for Node.js", "uvx": "servers written in Python", "docker": "servers in images"}


async def check_house(rooms: Rooms, notices: Sequence[Fault]) -> tuple[Check, ...]:
    """In the order a person would look."""
    return (
        Check("Python", CheckState.GOOD, f"Python {platform.python_version()} on {platform.platform(terse=True)}."),
        _sandbox(rooms),
        *(_level(level) for level in (await rooms.sandbox.look_again())[1:]),
        *(Check("Bench", CheckState.DOUBT, notice.message, notice.hint, notice.detail) for notice in notices),
        await asyncio.to_thread(_secrets, rooms),
        _disk(rooms),
        await _audit(rooms),
        *(_runner(name, what) for name, what in _RUNNERS.items()),
    )


def _sandbox(rooms: Rooms) -> Check:
    strength = rooms.sandbox.strength
    if strength.level == "full":
        words = f"Programs run locked up ({strength.backend}), with everything it has."
        return Check("Sandbox", CheckState.GOOD, words)
    words = f"Programs run in {strength.backend}, level {strength.level}: {strength.reason}"
    return Check("Sandbox", CheckState.DOUBT, words, strength.hint)


def _level(level: Level) -> Check:
    """Not having one is no fault: who wants it is told when a program asks for it."""
    name = {"container": "Containers", "vm": "Virtual machines"}[level.name]
    return Check(name, CheckState.GOOD if level.available else CheckState.SKIPPED, level.sentence, level.hint)


def _secrets(rooms: Rooms) -> Check:
    """Where secrets are kept; asking a keyring may block."""
    rooms.secrets.names()
    state = CheckState.GOOD if rooms.secrets.kind == "keyring" else CheckState.DOUBT
    return Check("Secrets", state, rooms.secrets.sentence, "" if state is CheckState.GOOD else rooms.secrets.hint)


def _disk(rooms: Rooms) -> Check:
    free = shutil.disk_usage(rooms.paths.bench).free
    words = f"{free / (1 << 30):,.1f} GB are free where the bench is."
    if free < _ROOM:
        return Check("Disk", CheckState.DOUBT, words, "Free some space: the audit and answers are written there.")
    return Check("Disk", CheckState.GOOD, words)


async def _audit(rooms: Rooms) -> Check:
    report = await asyncio.to_thread(rooms.journal.verify)
    if report.whole:
        return Check("Audit", CheckState.GOOD, f"All {report.entries:,} entries are as they were written.")
    fix = "Look at the entries before that one, and at the file's backups."
    return Check("Audit", CheckState.BAD, f"Entry {report.broken_at} does not fit the chain.", fix, report.reason)


def _runner(name: str, what: str) -> Check:
    """Not having one is no fault: a person may not need it."""
    if found := shutil.which(name):
        return Check(name, CheckState.GOOD, f"{found} starts {what}.")
    return Check(name, CheckState.SKIPPED, f"{name} is not here; it starts {what}.")
