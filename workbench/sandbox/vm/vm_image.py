"""The built virtual machine image: kernel, initramfs, snapshot, and a note with the versions it was built from.

A snapshot works only with the QEMU version and processor it was made with, so the note names both.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import mmap
import os
import platform
import re
import shutil
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import workbench
from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.sandbox.child_profile import ChildProfile, base_python
from workbench.sandbox.file_transfer.transfer_host import WORKSPACE_MB

PACKAGE = Path(workbench.__file__).resolve().parent
BUILD = "Build one: `mcp-workbench sandbox build vm`."
SNAPSHOT_MB = 1024  # memory of the machine in the snapshot
_BASE_MB = 256  # memory for kernel, Python and private folders
_MACHINES = {"x86_64": "qemu-system-x86_64"}
_NOTE = "image.json"


@dataclass(frozen=True, slots=True)
class VmImage:
    """Facts about a built image, as they were at build time."""

    folder: str
    built: str  # date
    kernel: str  # version
    engine: str  # QEMU version, which the snapshot requires
    accelerator: str  # tcg (software emulation) or kvm
    processor: str  # processor of the build machine, which the snapshot requires
    clock_khz: int  # TSC frequency of that processor
    python: str
    ours: tuple[str, ...]  # the Workbench's files in the image, relative to the package
    fingerprint: str

    @property
    def kernel_file(self) -> Path:
        return Path(self.folder, "kernel")

    @property
    def first_root(self) -> Path:
        return Path(self.folder, "first-root")

    @property
    def snapshot(self) -> Path:
        return Path(self.folder, "snapshot")

    def save(self) -> None:
        write_file(Path(self.folder, _NOTE), json.dumps(asdict(self), indent=1), mode=0o644)


def read(folder: Path) -> VmImage | None:
    """The image in this folder, or None if it is missing or incomplete."""
    try:
        words = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
        image = VmImage(**{**words, "folder": str(folder), "ours": tuple(words["ours"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    whole = all(path.is_file() for path in (image.kernel_file, image.first_root, image.snapshot))
    return image if whole else None


def outdated(image: VmImage, engine: str) -> str:
    """Why the image cannot be used any more, or "" if it can."""
    if fingerprint(PACKAGE / name for name in image.ours) != image.fingerprint:
        return "The virtual machine image was built for another version of the workbench."
    if image.python != base_python():
        return "The virtual machine image was built for another Python."
    if image.engine != engine:
        return f"The virtual machine's snapshot was made by QEMU {image.engine}, but QEMU {engine} is installed."
    if image.processor != processor():
        return "The virtual machine's snapshot was made on another processor."
    return ""


def fingerprint(files: Iterable[Path]) -> str:
    """Hash of the Workbench's current files. Missing files count as empty."""
    found = hashlib.sha256()
    for path in sorted(files):
        try:
            data = path.read_bytes()
        except OSError:
            data = b""
        found.update(f"{path.relative_to(PACKAGE)}\0{len(data)}\0".encode() + data)
    return found.hexdigest()[:16]


def memory_of(profile: ChildProfile) -> int:
    """Memory of a machine for this profile in MB: the program's, its files' and the system's."""
    wanted = profile.memory_mb + min(profile.disk_mb, WORKSPACE_MB) + _BASE_MB
    return -(-wanted // SNAPSHOT_MB) * SNAPSHOT_MB


def emulator() -> str:
    """Path of QEMU for this processor, or "" if it is not installed."""
    name = _MACHINES.get(platform.machine(), "")
    return shutil.which(name) or "" if name else ""


def need_emulator() -> str:
    if platform.system() != "Linux" or platform.machine() not in _MACHINES:
        raise WorkbenchError("Virtual machines need Linux on x86-64.", "Use the container level, or the process level.")
    found = emulator()
    if not found:
        hint = (
            "Install it, on Debian and Ubuntu with `sudo apt-get install --no-install-recommends qemu-system-x86`,"
            " then run `mcp-workbench sandbox build vm`."
        )
        raise WorkbenchError("QEMU is not installed.", hint)
    return found


def processor() -> str:
    """The processor's name, as far as the system reports it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name"))
    return next(names, platform.machine())


def private_folder(folder: Path) -> None:
    """Create the folder for its owner only.

    Whoever can write in it controls the system that programs run in.
    """
    folder.mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o700)


_READ_TSC = bytes.fromhex("0f3148c1e2204809d0c3")  # rdtsc; shl rdx, 32; or rax, rdx; ret
_MEASURE_SECONDS = 0.05


def tsc_khz() -> int:
    """Frequency of the time stamp counter, which an emulated guest cannot measure on a busy host. 0: unknown."""
    try:
        return _measure_tsc()
    except OSError:
        return _tsc_of_cpuinfo()


def _measure_tsc() -> int:
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as page:
        page.write(_READ_TSC)
        start = ctypes.c_char.from_buffer(page)
        read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(start))
        first, began = read(), time.perf_counter_ns()
        time.sleep(_MEASURE_SECONDS)
        last, ended = read(), time.perf_counter_ns()
        del start, read
    return int((last - first) * 1_000_000 // (ended - began))


def _tsc_of_cpuinfo() -> int:
    try:
        found = re.search(r"^cpu MHz\s*:\s*([\d.]+)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return round(float(found[1]) * 1000) if found else 0
