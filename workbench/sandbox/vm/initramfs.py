"""Writes the machine's initramfs as a cpio archive: Python and its library, C libraries, our modules, drivers.

All files come from this machine, so programs have the same Python as in other sandboxes. Files belong to root and have
no times, so that the same files produce the same archive.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from workbench.errors import WorkbenchError
from workbench.sandbox.child_profile import ENVIRONMENT, base_python
from workbench.sandbox.vm.linux_kernels import LinuxKernel
from workbench.sandbox.vm.vm_image import PACKAGE

PACKAGE_PLACE = "/app"
FIRST = "/init"
_INIT_SCRIPT = f"""#!{{python}} -IS
import sys
sys.path.insert(0, {PACKAGE_PLACE!r})
sys.dont_write_bytecode = True
from workbench.sandbox.vm.guest_init import main
main()
"""
# Parts of the standard library that need a screen, a network or a compiler, or that test Python itself.
_LEFT_OUT = {
    "__pycache__", "test", "tests", "site-packages", "dist-packages", "idlelib", "tkinter", "ensurepip", "lib2to3",
    "turtledemo", "venv", "distutils", "pydoc_data",
}  # fmt: skip
_NO_EXTENSION = re.compile(r"^(_tkinter|nis|_test|_ctypes_test|xxlimited|_xxtest|ossaudiodev|spwd)")
_LIST_IMPORTS = """
import json, sys
sys.path.insert(0, {root!r})
import workbench.sandbox.vm.guest_init
print(json.dumps([getattr(m, "__file__", None) for n, m in sys.modules.items() if n.split(".")[0] == "workbench"]))
"""
_COMPILE = """
import compileall, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir(sys.argv[1], quiet=2, stripdir=sys.argv[1], prependdir="/", invalidation_mode=mode)
"""


def our_files() -> list[Path]:
    """Files of the Workbench that the machine's first process imports."""
    script = _LIST_IMPORTS.format(root=str(PACKAGE.parent))
    command = [base_python(), "-I", "-S", "-B", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=120)
    if done.returncode:
        raise WorkbenchError("The machine's first process cannot be imported.", done.stderr.strip()[-300:])
    found = {Path(name) for name in json.loads(done.stdout) if name}
    return sorted(found | set((PACKAGE / "sandbox/inside/modules").glob("[a-z]*.py")))


def archive_files(ours: list[Path]) -> dict[str, Path]:
    """Path in the archive → file on this machine."""
    library = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
    found = {str(path): path for path in _library(library)}
    python = Path(base_python())
    found[str(python)] = python
    for place in _shared_libraries([python, *(path for path in found.values() if path.suffix == ".so")]):
        found[str(place)] = place
    for path in ours:
        found[f"{PACKAGE_PLACE}/{path.relative_to(PACKAGE.parent)}"] = path
    zones = Path("/usr/share/zoneinfo")
    found |= {str(path): path for path in _time_zones(zones)} if zones.is_dir() else {}
    return found


def first_script() -> bytes:
    return _INIT_SCRIPT.format(python=base_python()).encode()


def compiled(sources: list[Path], folder: Path) -> dict[str, Path]:
    """Compile modules to bytecode that is valid regardless of file times. `folder` must be an empty working folder."""
    for path in sources:
        copy = folder / str(path).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    command = [base_python(), "-I", "-S", "-c", _COMPILE, str(folder)]
    subprocess.run(command, check=False, env=ENVIRONMENT, timeout=600, stdout=subprocess.DEVNULL)
    return {f"/{path.relative_to(folder)}": path for path in folder.rglob("*.pyc")}


def _library(folder: Path) -> Iterator[Path]:
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _LEFT_OUT and not name.startswith("config-")]
        yield from (Path(at, name) for name in names if _is_needed(name, at == str(folder)))


def _is_needed(name: str, top: bool) -> bool:
    """Whether the archive needs this module or data file."""
    kind = os.path.splitext(name)[1]
    if kind in (".py", ".so"):
        return not _NO_EXTENSION.match(name)
    return not top and kind not in (".a", ".o", ".exe")


def _shared_libraries(programs: list[Path]) -> Iterator[Path]:
    """C libraries that these programs need, as resolved by this machine's loader."""
    command = ["ldd", *map(str, programs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    for word in set(re.findall(r"(?:=> |^\s+)(/\S+) \(0x", done.stdout, re.MULTILINE)):
        yield Path(word)
    for name in ("libgcc_s.so.1",):  # loaded by name when a thread is cancelled
        for folder in ("/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib"):
            if Path(folder, name).exists():
                yield Path(folder, name)
                break


def _time_zones(folder: Path) -> Iterator[Path]:
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("posix", "right")]
        yield from (Path(at, name) for name in names)


_MAGIC = b"070701"
_LAST = "TRAILER!!!"
_LARGEST = 0xFFFFFFFF


class CpioWriter:
    """Writes a cpio archive: folders before their contents. `close` writes the trailer."""

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
        """Add a character device that is needed before the kernel fills /dev."""
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
_LINKED = ("bin", "sbin", "lib", "lib64", "lib32")  # links below /usr on most systems


def write(target: Path, kernel: LinuxKernel, ours: list[Path], folder: Path) -> None:
    """Write the initramfs. `folder` must be an empty working folder."""
    files = archive_files(ours)
    files |= compiled([path for path in files.values() if path.suffix == ".py" and path not in ours], folder)
    placed = {_real_path(name): path for name, path in files.items()}
    with target.open("wb") as out:
        archive = CpioWriter(out)
        for name in _folders({*placed, *(f"{place}/x" for place in _FOLDERS)}):
            archive.folder(name)
        for name in _LINKED:
            if os.path.islink(f"/{name}"):
                archive.link(name, os.readlink(f"/{name}"))
        archive.device("/dev/console", 5, 1)
        archive.file("/init", first_script(), 0o755)
        for number, (name, data) in enumerate(kernel.drivers):
            archive.file(f"/modules/{number:02}-{name}", data)
        for name, path in sorted(placed.items()):
            archive.file(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        archive.close()


def _real_path(name: str) -> str:
    """Real path of a file: /lib is a link on most systems."""
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
