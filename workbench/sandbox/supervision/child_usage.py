"""CPU time, memory and written bytes of a running locked child, read from outside."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_EXITING = 4  # PF_EXITING: kernel flag of a thread that is ending
_FLAGS = 6
_PARENT, _USER, _SYSTEM, _RESIDENT = 1, 11, 12, 21  # indexes of fields after the name in /proc/<id>/stat


@dataclass(frozen=True, slots=True)
class ChildUsage:
    """CPU seconds since the start of a process, and its current memory."""

    cpu: float = 0.0
    memory_mb: float = 0.0


def innermost(process: int) -> int:
    """The process that runs the program: the last one in the chain below the launcher's child. 0 if it has ended."""
    while children := _children(process):
        process = children[-1]
    return process if _stat(f"/proc/{process}/stat") else 0


def usage(process: int) -> ChildUsage | None:
    """CPU time and memory of a process, or None if it has ended."""
    words = _stat(f"/proc/{process}/stat")
    if not words:
        return None
    seconds = (int(words[_USER]) + int(words[_SYSTEM])) / _TICK
    return ChildUsage(seconds, int(words[_RESIDENT]) * _PAGE / 1_048_576)


def written_bytes(process: int) -> int:
    """Upper bound of the bytes that a process wrote to file systems, including those in memory; -1: unknown."""
    try:
        rows = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())
        return max(int(rows["write_bytes"]) - int(rows["cancelled_write_bytes"]), int(rows["wchar"]))
    except (OSError, ValueError, KeyError):
        return -1


def is_ending(process: int) -> bool:
    """Whether the process has ended, or all its threads are ending, so that none makes another system call.

    The kernel shows this several milliseconds before it releases the resources of the process.
    """
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except (FileNotFoundError, ProcessLookupError):
        return True
    except OSError:
        return False  # /proc is not readable
    found = (_stat(f"/proc/{process}/task/{thread}/stat") for thread in threads)
    return all(not words or words[0] in "ZX" or int(words[_FLAGS]) & _EXITING for words in found)


def _children(process: int) -> list[int]:
    """Child processes of all threads of a process."""
    try:
        tasks = [Path(f"/proc/{process}/task/{thread}/children") for thread in os.listdir(f"/proc/{process}/task")]
        return [int(child) for task in tasks for child in task.read_text("ascii").split()]
    except OSError:  # the process has ended, or this kernel does not list children
        pass
    found = [int(name) for name in os.listdir("/proc") if name.isdigit()] if Path(f"/proc/{process}").exists() else []
    return [one for one in found if (words := _stat(f"/proc/{one}/stat")) and int(words[_PARENT]) == process]


def _stat(place: str) -> list[str]:
    """Fields after the process name in a stat file. Empty if the process has ended.

    The program chooses the name, which may not be valid text.
    """
    try:
        return Path(place).read_text("utf-8", "replace").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return []
