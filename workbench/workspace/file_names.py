"""Which names a file of the workspace may have, and how a name that nobody should write is shown."""

from __future__ import annotations

import os
import unicodedata

from workbench.errors import WorkbenchError

LONGEST_PART = 255  # bytes, the limit of ordinary file systems
LONGEST_PATH = 2_000  # characters
DEEPEST = 40  # folders within folders
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, direction marks, halves of pairs, line separators


def parts_of(path: str) -> list[str]:
    """The steps of a relative path; refuses what leads out of the workspace or cannot be a name."""
    if not path or len(path) > LONGEST_PATH:
        raise _refused(path, "it is empty or too long")
    if path.startswith(("/", "~")):
        raise _refused(path, "it does not start in the workspace")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or path.endswith("/"):
        raise _refused(path, "it names no file")
    if ".." in parts:
        raise _refused(path, "it leads out of the workspace")
    if len(parts) > DEEPEST:
        raise _refused(path, "it is too deep")
    for part in parts:
        if not _is_name(part):
            raise _refused(path, "a part of it cannot be a name")
    return parts


def shown(name: str) -> str:
    """A name as it came from the disk, for people and JSON: what cannot be seen or is no UTF-8 is written as escapes.

    A file is also found by this spelling, so whatever a program named, a person can open, rename or delete it.
    """
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(mark) if unicodedata.category(mark) in _UNSEEN else mark for mark in text)


def _escaped(mark: str) -> str:
    return mark.encode("ascii", "backslashreplace").decode() if ord(mark) > 127 else f"\\x{ord(mark):02x}"


def _is_name(part: str) -> bool:
    """It can be seen as it is, and is short enough for the file system."""
    if any(unicodedata.category(mark) in _UNSEEN for mark in part):
        return False
    return len(part.encode()) <= LONGEST_PART


def _refused(path: str, reason: str) -> WorkbenchError:
    cut = path[:80] + ("…" if len(path) > 80 else "")
    return WorkbenchError(f"{cut!r} cannot be used: {reason}.", "Give a path such as reports/summary.txt.")
