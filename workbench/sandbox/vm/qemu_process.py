"""Starts a confined QEMU: one processor, memory, two serial ports; no network, disk, screen or shared folder."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.sandbox.child_profile import ENVIRONMENT, base_python
from workbench.sandbox.vm.vm_image import PACKAGE, VmImage, need_emulator

KERNEL, FIRST_ROOT = "/image/kernel", "/image/first-root"  # paths that QEMU sees in its root
# Start the Workbench's first process, without messages. A panic ends the machine. Freed memory is zeroed, so that the
# snapshot is small.
_KERNEL_ARGUMENTS = (
    "console=ttyS0 quiet reboot=t panic=-1 rdinit=/init no_timer_check cryptomgr.notests mitigations=off nokaslr"
    " random.trust_cpu=on init_on_free=1"
)
_QEMU_SANDBOX = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"
_TRANSLATED_MB = 128  # memory for translated code under software emulation


@dataclass(frozen=True, slots=True)
class PortDescriptors:
    """Descriptors that QEMU inherits: sockets of the ports, and the snapshot to resume from; -1: boot."""

    frames: int
    files: int
    monitor: int
    snapshot: int = -1

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(number for number in (self.frames, self.files, self.monitor, self.snapshot) if number >= 0)


def arguments(
    emulator: str,
    accelerator: str,
    megabytes: int,
    ports: PortDescriptors,
    kernel: str,
    first_root: str,
    clock_khz: int = 0,
) -> Sequence[str]:
    """QEMU's command line. Devices and their order must never change, or a snapshot does not fit."""
    words = _KERNEL_ARGUMENTS
    if clock_khz:  # on a busy host the kernel cannot measure its clock frequency
        words += f" tsc_early_khz={clock_khz} lpj={clock_khz * 4}"
    speed = f"tcg,tb-size={_TRANSLATED_MB}" if accelerator == "tcg" else accelerator
    command = [emulator, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-sandbox", _QEMU_SANDBOX]
    command += ["-machine", "microvm,mem-merge=off,dump-guest-core=off", "-accel", speed, "-cpu", "max"]
    command += ["-smp", "1", "-m", str(megabytes), "-serial", "null"]
    command += ["-kernel", kernel, "-initrd", first_root, "-append", words]
    command += ["-device", "virtio-serial-device"]
    for number, (name, descriptor) in enumerate((("frames", ports.frames), ("files", ports.files)), 1):
        command += ["-chardev", f"socket,id={name},fd={descriptor}"]
        command += ["-device", f"virtserialport,chardev={name},nr={number},name={name}"]
    command += ["-chardev", f"socket,id=monitor,fd={ports.monitor}", "-mon", "chardev=monitor,mode=control"]
    if ports.snapshot >= 0:
        command += ["-incoming", f"fd:{ports.snapshot}"]
    return command


_START = (
    f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r});"
    " from workbench.sandbox.vm.qemu_confinement import main; main()"
)
_LAST_WORDS = 2000  # characters of QEMU's error output that are stored


class QemuProcess:
    """One QEMU process, used once.

    Its sockets belong to this object until a transport takes them over. `writes` is the size in MB of the file it may
    save.
    """

    def __init__(self, image: VmImage, megabytes: int, snapshot: Path | None, writes: int = 0) -> None:
        pairs = [socket.socketpair() for _ in range(3)]
        self.frames, self.files, self.monitor = (ours for ours, _ in pairs)
        theirs = [other for _, other in pairs]
        file = os.open(snapshot, os.O_RDONLY | os.O_CLOEXEC) if snapshot else -1
        try:
            ports = PortDescriptors(theirs[0].fileno(), theirs[1].fileno(), theirs[2].fileno(), file)
            words = arguments(
                need_emulator(),
                image.accelerator,
                megabytes,
                ports,
                KERNEL,
                FIRST_ROOT,
                image.clock_khz if image.accelerator == "tcg" else 0,
            )
            self.process = _started(words, image, megabytes, ports, writes)
        except BaseException:
            for ours, _ in pairs:
                ours.close()
            raise
        finally:
            for other in theirs:
                other.close()
            if file >= 0:
                os.close(file)
        for ours, _ in pairs:
            ours.setblocking(False)

    def kill(self) -> None:
        """Kill the confining process. The kernel then kills QEMU."""
        if self.process.poll() is None:
            self.process.kill()

    def error_output(self) -> str:
        """QEMU's error output, after its end."""
        assert self.process.stderr is not None
        with contextlib.suppress(OSError):
            return (os.read(self.process.stderr.fileno(), _LAST_WORDS) or b"").decode("utf-8", "replace").strip()
        return ""

    def forget(self) -> None:
        """Close all remaining descriptors after the end of QEMU."""
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()
        for end in (self.frames, self.files, self.monitor):
            end.close()


def _started(
    words: Sequence[str], image: VmImage, megabytes: int, ports: PortDescriptors, writes: int
) -> subprocess.Popen[bytes]:
    order = {
        "command": list(words),
        "files": {KERNEL: str(image.kernel_file), FIRST_ROOT: str(image.first_root)},
        "keep": ports.all,
        "parent": os.getpid(),
        "megabytes": megabytes,
        "writes": writes,
    }
    process = subprocess.Popen(
        [base_python(), "-I", "-S", "-B", "-c", _START, json.dumps(order)],
        pass_fds=ports.all,
        env=ENVIRONMENT,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    os.set_blocking(process.stderr.fileno(), False)
    return process


class QemuMonitor:
    """QEMU's control connection (QMP), which the machine itself cannot reach."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._bytes = b""

    async def begin(self) -> None:
        await self._next()  # QMP's greeting
        await self.ask("qmp_capabilities")

    async def running(self) -> None:
        """Wait until the machine has resumed from its snapshot."""
        if (await self.ask("query-status"))["status"] != "running":
            await self._event("RESUME")

    async def ask(self, what: str, descriptor: int = -1, **words: Any) -> Any:  # Any: JSON both ways
        data = json.dumps({"execute": what, "arguments": words}).encode()
        if descriptor >= 0:
            socket.send_fds(self._end, [data], [descriptor])
        else:
            await asyncio.get_running_loop().sock_sendall(self._end, data)
        while True:
            answer = await self._next()
            if "error" in answer:
                raise WorkbenchError(f"QEMU refused {what}: {answer['error'].get('desc', '')}.")
            if "return" in answer:
                return answer["return"]

    async def saved(self, target: Path) -> None:
        """Write the snapshot. The machine stays paused afterwards."""
        with target.open("wb") as file:
            await self.ask("getfd", file.fileno(), fdname="snapshot")
            await self.ask("migrate-set-capabilities", capabilities=[{"capability": "events", "state": True}])
            await self.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
            await self.ask("migrate", uri="fd:snapshot")
            while (state := (await self._event("MIGRATION"))["status"]) != "completed":
                if state in ("failed", "cancelled"):
                    raise WorkbenchError("QEMU could not write the snapshot.", "Check the free disk space.")

    async def _event(self, name: str) -> dict[str, Any]:  # Any: JSON
        while (news := await self._next()).get("event") != name:
            pass
        return dict(news.get("data", {}))

    async def _next(self) -> dict[str, Any]:  # Any: JSON
        while b"\n" not in self._bytes:
            data = await asyncio.get_running_loop().sock_recv(self._end, 1 << 16)
            if not data:
                raise WorkbenchError("QEMU ended.")
            self._bytes += data
        line, _, self._bytes = self._bytes.partition(b"\n")
        found: dict[str, Any] = json.loads(line)  # Any: as above
        return found
