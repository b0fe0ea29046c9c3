"""A copy of the workspace for one rehearsal: its program writes there, a person is told what, and it goes.

Nothing of the person's own files is opened for writing. A workspace too large to copy is seen as it is, but can only
be read then. Files are reached by their folder and never through a link: another program may change them meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event, Lock
from typing import Final

from workbench.errors import WorkbenchError
from workbench.runs.rehearsal import hold_files
from workbench.runs.road import Road

MOST_FILES: Final = 5_000
MOST_MB: Final = 200
TOO_LARGE: Final = (
    f"The workspace holds more than {MOST_FILES:,} files or {MOST_MB} MB, so it was not copied: the program could only"
    " read it, and what it would write there is not known."
)
_PIECE: Final = 1 << 20
_States = dict[str, tuple[int, int, int]]  # path → time of change, size, inode


@asynccontextmanager
async def spare_workspace(road: Road) -> AsyncIterator[None]:
    """While it is open, a rehearsal's program sees the copy; any other run its real workspace."""
    rehearsal = road.rehearsal
    if rehearsal is None:
        yield
        return
    spare = Spare(road.workspace, road.rooms.paths.rehearsals)
    try:
        if await asyncio.to_thread(spare.fill):
            road.workspace = spare.folder
        else:
            road.may_write = False
            rehearsal.notes.append(TOO_LARGE)
        yield
        if road.may_write:
            hold_files(rehearsal, *await asyncio.to_thread(spare.changes))
    finally:
        await asyncio.to_thread(spare.close)


class Spare:
    """One copy. Every method works on disks, so a thread calls it."""

    def __init__(self, source: Path, above: Path) -> None:
        self._source = source
        self._above = above
        self._home: Path | None = None
        self._before: _States = {}
        self._closed = Event()
        self._busy = Lock()  # who closes waits for who copies

    @property
    def folder(self) -> Path:
        assert self._home is not None
        return self._home / "workspace"

    def fill(self) -> bool:
        """Copy everything; False where that is too much."""
        with self._busy:
            if self._closed.is_set():
                return False
            self._above.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._home = Path(tempfile.mkdtemp(dir=self._above))
            self.folder.mkdir()
            try:
                whole = self._copy() if self._source.is_dir() else True
            except OSError as fault:
                words = f"The workspace cannot be copied for the rehearsal: {fault.strerror or fault}."
                raise WorkbenchError(words, f"Make room where {self._above} is.") from fault
            self._before = _states(self.folder) if whole else {}
            return whole

    def changes(self) -> tuple[dict[str, int], tuple[str, ...]]:
        """What was written, with its size, and what was deleted."""
        _open_up(self.folder)
        now = _states(self.folder)
        written = {f"workspace/{path}": size for path, (when, size, number) in now.items()
                   if self._before.get(path) != (when, size, number)}  # fmt: skip
        return written, tuple(sorted(f"workspace/{path}" for path in self._before.keys() - now.keys()))

    def close(self) -> None:
        """Nothing of it stays."""
        self._closed.set()
        with self._busy:
            if self._home is not None:
                _open_up(self._home)
                shutil.rmtree(self._home, ignore_errors=True)

    def _copy(self) -> bool:
        files, room = 0, MOST_MB << 20
        source = self._source.resolve()  # the workspace itself may be a link of the person's
        for at, folders, names, here in os.fwalk(source, follow_symlinks=False):
            below = self.folder / os.path.relpath(at, source)
            below.mkdir(exist_ok=True)
            for name in (*folders, *names):
                files += 1
                room -= _copy_entry(name, here, below / name, room)
                if files > MOST_FILES or room < 0 or self._closed.is_set():
                    return False
        return True


def _copy_entry(name: str, here: int, to: Path, room: int) -> int:
    """How many bytes it took; more than there is room for where it was not copied. What is no file stays behind."""
    try:
        found = os.stat(name, dir_fd=here, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            os.symlink(os.readlink(name, dir_fd=here), to)
        elif stat.S_ISREG(found.st_mode):
            return found.st_size if found.st_size > room else _copy_file(name, here, to, room)
    except (FileNotFoundError, PermissionError):
        return 0  # gone since it was listed, or closed to us
    return 0


def _copy_file(name: str, here: int, to: Path, room: int) -> int:
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    with os.fdopen(handle, "rb") as source:
        found, copied = os.fstat(handle), 0
        if not stat.S_ISREG(found.st_mode):
            return 0
        with open(to, "xb") as target:
            while copied <= room and (data := source.read(_PIECE)):
                copied += target.write(data)
        os.chmod(to, found.st_mode & 0o777)
        os.utime(to, ns=(found.st_atime_ns, found.st_mtime_ns))
    return copied


def _states(folder: Path) -> _States:
    """Every file with what changes when it does; folders are not told."""
    found: _States = {}
    for at, folders, names, here in os.fwalk(folder, follow_symlinks=False):
        below = os.path.relpath(at, folder)
        links = [name for name in folders if stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode)]
        for name in (*names, *links):
            what = os.stat(name, dir_fd=here, follow_symlinks=False)
            path = name if below == "." else f"{below}/{name}"
            found[path.encode("utf-8", "replace").decode()] = (what.st_ctime_ns, what.st_size, what.st_ino)
    return found


def _open_up(folder: Path) -> None:
    """A program may have closed folders of its own to us."""
    for at, folders, _names in os.walk(folder, followlinks=False):
        for name in folders:
            place = os.path.join(at, name)
            if not os.path.islink(place):
                with contextlib.suppress(OSError):
                    os.chmod(place, 0o700)
