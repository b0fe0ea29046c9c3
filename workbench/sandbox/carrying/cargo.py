"""The bench's folders inside the machine: filled before a program runs, compared afterwards. Standard library."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from workbench.sandbox.carrying.parcel import AREAS, LARGEST_PIECE, Head, pack
from workbench.sandbox.profile import NOBODY

_State = tuple[int, int, int, int]  # kind and mode, size, time of change, inode
_LONGEST_PATH = 4096


class Cargo:
    """Takes files in, and tells what a program made of them. The workspace's belong to `owner`."""

    def __init__(self, root: Path, owner: int = NOBODY) -> None:
        self._root = root
        self._owner = owner
        self._before: dict[str, _State] = {}
        self._file: tuple[str, Head] | None = None
        self.filled = False
        self.fault = ""  # why a file could not be taken in

    def take(self, head: Head, data: bytes) -> None:
        """One parcel of the host's, which is trusted; only room can be missing."""
        if self.fault:
            return
        try:
            self._place(head, data)
        except OSError as fault:
            self.fault = f"{head.get('path', '')}: {fault.strerror}"

    def remember(self) -> None:
        """The program may begin: what differs from now on is its doing."""
        self._finish_file()
        self._before = dict(self._states())
        self.filled = True

    def size(self) -> int:
        """Bytes of all files as they look, holes included: so much would have to be carried."""
        return sum(size for mode, size, _, _ in dict(self._states()).values() if stat.S_ISREG(mode))

    def changes(self) -> Iterator[bytes]:
        """Parcels of everything new or different, and the names of what is gone or became another kind of thing."""
        now = dict(self._states())
        for path, state in now.items():
            before = self._before.get(path)
            if state == before or (before and stat.S_ISDIR(state[0]) and stat.S_ISDIR(before[0])):
                continue
            yield from self._changed(path, state)
        for path, state in sorted(self._before.items(), reverse=True):
            if path not in now or stat.S_IFMT(now[path][0]) != stat.S_IFMT(state[0]):
                yield pack("gone", path=path)

    def _place(self, head: Head, data: bytes) -> None:
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

    def _states(self) -> Iterator[tuple[str, _State]]:
        root = f"{self._root}/workspace"
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            with os.scandir(f"{root}/{folder}") as found:
                entries = sorted(found, key=lambda entry: entry.name)
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                status = entry.stat(follow_symlinks=False)
                yield path, (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
                if entry.is_dir(follow_symlinks=False) and len(path) < _LONGEST_PATH:
                    waiting.append(path)

    def _changed(self, path: str, state: _State) -> Iterator[bytes]:
        mode, size, when, _ = state
        try:
            path.encode()
        except UnicodeEncodeError:
            yield pack("left", path=path.encode("utf-8", "replace").decode(), why="its name is no text")
            return
        if stat.S_ISDIR(mode):
            yield pack("folder", path=path)
        elif stat.S_ISREG(mode):
            yield pack("file", path=path, mode=mode & 0o777, time=when, length=size)
            yield from self._pieces(path, size)
        else:
            yield pack("left", path=path, why="it is a link" if stat.S_ISLNK(mode) else "it is no file")

    def _pieces(self, path: str, size: int) -> Iterator[bytes]:
        with open(f"{self._root}/workspace/{path}", "rb") as file:
            left = size
            while left:
                data = file.read(min(left, LARGEST_PIECE))
                if not data:
                    return
                left -= len(data)
                yield pack("data", data)
