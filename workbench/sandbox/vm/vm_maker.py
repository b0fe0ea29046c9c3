"""Makes locked children that are virtual machines: each starts from the snapshot, serves one program and is killed."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import Level
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.file_transfer.transfer_frames import AREAS, pack
from workbench.sandbox.file_transfer.transfer_host import WORKSPACE_MB, TransferHost, TransferTarget
from workbench.sandbox.locked_child import ChildExit, SandboxChild
from workbench.sandbox.vm import vm_image
from workbench.sandbox.vm.qemu_process import QemuMonitor, QemuProcess
from workbench.sandbox.vm.vm_image import BUILD, VmImage


class GuestFrames(asyncio.Protocol):
    """The first port. It has no end of its own, so the other one tells where it is."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._came = 0
        self._whole: int | None = None

    def expect(self, whole: int) -> None:
        """So many bytes were sent; after them nothing comes any more."""
        self._whole = whole
        self._end_when_whole()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._channel.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self._came += len(data)
        self._channel.data_received(data)
        self._end_when_whole()

    def connection_lost(self, fault: Exception | None) -> None:
        self._channel.connection_lost(fault)

    def pause_writing(self) -> None:
        self._channel.pause_writing()

    def resume_writing(self) -> None:
        self._channel.resume_writing()

    def _end_when_whole(self) -> None:
        if self._whole is not None and self._came >= self._whole and not self._channel.ended.done():
            self._channel.connection_lost(None)


def opening(profile: ChildProfile) -> bytes:
    """The order for one program's process; the machine slept, so it is told the time and given chance of its own."""
    inner = {
        **profile.as_json(),
        "disk_mb": min(profile.disk_mb, WORKSPACE_MB),
        **{name: f"/files/{name}" for name in AREAS},
    }
    return pack("open", profile=inner, seed=secrets.token_hex(64), time=time.time_ns())


log = logging.getLogger(__name__)

_PATIENCE = 60.0  # seconds for a machine to go on from its snapshot
_BOOT = 180.0  # seconds for one to boot, which emulated, on a busy machine, takes above a minute
_FAR_END = TransferTarget(
    "the virtual machine",
    "Run the program again; if it happens again, build the image anew: `mcp-workbench sandbox build vm --again`.",
)
_AGAIN = "Build it again: `mcp-workbench sandbox build vm --again`."


@dataclass(slots=True, eq=False)
class _Housed:
    """A cell's machine and the futures of its end."""

    machine: QemuProcess
    courier: TransferHost
    ended: asyncio.Future[None]  # QEMU is gone
    watch: int  # a descriptor that becomes readable at its end


class VmMaker:
    """Makes, kills and buries virtual machines; `folder` is where the builder leaves the image."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._housed: dict[SandboxChild, _Housed] = {}
        self._last = 0
        self._image: VmImage | None = None

    async def look(self) -> Level:
        emulator = vm_image.need_emulator()
        image = await asyncio.to_thread(vm_image.read, self._folder)
        if image is None:
            raise WorkbenchError("No virtual machine's image is built.", BUILD)
        engine = await asyncio.to_thread(version_of, emulator)
        if reason := await asyncio.to_thread(vm_image.outdated, image, engine):
            raise WorkbenchError(reason, _AGAIN)
        self._image = image
        how = "hardware (KVM)" if image.accelerator == "kvm" else "software emulation"
        made = f"image of {image.built} for files {image.fingerprint}, kernel {image.kernel}"
        return Level("vm", True, "qemu", f"Programs run in virtual machines: QEMU {engine}, {how}, {made}.")

    async def make(self, profile: ChildProfile) -> SandboxChild:
        _refuse_unfit(profile)
        if self._image is None:
            await self.look()
        assert self._image is not None
        loop = asyncio.get_running_loop()
        megabytes = vm_image.memory_of(profile)
        snapshot = self._image.snapshot if megabytes == vm_image.SNAPSHOT_MB else None
        machine = QemuProcess(self._image, megabytes, snapshot)
        self._last += 1
        channel = Channel()
        frames = GuestFrames(channel)
        courier = TransferHost(profile, channel, frames, _FAR_END)
        cell = SandboxChild(self._last, profile, channel, loop.create_future(), loop.create_future(), files=courier)
        self._house(cell, machine, courier)
        try:
            async with asyncio.timeout(_BOOT if snapshot is None else _PATIENCE):
                await self._wake(cell, machine, courier, frames, snapshot is not None)
        except BaseException as fault:
            await asyncio.shield(self.finish(cell))
            if isinstance(fault, TimeoutError | WorkbenchError):
                why = str(fault) or "it was not ready in time."
                raise WorkbenchError(f"The virtual machine did not start: {why}", _AGAIN) from fault
            raise
        return cell

    def kill(self, cell: SandboxChild) -> None:
        if cell in self._housed:
            self._housed[cell].machine.kill()

    async def finish(self, cell: SandboxChild) -> ChildExit:
        """Nothing of a machine is worth keeping: it is killed whatever it is doing."""
        cell.channel.close()
        housed = self._housed.get(cell)
        if housed is not None:
            housed.courier.close()
            housed.machine.kill()
            await asyncio.wait([housed.ended])
        for transport in cell.transports:
            if isinstance(transport, asyncio.Transport):
                transport.abort()
        await cell.channel.closed()
        return await asyncio.shield(cell.gone)

    async def close(self) -> None:
        for cell in tuple(self._housed):
            cell.channel.end("lost", "The workbench ended, and the virtual machine with it.")
            await self.finish(cell)

    async def _wake(
        self, cell: SandboxChild, machine: QemuProcess, courier: TransferHost, frames: GuestFrames, restored: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        monitor = QemuMonitor(machine.monitor)
        await monitor.begin()
        await monitor.running()
        channel, _ = await loop.create_connection(lambda: frames, sock=machine.frames)
        cell.transports.append(channel)
        files, _ = await loop.create_connection(lambda: courier, sock=machine.files)
        cell.transports.append(files)
        if not restored:
            await courier.up
        courier.send(opening(cell.profile))
        await asyncio.wait([cell.channel.ready])

    def _house(self, cell: SandboxChild, machine: QemuProcess, courier: TransferHost) -> None:
        loop = asyncio.get_running_loop()
        watch = os.pidfd_open(machine.process.pid)
        housed = _Housed(machine, courier, loop.create_future(), watch)
        self._housed[cell] = housed
        loop.add_reader(watch, self._bury, cell)
        courier.over.add_done_callback(lambda over: _gone(cell, over.result()))

    def _bury(self, cell: SandboxChild) -> None:
        """QEMU is gone, by our hand or another's."""
        housed = self._housed.pop(cell)
        asyncio.get_running_loop().remove_reader(housed.watch)
        os.close(housed.watch)
        if words := housed.machine.words():
            log.info("QEMU said: %s", words)
        housed.machine.forget()
        housed.courier.lose()
        if not cell.channel.ended.done():
            cell.channel.end("lost", "The virtual machine was ended from outside; the program died with it.")
        if not cell.channel.ready.done():
            cell.channel.ready.set_result({"kind": "broken", "message": "QEMU ended"})
        _gone(cell, ChildExit(lost=True))
        housed.ended.set_result(None)


def _refuse_unfit(profile: ChildProfile) -> None:
    if profile.kept:
        raise WorkbenchError("A virtual machine keeps no state between programs.", "Run the program without a state.")
    if profile.preload:
        packages = ", ".join(profile.preload)
        raise WorkbenchError(
            f"The virtual machine has the standard library only, not {packages}.", "Let it run in a container."
        )


def version_of(emulator: str) -> str:
    """What this QEMU calls itself: 7.2.22."""
    try:
        done = subprocess.run([emulator, "--version"], capture_output=True, text=True, check=True, timeout=20, env={})
    except (OSError, subprocess.SubprocessError) as fault:
        raise WorkbenchError(f"{emulator} does not answer: {type(fault).__name__}.", "Install QEMU again.") from fault
    found = re.search(r"version (\S+)", done.stdout)
    return found[1] if found else "unknown"


def _gone(cell: SandboxChild, gone: ChildExit) -> None:
    """The program's process ended; the machine around it may still be there."""
    if not cell.gone.done():
        cell.gone.set_result(gone)
    if not cell.silent.done():
        cell.silent.set_result(None)
