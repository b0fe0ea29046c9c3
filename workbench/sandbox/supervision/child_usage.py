"""CPU time, memory and written bytes of a locked child, read from outside while it lives."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_EXITING = 4  # PF_EXITING: a flag of the kernel's for a thread on its way out
_FLAGS = 6
_PARENT, _USER, _SYSTEM, _RESIDENT = 1, 11, 12, 21  # places in /proc/<id>/stat behind the name


@dataclass(frozen=True, slots=True)
class ChildUsage:
    """Processor seconds since its start, and the memory it holds now."""

    cpu: float = 0.0
    memory_mb: float = 0.0


def innermost(process: int) -> int:
    """The process that runs the program: the last in the chain below the launcher's child; 0 when it is gone."""
    while children := _children(process):
        process = children[-1]
    return process if _stat(f"/proc/{process}/stat") else 0


def usage(process: int) -> ChildUsage | None:
    """None when there is no such process any more."""
    words = _stat(f"/proc/{process}/stat")
    if not words:
        return None
    seconds = (int(words[_USER]) + int(words[_SYSTEM])) / _TICK
    return ChildUsage(seconds, int(words[_RESIDENT]) * _PAGE / 1_048_576)


def written_bytes(process: int) -> int:
    """Upper bound of the bytes it wrote to file systems, those in memory included; -1: unknown."""
    try:
        rows = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())
        return max(int(rows["write_bytes"]) - int(rows["cancelled_write_bytes"]), int(rows["wchar"]))
    except (OSError, ValueError, KeyError):
        return -1


def is_ending(process: int) -> bool:
    """Whether it is gone, or the kernel is ending each of its threads, so that none makes a system call any more. That
    is certain some milliseconds before its resources are released.
    """
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except (FileNotFoundError, ProcessLookupError):
        return True
    except OSError:
        return False  # nobody tells us
    found = (_stat(f"/proc/{process}/task/{thread}/stat") for thread in threads)
    return all(not words or words[0] in "ZX" or int(words[_FLAGS]) & _EXITING for words in found)


def _children(process: int) -> list[int]:
    """What any of its threads started."""
    try:
        tasks = [Path(f"/proc/{process}/task/{thread}/children") for thread in os.listdir(f"/proc/{process}/task")]
        return [int(child) for task in tasks for child in task.read_text("ascii").split()]
    except OSError:  # it is gone, or this kernel lists no children
        pass
    found = [int(name) for name in os.listdir("/proc") if name.isdigit()] if Path(f"/proc/{process}").exists() else []
    return [one for one in found if (words := _stat(f"/proc/{one}/stat")) and int(words[_PARENT]) == process]


def _stat(place: str) -> list[str]:
    """The fields behind the name, which a program chooses: it may be no text. Empty for a process that is gone."""
    try:
        return Path(place).read_text("utf-8", "replace").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return []
