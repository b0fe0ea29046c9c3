"""Rows of changed files: who changed what, and how large it is."""

from __future__ import annotations

import time
from collections.abc import Iterable

from msgspec.structs import replace

from workbench.gui.kit.rows import Badges, Row
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import ago
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import HELD
from workbench.records import FileChange, FileChanges
from workbench.records.files import OUTSIDE

_ICONS = {"held": "hourglass", "allowed": "check", "run": "play", "agent": "agent", "person": "user", "undo": "undo"}


_TONES = {"added": "success", "changed": "info", "deleted": "danger", "rights": "muted"}


def change_rows(changes: Iterable[FileChanges]) -> list[Row]:
    """One row for each, newest first."""
    return [_row(one) for one in changes]


def held_rows(changes: Iterable[FileChanges]) -> list[Row]:
    """Those that wait for the user."""
    badge = ("waits for you", "warning")
    return [
        replace(_row(one), key=f"{HELD}{one.id}", badges=(badge,), strong=True, icon="hourglass") for one in changes
    ]


def title_of(one: FileChanges) -> str:
    """Who did what, in one line."""
    if one.kind == "held":
        program = one_line(one.label, 120) or "a program"
        return f"Changes of {one_line(one.actor, 60)} to files that are not its own: {program}"
    if one.kind == "allowed":
        return f"You allowed: {one_line(one.label, 120) or 'changes of a program'}"
    if one.kind == "undo":
        return f"Taken back: {one_line(one.label, 120) or 'changes'}"
    if one.kind == "person":
        return f"You {one_line(one.label, 120)}"
    return one_line(one.label, 120) or f"A program of {one_line(one.actor, 60)}"


def file_rows(changes: FileChanges) -> list[Row]:
    """The files of one of them; the key is the path."""
    return [_file_row(one) for one in changes.files]


def deed_word(deed: str) -> str:
    return {
        "added": "new",
        "changed": "changed",
        "deleted": "deleted",
        "rights": "rights",
    }.get(deed, deed)


def _row(one: FileChanges) -> Row:
    count = "1 file" if one.count == 1 else f"{one.count} files"
    badges: Badges = (("undone", "muted"),) if one.undone_by else ()
    who = one_line(one.actor, 60) if one.kind == "run" else ""
    return Row(
        one.id,
        title_of(one),
        detail=" · ".join(filter(None, (count, who, one_line(one.note, 80)))),
        aside=ago(one.at, time.time()),
        icon=_ICONS.get(one.kind, "file"),
        tone="muted" if one.undone_by else "accent",
        badges=badges,
        faded=bool(one.undone_by),
        tip=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.at)),
    )


def _file_row(one: FileChange) -> Row:
    badges = [(deed_word(one.deed), _TONES.get(one.deed, "muted"))]
    if one.shared:
        badges.append(("shared", "warning"))
    if one.warning:
        badges.append(("may be run", "danger"))
    state = one.after or one.before
    kind = state.kind if state else "file"
    others = ["a program of yours or a server" if name == OUTSIDE else name for name in one.shared]
    words = f"May be the work of {', '.join(others[:5])}"
    tip = "\n".join(filter(None, (one.path, f"⚠ {one.warning}" if one.warning else "", words if one.shared else "")))
    return Row(
        one.path,
        one_line(one.path, 200),
        detail=" → ".join(_size(one)) if kind == "file" else kind,
        icon=kind if kind in ("folder", "link") else "file",
        badges=tuple(badges),
        tip=tip,
    )


def _size(one: FileChange) -> list[str]:
    none = "not there"
    return [size_words(state.size) if state else none for state in (one.before, one.after)]
