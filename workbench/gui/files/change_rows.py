"""List rows for sets of file changes and for the files in them."""

from __future__ import annotations

import time

from msgspec.structs import replace

from workbench.gui.kit.rows import Badges, Row
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import ago
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import HELD
from workbench.records import FileChange, FileChanges
from workbench.records.common_types import count_of
from workbench.records.files import OUTSIDE

_ICONS = {
    "held": "hourglass",
    "allowed": "check",
    "run": "play",
    "agent": "agent",
    "person": "user",
    "undo": "undo",
    "redo": "redo",
}
_TONES = {"added": "success", "changed": "info", "deleted": "danger", "rights": "muted"}
_WORDS = {"added": "new", "changed": "changed", "deleted": "deleted", "rights": "permissions"}


def held_row(changes: FileChanges) -> Row:
    """A set of changes that waits for the user."""
    badges = (("waiting for you", "warning"),)
    return replace(change_row(changes), key=f"{HELD}{changes.id}", badges=badges, strong=True, icon="hourglass")


def title_of(changes: FileChanges) -> str:
    """Who changed what, in one line."""
    label, actor = one_line(changes.label, 120), one_line(changes.actor, 60)
    match changes.kind:
        case "held":
            return f"{actor} wants to change files: {label or 'a program'}"
        case "allowed":
            return f"You allowed: {label or 'changes of a program'}"
        case "undo":
            return f"Undone: {label or 'changes'}"
        case "redo":
            return f"Redone: {label or 'changes'}"
        case "person":
            return f"You {label}"
        case _:
            return label or f"A program of {actor}"


def change_word(change: FileChange) -> str:
    return _WORDS.get(change.deed, change.deed)


def undo_verb(changes: FileChanges) -> str:
    """To undo an undo is to redo."""
    return "Redo" if changes.kind == "undo" else "Undo"


def is_undone(changes: FileChanges) -> bool:
    """Whether the change of every file is undone."""
    return changes.undone >= changes.count > 0


def undone_text(changes: FileChanges) -> str:
    """How many of the files are undone, or redone if the changes are those of an undo."""
    word = "redone" if changes.kind == "undo" else "undone"
    return word if is_undone(changes) else f"{changes.undone:,} of {count_of(changes.count, 'file')} {word}"


def change_row(changes: FileChanges) -> Row:
    """A set of changes that were made."""
    badges: Badges = ((undone_text(changes), "muted"),) if changes.undone else ()
    actor = one_line(changes.actor, 60) if changes.kind == "run" else ""
    facts = (count_of(changes.count, "file"), actor, one_line(changes.note, 80))
    return Row(
        changes.id,
        title_of(changes),
        detail=" · ".join(fact for fact in facts if fact),
        aside=ago(changes.at, time.time()),
        icon=_ICONS.get(changes.kind, "file"),
        tone="muted" if is_undone(changes) else "accent",
        badges=badges,
        faded=is_undone(changes),
        tip=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(changes.at)),
    )


def file_row(change: FileChange) -> Row:
    """A file of a set of changes; the key is its path."""
    badges = [(change_word(change), _TONES.get(change.deed, "muted"))]
    if change.undone:
        badges.append(("undone", "muted"))
    if change.shared:
        badges.append(("uncertain author", "warning"))
    if change.warning:
        badges.append(("may be executed", "danger"))
    state = change.after or change.before
    kind = state.kind if state else "file"
    others = ["another program or a server" if name == OUTSIDE else f"run {name}" for name in change.shared[:5]]
    lines = (
        change.path,
        f"⚠ {change.warning}" if change.warning else "",
        f"Possibly changed by {', '.join(others)}" if others else "",
    )
    sizes = [size_words(each.size) if each else "none" for each in (change.before, change.after)]
    return Row(
        change.path,
        one_line(change.path, 200),
        detail=" → ".join(sizes) if kind == "file" else kind,
        icon=kind if kind in ("folder", "link") else "file",
        badges=tuple(badges),
        tip="\n".join(line for line in lines if line),
    )
