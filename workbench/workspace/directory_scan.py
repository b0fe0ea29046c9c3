"""Scans everything below an open folder without following links, for file lists and snapshots."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from workbench.workspace.confined_paths import FOLDER, closing_handle, open_parent

DEEPEST = 200  # levels of nested folders that are scanned; each holds a descriptor
_FURTHEST = (1 << 63) - 1  # the largest number SQLite stores; a program may set a file's time to the year 2446


class Stamp(NamedTuple):
    """Metadata that differs when an entry has changed; of a folder only the mode."""

    mode: int  # file type and permissions
    size: int
    changed: int  # modification time in nanoseconds
    touched: int  # change time (ctime) in nanoseconds, which no program can set
    inode: int
    links: int

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class TooMany(Exception):
    """A scan exceeds its limit of entries, time or depth."""


def stamp_of(found: os.stat_result) -> Stamp:
    if stat.S_ISDIR(found.st_mode):
        return Stamp(found.st_mode, 0, 0, 0, 0, 1)
    changed, touched = (max(-_FURTHEST, min(at, _FURTHEST)) for at in (found.st_mtime_ns, found.st_ctime_ns))
    return Stamp(found.st_mode, found.st_size, changed, touched, found.st_ino & _FURTHEST, found.st_nlink)


def stamp_at(root: int, path: str) -> Stamp | None:
    """The stamp of a path below an open folder; None if it does not exist or cannot be reached."""
    try:
        with open_parent(root, path) as (folder, name):
            return stamp_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except OSError:
        return None


def look(root: int, most: int, seconds: float = 3600.0) -> dict[str, Stamp]:
    """Stamps of files, links and folders by path as spelled on disk. Raises TooMany beyond a limit."""
    found: dict[str, Stamp] = {}
    _look(root, "", found, most, time.monotonic() + seconds, 0)
    return found


def plain(root: int, most: int) -> Iterator[tuple[str, Stamp]]:
    """The regular files with one hard link, folder by folder; at most `most`."""
    for path, stamp in _each(root, "", 0):
        if stamp.is_file and stamp.links == 1:
            if (most := most - 1) < 0:
                return
            yield path, stamp


def one_level(folder: int) -> list[tuple[str, Stamp]]:
    """The entries of one folder, including links and special files; folders first, then by name."""
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
                continue  # a pipe, device or socket, which cannot be stored
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
            continue  # deleted, replaced or not permitted


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
