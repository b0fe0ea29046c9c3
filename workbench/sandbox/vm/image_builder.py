"""Builds the virtual machine image: kernel, initramfs, first boot, snapshot, and a test of the snapshot."""

from __future__ import annotations

import asyncio
import datetime
import os
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.sandbox.child_profile import ChildProfile, base_python
from workbench.sandbox.locked_child import Tell
from workbench.sandbox.vm import initramfs, linux_kernels, vm_image
from workbench.sandbox.vm.qemu_process import QemuMonitor, QemuProcess
from workbench.sandbox.vm.vm_image import SNAPSHOT_MB, VmImage
from workbench.sandbox.vm.vm_maker import VmMaker, version_of

_BOOT_TIMEOUT = 90.0  # seconds for a boot under software emulation on a busy machine
_KVM_BOOT_TIMEOUT = 15.0  # with KVM, which may be present but not work
_TRIES = 3


class VmImageBuilder:
    """Builds the image in `folder`. An existing image is replaced only after the new one works."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build(self, tell: Tell, base: str = "", again: bool = False) -> None:
        engine = version_of(vm_image.need_emulator())
        present = vm_image.read(self._folder)
        if present and not again and not vm_image.outdated(present, engine):
            tell(f"The image of {present.built} is up to date.")
            return
        if base:
            raise WorkbenchError("A virtual machine is not built from another image.", "Omit --from.")
        vm_image.private_folder(self._folder.parent)
        with tempfile.TemporaryDirectory(prefix="vm-", dir=self._folder.parent) as place:
            image = self._gather_files(Path(place, "image"), Path(place), engine, tell)
            image = asyncio.run(_boot(image, tell))
            image.save()
            self.remove(lambda words: None)
            os.rename(image.folder, self._folder)
        asyncio.run(_try_snapshot(self._folder, tell))

    def remove(self, tell: Tell) -> None:
        if self._folder.exists():
            shutil.rmtree(self._folder)
            tell(f"Removed {self._folder}.")
        else:
            tell("There is no virtual machine image.")

    def _gather_files(self, target: Path, place: Path, engine: str, tell: Tell) -> VmImage:
        target.mkdir()
        for name in ("kernel", "code"):
            (place / name).mkdir()
        began = time.monotonic()
        kernel = linux_kernels.find_kernel(place / "kernel")
        shutil.copyfile(kernel.image, target / "kernel")
        began = _report_seconds(tell, f"Kernel {kernel.version}", began)
        ours = initramfs.our_files()
        initramfs.write(target / "first-root", kernel, ours, place / "code")
        size = (target / "first-root").stat().st_size >> 20
        _report_seconds(tell, f"Initramfs of {size} MB with {base_python()}", began)
        for path in target.iterdir():
            path.chmod(0o644)  # QEMU reads it as `nobody`, in a root where only these files are visible
        return VmImage(
            folder=str(target),
            built=datetime.datetime.now(datetime.UTC).date().isoformat(),
            kernel=kernel.version,
            engine=engine,
            accelerator="tcg",
            processor=vm_image.processor(),
            clock_khz=vm_image.tsc_khz(),
            python=base_python(),
            ours=tuple(str(path.relative_to(vm_image.PACKAGE)) for path in ours),
            fingerprint=vm_image.fingerprint(ours),
        )


async def _boot(image: VmImage, tell: Tell) -> VmImage:
    """Boot with the first accelerator that works."""
    if os.access("/dev/kvm", os.R_OK | os.W_OK):
        try:
            fast = replace(image, accelerator="kvm")
            await _snapshot(fast, _KVM_BOOT_TIMEOUT, tell)
            return fast
        except WorkbenchError:
            tell("KVM is present, but does not work here. Using software emulation instead.")
    for left in reversed(range(_TRIES)):
        try:
            await _snapshot(image, _BOOT_TIMEOUT, tell)
            break
        except WorkbenchError:
            if not left:
                raise
    return image


async def _snapshot(image: VmImage, patience: float, tell: Tell) -> None:
    loop = asyncio.get_running_loop()
    began = time.monotonic()
    machine = QemuProcess(image, SNAPSHOT_MB, None, writes=2 * SNAPSHOT_MB)
    try:
        async with asyncio.timeout(patience):
            monitor = QemuMonitor(machine.monitor)
            await monitor.begin()
            if not await loop.sock_recv(machine.files, 4096):
                raise WorkbenchError(f"The virtual machine ended during boot. {machine.error_output()}".strip())
            began = _report_seconds(tell, f"Cold boot until Python is ready ({image.accelerator})", began)
            await monitor.saved(image.snapshot)
        _report_seconds(tell, f"Snapshot of {image.snapshot.stat().st_size >> 20} MB", began)
    except TimeoutError:
        raise WorkbenchError(
            "The virtual machine did not boot in time.", "Try again when this machine is less busy."
        ) from None
    finally:
        machine.kill()
        machine.forget()


async def _try_snapshot(folder: Path, tell: Tell) -> None:
    """Start a few machines from the snapshot, each until its sandbox is ready."""
    machines = VmMaker(folder)
    times = []
    try:
        tell((await machines.look()).sentence)
        with tempfile.TemporaryDirectory(prefix="mcp-workbench-vm-") as empty:
            for _ in range(_TRIES):
                began = time.monotonic()
                child = await machines.make(_profile(empty))
                times.append(time.monotonic() - began)
                fault = child.channel.fault()
                await machines.finish(child)
                if fault:
                    raise WorkbenchError(f"The sandbox inside the virtual machine does not work: {fault}")
    finally:
        await machines.close()
    tell(f"Restore until the sandbox inside is ready: {', '.join(f'{seconds:.2f}' for seconds in times)} s.")


def _profile(workspace: str) -> ChildProfile:
    return ChildProfile("qemu", workspace, "", "", True, memory_mb=384, cpu_seconds=10, pids=64, disk_mb=64)


def _report_seconds(tell: Tell, what: str, began: float) -> float:
    now = time.monotonic()
    tell(f"{what}: {now - began:.2f} s.")
    return now
