"""Command line of QEMU: one processor, memory, two serial ports; no network, disk, screen or sharing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

KERNEL, FIRST_ROOT = "/image/kernel", "/image/first-root"  # where the fence shows them to QEMU
# Our first process; quiet; a panic ends the machine. Memory that was freed is zeroed, so the snapshot is small.
_KERNEL_WORDS = (
    "console=ttyS0 quiet reboot=t panic=-1 rdinit=/init no_timer_check cryptomgr.notests mitigations=off nokaslr"
    " random.trust_cpu=on init_on_free=1"
)
_ALONE = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"
_TRANSLATED_MB = 128  # room for translated code under software emulation


@dataclass(frozen=True, slots=True)
class PortDescriptors:
    """Descriptors QEMU inherits: sockets to us, and the snapshot to begin from; -1: boot."""

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
    """The same devices in the same order each time, or a snapshot does not fit."""
    words = _KERNEL_WORDS
    if clock_khz:  # a busy host cannot let the kernel find out by itself how fast its clock is
        words += f" tsc_early_khz={clock_khz} lpj={clock_khz * 4}"
    speed = f"tcg,tb-size={_TRANSLATED_MB}" if accelerator == "tcg" else accelerator
    command = [emulator, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-sandbox", _ALONE]
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
