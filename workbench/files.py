"""Reads files that somebody else may have put there: a bench can hold a pipe, a device or a giant by any name."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 4 << 20  # bytes; what is written by hand is smaller, more is a mistake


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
