"""Makes locked children as virtual machines. Each starts from the snapshot, serves one program and is killed."""

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
    """Protocol of the serial port for frames.

    A serial port has no end of stream, so the other port reports the number of bytes.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._came = 0
        self._whole: int | None = None

    def expect(self, whole: int) -> None:
        """The machine sent `whole` bytes in total; no more will follow."""
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


def start_order(profile: ChildProfile) -> bytes:
    """Order that starts one program. It includes time and entropy, because the machine comes from a snapshot."""
    inner = {
        **profile.as_json(),
        "disk_mb": min(profile.disk_mb, WORKSPACE_MB),
        **{name: f"/files/{name}" for name in AREAS},
    }
    return pack("open", profile=inner, seed=secrets.token_hex(64), time=time.time_ns())


log = logging.getLogger(__name__)

_RESUME_TIMEOUT = 60.0  # seconds within which a machine must resume from its snapshot
_BOOT_TIMEOUT = 180.0  # seconds for a boot, which takes over a minute under emulation on a busy machine
_TRANSFER_TARGET = TransferTarget(
    "the virtual machine",
    "Run the program again. If it fails again, rebuild the image: `mcp-workbench sandbox build vm --again`.",
)
_AGAIN = "Rebuild the image: `mcp-workbench sandbox build vm --again`."


@dataclass(slots=True, eq=False)
class _RunningMachine:
    """Machine of one child, and the futures for its end."""

    machine: QemuProcess
    transfer: TransferHost
    ended: asyncio.Future[None]  # QEMU has ended
    watch: int  # descriptor that becomes readable when QEMU ends


class VmMaker:
    """Makes and kills virtual machines. `folder` contains the built image."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[SandboxChild, _RunningMachine] = {}
        self._last = 0
        self._image: VmImage | None = None

    async def look(self) -> Level:
        emulator = vm_image.need_emulator()
        image = await asyncio.to_thread(vm_image.read, self._folder)
        if image is None:
            raise WorkbenchError("No virtual machine image is built.", BUILD)
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
        transfer = TransferHost(profile, channel, frames, _TRANSFER_TARGET)
        child = SandboxChild(self._last, profile, channel, loop.create_future(), loop.create_future(), files=transfer)
        self._register(child, machine, transfer)
        try:
            async with asyncio.timeout(_BOOT_TIMEOUT if snapshot is None else _RESUME_TIMEOUT):
                await self._resume(child, machine, transfer, frames, snapshot is not None)
        except BaseException as fault:
            await asyncio.shield(self.finish(child))
            if isinstance(fault, TimeoutError | WorkbenchError):
                why = str(fault) or "it was not ready in time."
                raise WorkbenchError(f"The virtual machine did not start: {why}", _AGAIN) from fault
            raise
        return child

    def kill(self, child: SandboxChild) -> None:
        if child in self._running:
            self._running[child].machine.kill()

    async def finish(self, child: SandboxChild) -> ChildExit:
        """Kill the machine and wait for its end."""
        child.channel.close()
        running = self._running.get(child)
        if running is not None:
            running.transfer.close()
            running.machine.kill()
            await asyncio.wait([running.ended])
        for transport in child.transports:
            if isinstance(transport, asyncio.Transport):
                transport.abort()
        await child.channel.closed()
        return await asyncio.shield(child.gone)

    async def close(self) -> None:
        for child in tuple(self._running):
            child.channel.end("lost", "The virtual machine was ended because the workbench closed.")
            await self.finish(child)

    async def _resume(
        self, child: SandboxChild, machine: QemuProcess, transfer: TransferHost, frames: GuestFrames, restored: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        monitor = QemuMonitor(machine.monitor)
        await monitor.begin()
        await monitor.running()
        channel, _ = await loop.create_connection(lambda: frames, sock=machine.frames)
        child.transports.append(channel)
        files, _ = await loop.create_connection(lambda: transfer, sock=machine.files)
        child.transports.append(files)
        if not restored:
            await transfer.up
        transfer.send(start_order(child.profile))
        await asyncio.wait([child.channel.ready])

    def _register(self, child: SandboxChild, machine: QemuProcess, transfer: TransferHost) -> None:
        loop = asyncio.get_running_loop()
        watch = os.pidfd_open(machine.process.pid)
        running = _RunningMachine(machine, transfer, loop.create_future(), watch)
        self._running[child] = running
        loop.add_reader(watch, self._machine_ended, child)
        transfer.over.add_done_callback(lambda over: _program_ended(child, over.result()))

    def _machine_ended(self, child: SandboxChild) -> None:
        """Handle the end of QEMU, by `kill` or from outside."""
        running = self._running.pop(child)
        asyncio.get_running_loop().remove_reader(running.watch)
        os.close(running.watch)
        if words := running.machine.error_output():
            log.info("QEMU reported: %s", words)
        running.machine.forget()
        running.transfer.end_of_stream()
        if not child.channel.ended.done():
            child.channel.end("lost", "The virtual machine was ended from outside; the program died with it.")
        if not child.channel.ready.done():
            child.channel.ready.set_result({"kind": "broken", "message": "QEMU ended"})
        _program_ended(child, ChildExit(lost=True))
        running.ended.set_result(None)


def _refuse_unfit(profile: ChildProfile) -> None:
    if profile.kept:
        raise WorkbenchError("A virtual machine cannot hold a REPL session.", "Run the program without a REPL session.")
    if profile.preload:
        packages = ", ".join(profile.preload)
        raise WorkbenchError(
            f"The virtual machine has only the standard library, not {packages}.",
            "Run the program in the process sandbox.",
        )


def version_of(emulator: str) -> str:
    """Version that this QEMU reports, for example 7.2.22."""
    try:
        done = subprocess.run([emulator, "--version"], capture_output=True, text=True, check=True, timeout=20, env={})
    except (OSError, subprocess.SubprocessError) as fault:
        raise WorkbenchError(f"{emulator} does not answer: {type(fault).__name__}.", "Reinstall QEMU.") from fault
    found = re.search(r"version (\S+)", done.stdout)
    return found[1] if found else "unknown"


def _program_ended(child: SandboxChild, gone: ChildExit) -> None:
    """Record the end of the program's process. The machine may still run."""
    if not child.gone.done():
        child.gone.set_result(gone)
    if not child.silent.done():
        child.silent.set_result(None)
