"""Writes the machine's first file system: folders, links, files and drivers in one archive."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.sandbox.vm import contents
from workbench.sandbox.vm.cpio import CpioWriter
from workbench.sandbox.vm.kernels import Kernel

_FOLDERS = ("/proc", "/dev", "/sys", "/tmp", "/top", "/files", "/modules", "/etc", "/root")
_LINKED = ("bin", "sbin", "lib", "lib64", "lib32")  # links to below /usr on most systems


def write(target: Path, kernel: Kernel, ours: list[Path], folder: Path) -> None:
    """`folder` is an empty one to work in."""
    files = contents.files(ours)
    files |= contents.compiled([path for path in files.values() if path.suffix == ".py" and path not in ours], folder)
    placed = {_real(name): path for name, path in files.items()}
    with target.open("wb") as out:
        archive = CpioWriter(out)
        for name in _folders({*placed, *(f"{place}/x" for place in _FOLDERS)}):
            archive.folder(name)
        for name in _LINKED:
            if os.path.islink(f"/{name}"):
                archive.link(name, os.readlink(f"/{name}"))
        archive.device("/dev/console", 5, 1)
        archive.file("/init", contents.first_script(), 0o755)
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
