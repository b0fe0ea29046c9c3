"""Which names a file of the workspace may have."""

from __future__ import annotations

from workbench.errors import WorkbenchError

LONGEST_PART = 255  # bytes, the limit of ordinary file systems
LONGEST_PATH = 2_000  # characters
DEEPEST = 40  # folders within folders


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


def _is_name(part: str) -> bool:
    """Printable on a line, and short enough for the file system."""
    if any(ord(mark) < 32 or ord(mark) == 127 or 0xD800 <= ord(mark) <= 0xDFFF for mark in part):
        return False
    return len(part.encode()) <= LONGEST_PART


def _refused(path: str, reason: str) -> WorkbenchError:
    shown = path[:80] + ("…" if len(path) > 80 else "")
    return WorkbenchError(f"{shown!r} cannot be used: {reason}.", "Give a path such as reports/summary.txt.")
