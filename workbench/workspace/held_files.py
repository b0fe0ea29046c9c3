"""Holds file changes of unapproved programs until the user writes them to the workspace or drops them.

They are stored in the user's state folder, separately from the undo data, so neither its limits nor "Forget earlier
states" affect them. Writing them is an undo in the other direction: the same plan, the same check for later changes.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock, RLock
from typing import Final

from workbench.errors import WorkbenchError
from workbench.workspace.change_store import Book, Change, Changes, Contents
from workbench.workspace.snapshots import Snapshots, Writer
from workbench.workspace.undo import Undoing, UndoStep

HELD: Final = "held"
ALLOWED: Final = "allowed"
_MOST: Final = 10_000  # undecided requests that are listed


class HeldFiles(Undoing):
    """The held changes of one workspace. All methods use the disk, so they run on a thread."""

    _deed = "written"

    def __init__(self, snapshots: Snapshots, folder: Path) -> None:
        super().__init__(snapshots)
        self._held, self.contents = Book(folder / "held.db"), Contents(folder / "contents")
        self._contents = self.contents
        self._lock, self._deciding = RLock(), Lock()

    @contextmanager
    def guard_contents(self) -> Iterator[None]:
        """Prevent contents from being dropped before the change that refers to them is stored."""
        with self._lock:
            yield

    def keep(self, changes: Changes) -> None:
        """Hold changes of one run for the user's decision. Each change has the original and the proposed state."""
        with self._lock:
            before = self._held.find(changes.id)
            for path, one in before.files.items() if before is not None else ():
                known = changes.files.setdefault(path, one)
                known.before = one.before
            self._held.forget([changes.id])
            self._held.add(changes)

    def all(self) -> list[Changes]:
        """The changes that wait for a decision, newest first."""
        with self._lock:
            if not self._held.exists:
                return []
            return [found for one, _ in self._held.newest(_MOST) if (found := self._held.find(one.id)) is not None]

    def requested_changes(self, name: str) -> Changes:
        """The held changes of a run, from the original state to the state that its program left."""
        with self._lock:
            found = self._held.find(name) if self._held.exists else None
        if found is None:
            raise WorkbenchError(
                "No file changes of this run wait for a decision.",
                "They were already decided, or there were none. See “Changes” for what was written.",
            )
        return found

    def find(self, name: str) -> Changes:
        """The held changes reversed, as an undo plan reads them: `before` is what would be written."""
        return _reversed(self.requested_changes(name))

    def plan(self, name: str) -> tuple[Changes, tuple[UndoStep, ...]]:
        changes, steps = super().plan(name)
        return changes, tuple(step._replace(later=None) for step in steps)

    def decide(self, name: str, allowed: Collection[str], denied: Collection[str], actor: str) -> Changes:
        """Write the allowed paths and drop the denied ones. Other paths, and those that could not be written, stay
        held. Allowed paths whose content is no longer stored are dropped, and the note says so."""
        with self._deciding:
            asked = self.requested_changes(name)
            changes = _reversed(asked)
            writer = Writer(f"{name}-{secrets.token_hex(3)}", ALLOWED, actor, changes.label, only=tuple(allowed))
            failed = self._take_all_back(changes, allowed, writer) if allowed else []
            over = {*allowed, *denied} - {*failed}
            with self._lock:
                left = self._held.find(name) or asked  # more changes of the run may be held meanwhile
                self._held.forget([name])
                left.files = {
                    path: one
                    for path, one in left.files.items()
                    if path not in over or path not in asked.files or one.after != asked.files[path].after
                }
                if left.files:
                    self._held.add(left)
                self.contents.drop(self.contents.all().keys() - self._held.wanted())
        return Changes(writer.id, ALLOWED, actor, writer.label, 0.0, writer.files, note=writer.note)

    def close(self) -> None:
        with self._lock:
            self._held.close()


def _reversed(changes: Changes) -> Changes:
    return replace(changes, files={path: Change(one.after, one.before) for path, one in changes.files.items()})
