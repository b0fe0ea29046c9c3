"""Copies of the project's folders in a container or virtual machine: filled before a program, compared after it.

Uses only the standard library.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from workbench.sandbox.child_profile import NOBODY
from workbench.sandbox.file_transfer.transfer_frames import AREAS, DEEPEST, LARGEST_PIECE, Head, pack

_State = tuple[int, int, int, int]  # kind and mode, size, modification time, inode
_LONGEST_PATH = 4096


class RemoteFolders:
    """Writes received files and reports what a program changed. Files of the workspace belong to `owner`."""

    def __init__(self, root: Path, owner: int = NOBODY) -> None:
        self._root = root
        self._owner = owner
        self._before: dict[str, _State] = {}
        self._closed: dict[str, str] = {}  # unreadable folder → reason
        self._file: tuple[str, Head] | None = None
        self.filled = False
        self.fault = ""  # why a file could not be written

    def take(self, head: Head, data: bytes) -> None:
        """Process one transfer frame of the core, which is trusted. Writing fails only if the file system is full."""
        if self.fault:
            return
        try:
            self._write(head, data)
        except OSError as fault:
            whose = head if "path" in head or self._file is None else self._file[1]
            self.fault = f"{whose.get('path', '')}: {fault.strerror}"

    def remember(self) -> None:
        """Record the state of all files before the program begins. Later differences are the program's changes."""
        self._finish_file()
        self._before = dict(self._scan())
        self.filled = True

    def size(self) -> int:
        """Apparent size of all files, including holes, because as many bytes would be copied."""
        return sum(size for mode, size, _, _ in dict(self._scan()).values() if stat.S_ISREG(mode))

    def changes(self) -> Iterator[bytes]:
        """Transfer frames for new and changed files, and paths that were removed or changed their type."""
        now = dict(self._scan())
        for path, state in now.items():
            before = self._before.get(path)
            if state == before or (before and stat.S_ISDIR(state[0]) and stat.S_ISDIR(before[0])):
                continue
            yield from self._changed(path, state)
        for path, why in self._closed.items():
            yield _skipped(path, why)
        for path, state in sorted(self._before.items(), reverse=True):
            if self._hidden(path):
                continue
            if path not in now or stat.S_IFMT(now[path][0]) != stat.S_IFMT(state[0]):
                yield pack("gone", path=path)

    def _hidden(self, path: str) -> bool:
        """Whether the path is in a folder that is unreadable now, so that it may still exist."""
        return any(path.startswith(f"{folder}/" if folder else "") for folder in self._closed)

    def _write(self, head: Head, data: bytes) -> None:
        kind = head["kind"]
        if kind == "data":
            assert self._file is not None
            with open(self._file[0], "ab") as file:
                file.write(data)
            return
        self._finish_file()
        assert head["area"] in AREAS
        path = f"{self._root}/{head['area']}/{head['path']}"
        if kind == "folder":
            os.mkdir(path)
            self._give(path, head)
        elif kind == "link":
            os.symlink(head["to"], path)
        else:
            open(path, "wb").close()
            self._file = path, head

    def _finish_file(self) -> None:
        if self._file is not None:
            path, head = self._file
            self._file = None
            self._give(path, head)
            os.chmod(path, head["mode"])
            os.utime(path, ns=(head["time"], head["time"]))

    def _give(self, path: str, head: Head) -> None:
        if head["area"] == "workspace":
            os.chown(path, self._owner, self._owner if self._owner == NOBODY else -1)

    def _scan(self) -> Iterator[tuple[str, _State]]:
        waiting = [""]
        self._closed.clear()
        while waiting:
            folder = waiting.pop()
            for path, status in self._entries(folder):
                yield path, (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(path)

    def _entries(self, folder: str) -> list[tuple[str, os.stat_result]]:
        """Entries of a folder. An unreadable folder is recorded with its reason."""
        place, below = f"{self._root}/workspace/{folder}", f"{folder}/" if folder else ""
        if folder.count("/") + 2 > DEEPEST:
            self._closed[folder] = "it is nested too deeply"
            return []
        try:
            _make_accessible(place, 0o700)
            with os.scandir(place) as found:
                entries = [(below + entry.name, entry.stat(follow_symlinks=False)) for entry in found]
        except OSError as fault:
            self._closed[folder] = (
                "it is nested too deeply" if fault.errno == errno.ENAMETOOLONG else "it cannot be read"
            )
            return []
        return sorted(entries, key=lambda entry: entry[0])

    def _changed(self, path: str, state: _State) -> Iterator[bytes]:
        mode, size, when, _ = state
        try:
            path.encode()
        except UnicodeEncodeError:
            yield _skipped(path, "its name is not valid text")
            return
        if stat.S_ISDIR(mode):
            yield pack("folder", path=path)
        elif stat.S_ISREG(mode):
            yield from self._file_out(path, mode, size, when)
        else:
            yield _skipped(path, "it is a link" if stat.S_ISLNK(mode) else "it is not a regular file")

    def _file_out(self, path: str, mode: int, size: int, when: int) -> Iterator[bytes]:
        place = f"{self._root}/workspace/{path}"
        try:
            _make_accessible(place, 0o400)
            file = open(place, "rb")  # noqa: SIM115 - a failure to open is reported before the head is sent
        except OSError:
            yield _skipped(path, "it cannot be read")
            return
        with file:
            yield pack("file", path=path, mode=mode & 0o777, time=when, length=size)
            left = size
            while left and (data := file.read(min(left, LARGEST_PIECE))):
                left -= len(data)
                yield pack("data", data)


def _make_accessible(place: str, rights: int) -> None:
    """Restore access to a path from which the program removed permissions.

    This is needed where the process has no more rights than the program.
    """
    mode = os.lstat(place).st_mode
    if mode & rights != rights:
        os.chmod(place, stat.S_IMODE(mode) & 0o777 | rights)


def _skipped(path: str, why: str) -> bytes:
    return pack("left", path=path.encode("utf-8", "replace").decode()[:_LONGEST_PATH], why=why)
