"""Reads files that somebody else may have put there: a project can hold a pipe, a device or a giant by any name, and
100 KB of TOML that take 10 GB to read."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import Any

LARGEST = 4 << 20  # bytes; what is written by hand is smaller, more is a mistake
LARGEST_TOML = 1 << 20  # bytes of settings; 1 MB takes up to 250 MB while it is read
MOST_PARTS = 16  # of a dotted key; `tomllib` takes time and memory with their square: 9.6 GB for 50,000
_MARK = re.compile(r"\"{3}|'{3}|[\"'#]")
_BARE = re.compile(r"[A-Za-z0-9_\-. \t]+")  # what a dotted key may hold once its quoted parts are out
_ENDS = {
    "#": re.compile(r"\n"),
    "'": re.compile(r"['\n]"),
    '"': re.compile(r"[\"\n\\]"),
    "'''": re.compile(r"'{3,5}"),  # up to two quotes of the text itself may stand before the three that end it
    '"""': re.compile(r"\"{3,5}|\\"),
}


def read_plain(path: Path, encoding: str = "utf-8", *, largest: int = LARGEST) -> str:
    """The text of a plain file, or an `OSError` that says what stands there instead; never waits, never takes more."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        if found.st_size > largest:
            raise OSError(errno.EFBIG, f"it is larger than {largest >> 20} MB")
        return file.read(largest).decode(encoding)


def parse_toml(text: str) -> dict[str, Any]:  # Any: TOML
    """What a TOML text says; `ValueError` or `RecursionError` where it cannot be read, or only at a price that no file
    is worth. Everything that reads TOML calls this and not `tomllib`."""
    import tomllib  # only now: few starts read any

    if _has_long_key(text):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")
    return tomllib.loads(text)


def read_toml(path: Path, *, largest: int = LARGEST_TOML) -> dict[str, Any]:  # Any: TOML
    """What a plain file of TOML says; fails as `read_plain` and `parse_toml` do."""
    return parse_toml(read_plain(path, largest=largest))


def _has_long_key(text: str) -> bool:
    """Whether more than `MOST_PARTS` parts stand joined by dots anywhere but in strings and comments."""
    if text.count(".") < MOST_PARTS:
        return False
    return any(run.count(".") >= MOST_PARTS for run in _BARE.findall(_without_strings(text)))


def _without_strings(text: str) -> str:
    """The text with `q` for each string and without comments, in one pass."""
    pieces, at = list[str](), 0
    while mark := _MARK.search(text, at):
        pieces += (text[at : mark.start()], "" if mark[0] == "#" else "q")
        at = _end(text, mark[0], mark.end())
    return "".join((*pieces, text[at:]))


def _end(text: str, mark: str, at: int) -> int:
    """Where what began with this mark ends; the end of the text where it never does."""
    while end := _ENDS[mark].search(text, at):
        if end[0] != "\\":
            return end.start() if end[0] == "\n" else end.end()
        at = end.end() + 1
    return len(text)
