"""Writes the archive a kernel unpacks as its first file system: cpio's "newc" form, without any tool and any right.

Everything in it belongs to root; times are left out, so that the same files make the same archive.
"""

from __future__ import annotations

import stat
from typing import BinaryIO

_MAGIC = b"070701"
_LAST = "TRAILER!!!"
_LARGEST = 0xFFFFFFFF


class CpioWriter:
    """Add folders before what lies in them; `close` writes the end."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._number = 0

    def folder(self, name: str, mode: int = 0o755) -> None:
        self._entry(name, stat.S_IFDIR | mode, b"")

    def file(self, name: str, data: bytes, mode: int = 0o644) -> None:
        self._entry(name, stat.S_IFREG | mode, data)

    def link(self, name: str, to: str) -> None:
        self._entry(name, stat.S_IFLNK | 0o777, to.encode())

    def device(self, name: str, major: int, minor: int, mode: int = 0o600) -> None:
        """A character device, for what must be there before the kernel fills /dev."""
        self._entry(name, stat.S_IFCHR | mode, b"", (major, minor))

    def close(self) -> None:
        self._entry(_LAST, 0, b"", links=1)
        self._target.write(bytes(-self._target.tell() % 512))

    def _entry(self, name: str, mode: int, data: bytes, device: tuple[int, int] = (0, 0), links: int = 1) -> None:
        path = name.strip("/").encode()
        if not path or b"\0" in path or len(data) > _LARGEST:
            raise ValueError(f"{name!r} does not fit into the archive")
        self._number += 1
        fields = (self._number, mode, 0, 0, links, 0, len(data), 0, 0, *device, len(path) + 1, 0)
        head = _MAGIC + b"".join(b"%08X" % field for field in fields) + path + b"\0"
        self._target.write(head + bytes(-len(head) % 4))
        self._target.write(data + bytes(-len(data) % 4))
