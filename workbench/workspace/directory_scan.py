"""Looks at everything below an open folder without following anything: what both lists and snapshots are made of."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from workbench.workspace.confined_paths import FOLDER, closing_handle, open_parent

DEEPEST = 200  # folders within folders that are looked into; each holds a descriptor
_FURTHEST = (1 << 63) - 1  # what can be written down; a program may give a file a time of the year 2446


class Stamp(NamedTuple):
    """What is different when an entry is; of a folder only its rights count."""

    mode: int  # kind and rights
    size: int
    changed: int  # nanoseconds
    touched: int  # the same for its rights and names, which no program can set
    inode: int
    links: int

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class TooMany(Exception):
    """There is more than may be looked at."""


def stamp_of(found: os.stat_result) -> Stamp:
    if stat.S_ISDIR(found.st_mode):
        return Stamp(found.st_mode, 0, 0, 0, 0, 1)
    changed, touched = (max(-_FURTHEST, min(at, _FURTHEST)) for at in (found.st_mtime_ns, found.st_ctime_ns))
    return Stamp(found.st_mode, found.st_size, changed, touched, found.st_ino & _FURTHEST, found.st_nlink)


def stamp_at(root: int, path: str) -> Stamp | None:
    """The stamp of something below an open folder; None where nothing is, or it cannot be reached."""
    try:
        with open_parent(root, path) as (folder, name):
            return stamp_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except OSError:
        return None


def look(root: int, most: int, seconds: float = 3600.0) -> dict[str, Stamp]:
    """Files, links and folders by their path as the disk spells it; TooMany past so many or so long."""
    found: dict[str, Stamp] = {}
    _look(root, "", found, most, time.monotonic() + seconds, 0)
    return found


def plain(root: int, most: int) -> Iterator[tuple[str, Stamp]]:
    """The plain files with one name, folder by folder; at most so many."""
    for path, stamp in _each(root, "", 0):
        if stamp.is_file and stamp.links == 1:
            if (most := most - 1) < 0:
                return
            yield path, stamp


def one_level(folder: int) -> list[tuple[str, Stamp]]:
    """The entries of one folder, folders first, then by name; what is neither file nor folder is told too."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                found.append((entry.name, stamp_of(entry.stat(follow_symlinks=False))))
            except OSError:
                continue  # gone since it was listed
    return sorted(found, key=lambda one: (not one[1].is_folder, one[0]))


def _look(folder: int, prefix: str, found: dict[str, Stamp], most: int, until: float, depth: int) -> None:
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                stamp = stamp_of(entry.stat(follow_symlinks=False))
            except OSError:
                continue  # gone since it was listed
            if stamp.is_folder:
                folders.append(entry.name)
            elif not (stamp.is_file or stat.S_ISLNK(stamp.mode)):
                continue  # a pipe, a device, a socket: nothing that could be kept
            found[prefix + entry.name] = stamp
            if len(found) > most:
                raise TooMany
    if time.monotonic() > until or depth > DEEPEST:
        raise TooMany
    for name in folders:
        try:
            with closing_handle(os.open(name, FOLDER, dir_fd=folder)) as inner:
                _look(inner, f"{prefix}{name}/", found, most, until, depth + 1)
        except OSError:
            continue  # gone, replaced by something else, or closed to us


def _each(folder: int, prefix: str, depth: int) -> Iterator[tuple[str, Stamp]]:
    for name, stamp in one_level(folder):
        yield prefix + name, stamp
        if stamp.is_folder and depth < DEEPEST:
            try:
                inner = os.open(name, FOLDER, dir_fd=folder)
            except OSError:
                continue
            try:
                yield from _each(inner, f"{prefix}{name}/", depth + 1)
            finally:
                os.close(inner)
