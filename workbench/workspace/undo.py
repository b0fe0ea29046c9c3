"""Undoes changes in the workspace file by file, unless a file was changed since.

An undo is recorded like any change, so it can be undone too. Files that were changed later, or that several programs
may have written, are listed in the plan and restored only if the user selects them.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from workbench.errors import WorkbenchError
from workbench.workspace.change_store import Change, Changes, Known, PathState, same, write_order
from workbench.workspace.confined_paths import change_mode, closing_handle, open_folder, open_parent
from workbench.workspace.directory_scan import stamp_of
from workbench.workspace.file_names import displayed_name
from workbench.workspace.snapshots import Snapshots, Writer

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE: Final = 1 << 20
_FILE_CLOCK: Final = 5  # Linux's CLOCK_REALTIME_COARSE, with which it stamps files: up to 4 ms behind `time.time_ns`
READY, SHARED, CONFLICT, DONE, LOST = "ready", "shared", "conflict", "done", "lost"


class UndoStep(NamedTuple):
    """What an undo would do with one path."""

    path: str
    change: Change
    state: str
    later: Changes | None = None  # the later changes of the path, if known


class Undoing:
    """Plans and makes undos. It uses the disk, so the core calls it on a thread."""

    _deed = "undone"

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._book, self._contents = snapshots.book, snapshots.contents

    def plan(self, name: str) -> tuple[Changes, tuple[UndoStep, ...]]:
        """What an undo of these changes would do now."""
        changes = self.find(name)
        with self._snapshots.scanned() as now:
            return changes, tuple(self._step(changes, path, one, now) for path, one in changes.files.items())

    def undo(self, name: str, paths: Collection[str], actor: str) -> Changes:
        """Undo the changes of these paths; others stay. Paths in conflict are undone too, so the caller must have shown
        the plan to the user."""
        changes = self.find(name)
        kind = "redo" if changes.kind == "undo" else "undo"
        writer = Writer(f"undo-{secrets.token_hex(6)}", kind, actor, changes.label, changes.id, tuple(paths))
        self._take_all_back(changes, paths, writer)
        return _done(writer)

    def _take_all_back(self, changes: Changes, paths: Collection[str], writer: Writer) -> list[str]:
        """Restore these paths. Returns the paths for which that failed; the writer's note says why."""
        failed: dict[str, str] = {}
        scan_began = time.clock_gettime_ns(_FILE_CLOCK)
        with self._snapshots.direct_change(writer) as now:
            chosen = [self._step(changes, path, one, now) for path, one in changes.files.items() if path in paths]
            steps = [step for step in chosen if step.state not in (DONE, LOST)]
            lost = [displayed_name(step.path) for step in chosen if step.state == LOST]
            with self._snapshots.confined.open_root() as root:
                for step in sorted(steps, key=lambda step: write_order(step.path, step.change.before)):
                    try:
                        self._take_back(root, step, now, scan_began)
                    except (OSError, WorkbenchError) as fault:
                        failed[step.path] = getattr(fault, "strerror", None) or str(fault)
        if failed:
            why = "; ".join(f"{displayed_name(path)}: {words}" for path, words in list(failed.items())[:3])
            writer.note = f"Not {self._deed}: {len(failed)} ({why})."
        if lost:
            gone = f"Not {self._deed}, because the content is no longer stored: {len(lost)} ({', '.join(lost[:3])})."
            writer.note = f"{writer.note} {gone}" if writer.note else gone
        return list(failed)

    def find(self, name: str) -> Changes:
        with self._snapshots.opened() as book:
            found = book.find(name) if book is not None else None
        if found is None:
            hint = "No file was changed, or the change is too old."
            raise WorkbenchError("There are no recorded changes to undo.", hint)
        return found

    def _step(self, changes: Changes, path: str, one: Change, now: Mapping[str, Known]) -> UndoStep:
        here = now[path].state if path in now else None
        if same(here, one.before):
            return UndoStep(path, one, DONE)
        if one.before is not None and not one.before.is_folder and not self._contents.has(one.before.sha):
            only_rights = one.after is not None and one.before[1:] == one.after[1:]
            return UndoStep(path, one, READY if only_rights and same(here, one.after) else LOST)
        if not same(here, one.after):
            return UndoStep(path, one, CONFLICT, self._book.last_change_after(changes.number, path))
        return UndoStep(path, one, SHARED if one.shared else READY)

    def _take_back(self, root: int, step: UndoStep, now: Mapping[str, Known], scan_began: int) -> None:
        *folders, name = step.path.split("/")
        before = step.change.before
        if before is None:
            _remove(root, step.path, now.get(step.path), scan_began)
            return
        with closing_handle(_open_or_make(root, folders)) as folder:
            _check_still(folder, name, now.get(step.path), scan_began)
            _make_way(folder, name, before)
            if before.is_folder:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=folder)
                change_mode(folder, name, stat.S_IMODE(before.mode) & 0o777)
            elif stat.S_ISLNK(before.mode):
                self._put_link(folder, name, before)
            else:
                self._put_file(folder, name, before)

    def _put_file(self, folder: int, name: str, before: PathState) -> None:
        draft = f".writing-{secrets.token_hex(8)}"
        try:
            if not before.sha or not self._contents.has(before.sha):  # only its permissions were changed
                change_mode(folder, name, stat.S_IMODE(before.mode) & 0o777)
                return
            with self._contents.open(before.sha) as source:
                target = os.open(draft, _NEW, 0o600, dir_fd=folder)
                with os.fdopen(target, "wb") as file:
                    while piece := source.read(_PIECE):
                        file.write(piece)
                    file.flush()
                    os.fchmod(file.fileno(), stat.S_IMODE(before.mode) & 0o777)
                    os.utime(file.fileno(), ns=(before.changed, before.changed))
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=folder)

    def _put_link(self, folder: int, name: str, before: PathState) -> None:
        with self._contents.open(before.sha) as source:
            target = os.fsdecode(source.read())
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        os.symlink(target, name, dir_fd=folder)


def _done(writer: Writer) -> Changes:
    known = (writer.id, writer.kind, writer.actor, writer.label, 0.0, writer.files)
    return Changes(*known, writer.undoes, note=writer.note)


def _open_or_make(root: int, folders: list[str]) -> int:
    """Open a folder. Creates it and its parent folders if they are missing."""
    with suppress(FileNotFoundError):
        return open_folder(root, folders)
    here = os.dup(root)
    for step in folders:
        try:
            with suppress(FileExistsError):
                os.mkdir(step, 0o755, dir_fd=here)
            inner = open_folder(here, [step])
        finally:
            os.close(here)
        here = inner
    return here


def _check_still(folder: int, name: str, known: Known | None, scan_began: int) -> None:
    """Raise if an entry changed or a file appeared since the scan, so that what a running program writes is not lost.

    The scan leaves out pipes, sockets, and what is in folders that cannot be listed: these do not count as new.
    """
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if known is not None and stamp_of(found) != known.stamp:
        raise WorkbenchError("it was changed just now")
    if known is None and stat.S_ISREG(found.st_mode) and found.st_ctime_ns >= scan_began:
        raise WorkbenchError("it was created just now")


def _remove(root: int, path: str, known: Known | None, scan_began: int) -> None:
    with suppress(FileNotFoundError), open_parent(root, path) as (folder, name):
        _check_still(folder, name, known, scan_began)
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        (os.rmdir if stat.S_ISDIR(found.st_mode) else os.unlink)(name, dir_fd=folder)


def _make_way(folder: int, name: str, before: PathState) -> None:
    """Remove an entry of a different type: an empty folder instead of a file, or a file instead of a folder."""
    with suppress(FileNotFoundError):
        here = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISDIR(here.st_mode) and not before.is_folder:
            os.rmdir(name, dir_fd=folder)
        elif before.is_folder and not stat.S_ISDIR(here.st_mode):
            os.unlink(name, dir_fd=folder)
