"""Finds a Linux kernel for the machine: Debian's cloud kernel from its package, or an installed one.

A kernel is suitable if the drivers for a serial port between host and machine exist as modules or are built in. Nothing
is installed: apt downloads the package and checks its signature, and it is unpacked next to the image.
"""

from __future__ import annotations

import lzma
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError

_PACKAGE = "linux-image-cloud-amd64"
_DRIVERS = ("virtio_ring", "virtio", "virtio_mmio", "virtio_console")  # in loading order
_PLACES = ("drivers/virtio", "drivers/char")
_HINT = "On Debian and Ubuntu, apt-get downloads a kernel. Elsewhere, make the running kernel in /boot readable."


@dataclass(frozen=True, slots=True)
class LinuxKernel:
    """A bootable kernel, and its drivers by name."""

    version: str
    image: Path
    drivers: tuple[tuple[str, bytes], ...]


def find_kernel(folder: Path) -> LinuxKernel:
    """Debian's cloud kernel if apt can download it, otherwise the running kernel.

    `folder` must be an empty working folder.
    """
    refusals = []
    for look in (_debian_cloud_kernel, _running_kernel):
        try:
            return look(folder)
        except WorkbenchError as fault:
            refusals.append(fault.message)
    raise WorkbenchError(f"No kernel was found for the virtual machine: {' '.join(refusals)}", _HINT)


def _debian_cloud_kernel(folder: Path) -> LinuxKernel:
    if platform.machine() != "x86_64" or not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise WorkbenchError("Debian's package tools are not installed.")
    listed = _run_tool(["apt-cache", "depends", _PACKAGE], folder)
    names = re.findall(r"Depends: (linux-image-\S+)", listed)
    if not names:
        raise WorkbenchError(f"apt does not know the package {_PACKAGE}.")
    _run_tool(["apt-get", "download", names[0]], folder)
    packages = sorted(folder.glob("linux-image-*.deb"))
    if not packages:
        raise WorkbenchError(f"apt could not download {names[0]}.")
    _run_tool(["dpkg-deb", "-x", str(packages[0]), "kernel"], folder)
    version = names[0].removeprefix("linux-image-")
    root = folder / "kernel"
    for place in ("lib/modules", "usr/lib/modules"):
        if (root / place / version).is_dir():
            return kernel_of(version, root / f"boot/vmlinuz-{version}", root / place / version)
    raise WorkbenchError(f"{names[0]} contains no kernel modules.")


def _running_kernel(folder: Path) -> LinuxKernel:
    version = platform.release()
    return kernel_of(version, Path(f"/boot/vmlinuz-{version}"), Path(f"/lib/modules/{version}"))


def kernel_of(version: str, image: Path, modules: Path) -> LinuxKernel:
    try:
        with image.open("rb") as file:
            file.read(1)
        built_in = (modules / "modules.builtin").read_text(encoding="utf-8")
    except OSError as fault:
        raise WorkbenchError(f"The kernel {version} cannot be read: {fault.strerror} ({fault.filename}).") from fault
    drivers = [(name, _driver(name, modules)) for name in _DRIVERS if f"/{name}.ko" not in built_in]
    return LinuxKernel(version, image, tuple(drivers))


def _driver(name: str, modules: Path) -> bytes:
    for place in _PLACES:
        for path in (modules / "kernel" / place).glob(f"{name}.ko*"):
            return _unpacked(path)
    raise WorkbenchError(f"The kernel's modules lack {name}.")


def _unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    if path.suffix == ".zst":
        command = ["zstd", "-dc", str(path)]
        try:
            return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
        except (OSError, subprocess.SubprocessError) as fault:
            raise WorkbenchError(f"{path.name} could not be unpacked by zstd.", "Install zstd.") from fault
    return data


def _run_tool(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=300)
    except subprocess.CalledProcessError as fault:
        raise WorkbenchError(f"`{' '.join(command)}` failed: {fault.stderr.strip()[-200:]}.") from fault
    except (OSError, subprocess.SubprocessError) as fault:
        raise WorkbenchError(f"`{' '.join(command)}` failed: {type(fault).__name__}.") from fault
    return done.stdout
