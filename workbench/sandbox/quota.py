"""How full a workspace is. The kernel limits one file; how many there are is for us to count, while a program runs."""

from __future__ import annotations

import os

MOST_FILES = 100_000  # a folder of a million empty files hurts the host as much as a large one


def over(folder: str, megabytes: int) -> str:
    """A sentence when the folder holds more than it may, else nothing."""
    size = files = 0
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            files += 1
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                size += _size(entry)
            if files > MOST_FILES:
                return f"The workspace holds more than {MOST_FILES:,} files."
            if size > megabytes << 20:
                return f"The workspace holds more than {megabytes} MB."
    return ""


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []  # gone since it was listed


def _size(entry: os.DirEntry[str]) -> int:
    """What it takes on the disk, so that a hole weighs nothing."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        return 0
