"""Imports a program's file changes from a container or virtual machine. They are untrusted, and no link is followed.

Changes are staged first. They are moved into place, file by file, only after all of them arrived and passed the checks.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from workbench.sandbox.file_transfer.transfer_frames import DEEPEST, Head, TransferFault
from workbench.sandbox.supervision.workspace_quota import MOST_FILES

_STAGE = ".mcp-workbench-"
_STALE = 3600.0  # seconds after which a staging folder counts as abandoned
_LONGEST_NAME, _MOST_NOTES = 255, 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class ChangeImport:
    """File changes of one machine. `sent` are the paths that were copied to it; `close` discards unapplied changes."""

    def __init__(self, workspace: Path, room: int, sent: Iterable[str]) -> None:
        self._root = os.open(workspace, _FOLDER)
        self._room = room
        self._sent = frozenset(sent)
        self._stage, self._name = -1, ""
        self._folders: list[tuple[str, ...]] = []
        self._gone: list[tuple[str, ...]] = []
        self._files: dict[tuple[str, ...], tuple[int, int]] = {}  # path → mode, time; staged under its index
        self._writing, self._left = -1, 0
        self._count = 0
        self.notes: list[str] = []  # files that were not copied back, for the program's author

    def take(self, head: Head, data: bytes) -> None:
        """Process one transfer frame. Raises TransferFault for a frame that a correct machine never sends."""
        kind = head["kind"]
        if kind == "data":
            self._piece(data)
            return
        if self._left:
            raise TransferFault("an incomplete file")
        self._count += 1
        if self._count > 2 * MOST_FILES:
            raise TransferFault("too many changes")
        if kind == "left":
            self._note(head)
            return
        path = _path(head.get("path"))
        if kind == "folder":
            self._folders.append(path)
        elif kind == "gone":
            self._gone.append(path)
        elif kind == "file":
            self._begin(path, head)
        else:
            raise TransferFault(f"a frame of unknown kind {str(kind)[:40]!r}")

    def apply(self) -> None:
        """Apply the complete set of changes: first deletions, then folders, then files, each by an atomic rename."""
        if self._left:
            raise TransferFault("an incomplete file")
        for path in self._gone:
            self._remove(path)
        for path in self._folders:
            with contextlib.suppress(OSError):
                os.close(self._open_folder(path))
        for number, (path, (mode, when)) in enumerate(self._files.items()):
            self._move(number, path, mode, when)

    def close(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
            self._writing = -1
        if self._stage >= 0:
            os.close(self._stage)
            self._stage = -1
            shutil.rmtree(self._name, ignore_errors=True, dir_fd=self._root)
        if self._root >= 0:
            os.close(self._root)
            self._root = -1

    def _begin(self, path: tuple[str, ...], head: Head) -> None:
        length, mode, when = head.get("length"), head.get("mode"), head.get("time")
        if type(length) is not int or type(mode) is not int or type(when) is not int or length < 0:
            raise TransferFault("a file without a valid length, mode or time")
        if path in self._files:
            raise TransferFault("the same file twice")
        self._room -= length
        if self._room < 0:
            raise TransferFault("more data than the workspace may hold")
        if self._stage < 0:
            self._open_stage()
        if self._writing >= 0:
            os.close(self._writing)
        self._writing = os.open(str(len(self._files)), _NEW_FILE, 0o600, dir_fd=self._stage)
        self._files[path] = mode & 0o777, min(max(when, 0), time.time_ns())
        self._left = length

    def _piece(self, data: bytes) -> None:
        if not data or len(data) > self._left:
            raise TransferFault("data that belongs to no file")
        self._left -= len(data)
        view = memoryview(data)
        while view:
            view = view[os.write(self._writing, view) :]

    def _note(self, head: Head) -> None:
        path, why = head.get("path"), head.get("why")
        if not isinstance(path, str) or not isinstance(why, str):
            raise TransferFault("a note without a path or a reason")
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{path[:_LONGEST_NAME]!r}: {why[:80]}")

    def _open_stage(self) -> None:
        """Make a staging folder in the workspace, so that files can be moved out of it by rename."""
        self._sweep()
        self._name = _STAGE + secrets.token_hex(8)
        os.mkdir(self._name, 0o700, dir_fd=self._root)
        self._stage = os.open(self._name, _FOLDER, dir_fd=self._root)

    def _sweep(self) -> None:
        """Remove staging folders of killed Workbench processes."""
        for name in os.listdir(self._root):
            if name.startswith(_STAGE):
                with contextlib.suppress(OSError):
                    found = os.stat(name, dir_fd=self._root, follow_symlinks=False)
                    if stat.S_ISDIR(found.st_mode) and time.time() - found.st_mtime > _STALE:
                        shutil.rmtree(name, ignore_errors=True, dir_fd=self._root)

    def _open_folder(self, parts: tuple[str, ...]) -> int:
        """Open a folder of the workspace and create missing ones. The kernel rejects symbolic links on the way."""
        here = os.dup(self._root)
        for part in parts:
            try:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=here)
                below = os.open(part, _FOLDER, dir_fd=here)
            finally:
                os.close(here)
            here = below
        return here

    def _remove(self, path: tuple[str, ...]) -> None:
        """Remove an entry that was copied to the machine, if it still exists."""
        if "/".join(path) not in self._sent:
            return
        with contextlib.suppress(OSError):
            folder = self._open_folder(path[:-1])
            try:
                found = os.stat(path[-1], dir_fd=folder, follow_symlinks=False)
                (os.rmdir if stat.S_ISDIR(found.st_mode) else os.unlink)(path[-1], dir_fd=folder)
            finally:
                os.close(folder)

    def _move(self, number: int, path: tuple[str, ...], mode: int, when: int) -> None:
        staged = os.open(str(number), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._stage)
        try:
            os.fchmod(staged, mode | 0o600)
            os.utime(staged, ns=(when, when))
        finally:
            os.close(staged)
        try:
            folder = self._open_folder(path[:-1])
            try:
                os.rename(str(number), path[-1], src_dir_fd=self._stage, dst_dir_fd=folder)
            finally:
                os.close(folder)
        except OSError as fault:
            self._note({"path": "/".join(path), "why": f"it could not be written: {fault.strerror}"})


def _path(given: object) -> tuple[str, ...]:
    """Split and check a path below the workspace. Raises TransferFault if it is invalid."""
    if not isinstance(given, str) or "\0" in given:
        raise TransferFault("a path that is not valid text")
    parts = tuple(given.split("/"))
    if len(parts) > DEEPEST or any(part in ("", ".", "..") for part in parts):
        raise TransferFault("a path that is invalid, too deep or outside the workspace")
    try:
        longest = max(len(part.encode()) for part in parts)
    except UnicodeEncodeError:
        raise TransferFault("a path that is not valid text") from None
    if longest > _LONGEST_NAME or parts[0].startswith(_STAGE):
        raise TransferFault("a path with a name that is too long or reserved")
    return parts
