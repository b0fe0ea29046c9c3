"""Reads the bench's folders for the far end: every file as parcels, with limits, and never through a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from workbench.errors import WorkbenchError
from workbench.sandbox.carrying.far_end import FarEnd
from workbench.sandbox.carrying.parcel import LARGEST_PIECE, pack
from workbench.sandbox.profile import Profile
from workbench.sandbox.quota import MOST_FILES

WORKSPACE_MB = 256  # what is carried lies in memory at the other end, so it cannot be as large as elsewhere
OTHERS_MB = 64  # generated packages, and as much for skills


class Lading:
    """One load; `sent` are the workspace's entries afterwards, which the program may remove."""

    def __init__(self, profile: Profile, far: FarEnd) -> None:
        self._far = far
        self._folders = {"servers": profile.servers, "skills": profile.skills, "workspace": profile.workspace}
        self._room = min(profile.disk_mb, WORKSPACE_MB) << 20
        self.sent: set[str] = set()

    def parcels(self) -> Iterator[bytes]:
        for area, folder in self._folders.items():
            if folder and os.path.isdir(folder):
                room = self._room if area == "workspace" else OTHERS_MB << 20
                yield from self._area(area, folder, room)
        yield pack("filled")

    def _area(self, area: str, root: str, room: int) -> Iterator[bytes]:
        count, most = 0, room >> 20
        for at, folders, names, here in os.fwalk(root, follow_symlinks=False):
            below = os.path.relpath(at, root)
            folders[:] = sorted(name for name in folders if area == "workspace" or name != "__pycache__")
            for name in (*folders, *sorted(names)):
                path = name if below == "." else f"{below}/{name}"
                count += 1
                if count > MOST_FILES:
                    raise self._too_much(area, f"more than {MOST_FILES:,} files", f"{MOST_FILES:,} files")
                try:
                    found = os.stat(name, dir_fd=here, follow_symlinks=False)
                except FileNotFoundError:
                    continue  # gone since it was listed
                room -= found.st_size if stat.S_ISREG(found.st_mode) else 0
                if room < 0:
                    raise self._too_much(area, "too much", f"{most} MB")
                if area == "workspace":
                    self.sent.add(path)
                yield from _entry(area, path, name, here, found)

    def _too_much(self, area: str, what: str, most: str) -> WorkbenchError:
        return WorkbenchError(
            f"The folder {area} holds {what} for {self._far.name}, to which {most} of it are carried at most.",
            "Move what the program does not need elsewhere, or let it run where folders are not carried.",
        )


def _entry(area: str, path: str, name: str, here: int, found: os.stat_result) -> Iterator[bytes]:
    if stat.S_ISDIR(found.st_mode):
        yield pack("folder", area=area, path=path)
    elif stat.S_ISLNK(found.st_mode):
        yield pack("link", area=area, path=path, to=os.readlink(name, dir_fd=here))
    elif stat.S_ISREG(found.st_mode):
        yield from _file(area, path, name, here)


def _file(area: str, path: str, name: str, here: int) -> Iterator[bytes]:
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return
        yield pack("file", area=area, path=path, mode=found.st_mode & 0o777, time=found.st_mtime_ns)
        left = found.st_size
        while left > 0 and (data := file.read(min(left, LARGEST_PIECE))):
            left -= len(data)
            yield pack("data", data)
