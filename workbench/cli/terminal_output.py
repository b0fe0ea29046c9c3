"""Terminal output: data on stdout, messages and progress on stderr. Control characters of untrusted text are
escaped.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.records import JsonValue


def narrate(text: str) -> None:
    """Print a message to stderr."""
    print(visible(text, keep="\n"), file=sys.stderr)


def narrate_fault(fault: WorkbenchError) -> None:
    narrate(f"mcp-workbench: {fault.message}")
    if fault.hint:
        narrate(fault.hint)


def print_record(value: Any) -> None:
    """Prints records as JSON. Any: a record, or a tuple of them."""
    from workbench.api.codec import to_plain

    print_json(to_plain(value))


def print_json(value: JsonValue) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    if sys.stdout.isatty():  # JSON leaves some terminal control characters unescaped, but allows escaping them
        text = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    print(text)


def print_data(text: str) -> None:
    """Print untrusted text as complete lines."""
    print_part(text if text.endswith("\n") or not text else f"{text}\n")


def print_part(text: str) -> None:
    """Print a part of a text: unchanged to a pipe or file, with control characters escaped on a terminal."""
    shown = visible(text, keep="\n\t") if sys.stdout.isatty() else text.encode("utf-8", "replace").decode("utf-8")
    sys.stdout.write(shown)


def print_table(rows: Iterable[Sequence[str]], width: int = 0) -> None:
    """Print columns as wide as their widest cell. The last column is cut at `width`, if `width` is given."""
    lines = [[visible(cell) for cell in row] for row in rows]
    if not lines:
        return
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]) - 1)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        total = "  ".join([*cells, line[-1]]).rstrip()
        print(total if not 0 < width < len(total) else f"{total[: width - 1].rstrip()}…")


def format_time(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def visible(text: str, keep: str = "") -> str:
    """Replace control characters by escape sequences."""
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text)


BAR = 24  # columns
SECONDS = 0.1  # minimum seconds between two updates


class Progress:
    """A progress line on stderr that overwrites itself and is removed at the end."""

    def __init__(self) -> None:
        self._there = sys.stderr.isatty()
        self._begun = time.monotonic()
        self._drawn = 0.0

    def show(self, words: str, done: int = 0, total: int = 0) -> None:
        """Show `done` of `total` as a bar. Without `total`, show the text and the elapsed seconds."""
        now = time.monotonic()
        if not self._there or (now - self._drawn < SECONDS and done < total):
            return
        self._drawn = now
        filled = BAR * done // total if total else 0
        bar = f"[{'#' * filled}{'.' * (BAR - filled)}] {done}/{total} " if total else ""
        print(f"\r\x1b[K{bar}{visible(words)} {now - self._begun:.1f} s", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the line."""
        if self._there and self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._drawn = 0.0
