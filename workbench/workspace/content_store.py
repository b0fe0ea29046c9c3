"""Contents of files by their hash, so that what did not change is kept once however many runs came by.

A content is cloned where the file system can share blocks, and copied while it is hashed where it cannot. It lies in
the person's own state folder, readable by nobody else.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

_CLONE: Final = 0x40049409  # FICLONE
_PIECE: Final = 1 << 20
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Contents:
    """One folder of them. It works on the disk; whoever calls it is on a thread or knows it to be little."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._clones = True  # until this file system says no

    def take(self, handle: int, most: int) -> str:
        """The hash of what an open file holds, which is kept from now on; empty where it is longer than `most`."""
        draft = self._draft()
        try:
            target = os.open(draft, _NEW, 0o600)
            try:
                digest = self._fill(handle, target, most)
            finally:
                os.close(target)
            return self._settle(draft, digest) if digest else ""
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()

    def put(self, data: bytes) -> str:
        """The same for what is in memory: the target of a link."""
        digest = hashlib.sha256(data).hexdigest()
        if not self._place(digest).exists():
            draft = self._draft()
            with os.fdopen(os.open(draft, _NEW, 0o600), "wb") as file:
                file.write(data)
            self._settle(draft, digest)
        return digest

    def open(self, digest: str) -> BinaryIO:
        """What is kept under a hash; FileNotFoundError where it is not."""
        return open(self._place(digest), "rb")  # whoever asked closes it

    def read(self, digest: str, most: int = -1) -> bytes:
        """The beginning of it, or all."""
        with self.open(digest) as file:
            return file.read(most)

    def has(self, digest: str) -> bool:
        return bool(digest) and self._place(digest).exists()

    def drop(self, digests: Iterable[str]) -> None:
        for digest in digests:
            with suppress(FileNotFoundError):
                self._place(digest).unlink()

    def all(self) -> dict[str, int]:
        """Every hash with the bytes behind it; drafts of a core that was killed go."""
        found = {}
        for folder in self._folder.glob("??"):
            for file in folder.iterdir():
                found[file.name] = file.stat().st_size
        for draft in self._folder.glob(".new-*"):
            draft.unlink(missing_ok=True)
        return found

    def _fill(self, handle: int, target: int, most: int) -> str:
        if os.fstat(handle).st_size > most:
            return ""
        if self._clones:
            try:
                fcntl.ioctl(target, _CLONE, handle)
            except OSError:
                self._clones = False
            else:
                return _hashed(target)
        return _copied(handle, target, most)

    def _settle(self, draft: Path, digest: str) -> str:
        place = self._place(digest)
        if place.exists():
            draft.unlink()
        else:
            place.parent.mkdir(mode=0o700, exist_ok=True)
            draft.replace(place)
        return digest

    def _draft(self) -> Path:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder / f".new-{secrets.token_hex(8)}"

    def _place(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest


def _hashed(handle: int) -> str:
    digest, at = hashlib.sha256(), 0
    while piece := os.pread(handle, _PIECE, at):
        digest.update(piece)
        at += len(piece)
    return digest.hexdigest()


def _copied(handle: int, target: int, most: int) -> str:
    digest, at = hashlib.sha256(), 0
    while piece := os.pread(handle, _PIECE, at):
        digest.update(piece)
        at += len(piece)
        if at > most:
            return ""  # it grows while it is read
        view = memoryview(piece)
        while view:
            view = view[os.write(target, view) :]
    return digest.hexdigest()
