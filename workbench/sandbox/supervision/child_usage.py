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
    """The process a program runs in: the last of the chain that the launcher's child begins; 0 when it is gone."""
    children = {_number(words[_PARENT]): found for found, words in _all().items()}
    while process in children:
        process = children[process]
    return process if _words(process) else 0


def usage(process: int) -> ChildUsage | None:
    """None when there is no such process any more."""
    words = _words(process)
    if not words:
        return None
    seconds = (_number(words[_USER]) + _number(words[_SYSTEM])) / _TICK
    return ChildUsage(seconds, _number(words[_RESIDENT]) * _PAGE / 1_048_576)


def written(process: int) -> int:
    """Bytes that it gave to file systems so far, those in memory too, at most; -1: that is not told."""
    try:
        rows = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())
        return max(int(rows["write_bytes"]) - int(rows["cancelled_write_bytes"]), int(rows["wchar"]))
    except (OSError, ValueError, KeyError):
        return -1


def is_ending(process: int) -> bool:
    """Whether it is gone, or the kernel is ending each of its threads: none of them makes a system call any more. That
    is certain some milliseconds before all that it had is taken down."""
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except (FileNotFoundError, ProcessLookupError):
        return True
    except OSError:
        return False  # nobody tells us
    found = (_words_of(f"/proc/{process}/task/{thread}/stat") for thread in threads)
    return all(not words or words[0] in "ZX" or _number(words[_FLAGS]) & _EXITING for words in found)


def _all() -> dict[int, list[str]]:
    found = {int(name): _words(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    return {process: words for process, words in found.items() if words}


def _words(process: int) -> list[str]:
    return _words_of(f"/proc/{process}/stat")


def _words_of(place: str) -> list[str]:
    """Behind its name, which a program chooses: it may be no text."""
    try:
        return Path(place).read_text("utf-8", "replace").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return []


def _number(word: str) -> int:
    return int(word)
