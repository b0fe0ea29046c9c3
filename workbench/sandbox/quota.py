"""How full a workspace is. The kernel limits one file; how many there are is for us to count, while a program runs."""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

MOST_FILES = 100_000  # a folder of a million empty files hurts the host as much as a large one


class Fill(NamedTuple):
    """What a folder holds; counting ends where it is more than it may hold, and `trouble` says so."""

    trouble: str = ""
    size: int = 0
    files: int = 0


def over(folder: str, megabytes: int) -> str:
    """A sentence when the folder holds more than it may, else nothing."""
    return count(folder, megabytes).trouble


def count(folder: str, megabytes: int) -> Fill:
    """Look at everything in it."""
    size = files = 0
    waiting = [folder]
    while waiting:
        entries = _entries(waiting.pop())
        if isinstance(entries, str):
            return Fill(entries, size, files)
        for entry in entries:
            files += 1
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                size += _size(entry)
            if files > MOST_FILES:
                return Fill(f"The workspace holds more than {MOST_FILES:,} files.", size, files)
            if size > megabytes << 20:
                return Fill(f"The workspace holds more than {megabytes} MB.", size, files)
    return Fill("", size, files)


def _entries(folder: str) -> list[os.DirEntry[str]] | str:
    """What is in it, or a sentence why that cannot be counted: what a program hides from us is over any limit."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError as fault:
        if fault.errno == errno.ENAMETOOLONG:
            return "The workspace holds folders inside each other that are too deep to be counted."
        if fault.errno == errno.EACCES and _is_ours(folder):
            return "The workspace holds a folder that was closed to the workbench."
        return []  # gone since it was listed, or somebody else's


def _is_ours(folder: str) -> bool:
    try:
        return os.lstat(folder).st_uid == os.getuid()
    except OSError:
        return False


def _size(entry: os.DirEntry[str]) -> int:
    """What it takes on the disk, so that a hole weighs nothing."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        return 0
