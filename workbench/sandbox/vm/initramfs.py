"""Writes the machine's first file system as a cpio archive: folders, links, files and drivers.

Everything in it belongs to root; times are left out, so that the same files make the same archive.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from workbench.sandbox.vm import initramfs_contents
from workbench.sandbox.vm.linux_kernels import LinuxKernel

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


_FOLDERS = ("/proc", "/dev", "/sys", "/tmp", "/top", "/files", "/modules", "/etc", "/root")
_LINKED = ("bin", "sbin", "lib", "lib64", "lib32")  # links to below /usr on most systems


def write(target: Path, kernel: LinuxKernel, ours: list[Path], folder: Path) -> None:
    """`folder` is an empty one to work in."""
    files = initramfs_contents.files(ours)
    files |= initramfs_contents.compiled(
        [path for path in files.values() if path.suffix == ".py" and path not in ours], folder
    )
    placed = {_real(name): path for name, path in files.items()}
    with target.open("wb") as out:
        archive = CpioWriter(out)
        for name in _folders({*placed, *(f"{place}/x" for place in _FOLDERS)}):
            archive.folder(name)
        for name in _LINKED:
            if os.path.islink(f"/{name}"):
                archive.link(name, os.readlink(f"/{name}"))
        archive.device("/dev/console", 5, 1)
        archive.file("/init", initramfs_contents.first_script(), 0o755)
        for number, (name, data) in enumerate(kernel.drivers):
            archive.file(f"/modules/{number:02}-{name}", data)
        for name, path in sorted(placed.items()):
            archive.file(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        archive.close()


def _real(name: str) -> str:
    """Where a file really lies: /lib is a link on most systems."""
    folder, _, last = name.rpartition("/")
    return f"{os.path.realpath(folder)}/{last}" if os.path.isdir(folder) else name


def _folders(names: set[str]) -> list[str]:
    found: set[str] = set()
    for name in names:
        folder = os.path.dirname(name)
        while folder not in ("", "/"):
            found.add(folder)
            folder = os.path.dirname(folder)
    return sorted(found)
