"""First process in the virtual machine: waits in the snapshot, then serves exactly one program.

Uses only the standard library and the sandbox's own modules. The program itself runs in the same locked process as on
other levels. This process only relays bytes between that process and the serial ports, and files between the ports and
the project's folders.
"""

from __future__ import annotations

import ctypes
import fcntl
import importlib
import os
import random
import resource
import select
import signal
import socket
import struct
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

from workbench.sandbox.child_profile import ENVIRONMENT, NOBODY, WARM_MODULES, ChildProfile
from workbench.sandbox.file_transfer.remote_folders import RemoteFolders
from workbench.sandbox.file_transfer.transfer_frames import AREAS, TransferReader, pack
from workbench.sandbox.inside import runner
from workbench.sandbox.locks import kernel_calls, lockdown
from workbench.sandbox.locks.seccomp_filter import filter_program
from workbench.sandbox.process import native_backend

FRAMES, FILES = "/dev/vport0p1", "/dev/vport0p2"
MODULES = "/modules"  # kernel drivers, named in loading order
FOLDERS = "/files"  # copies of the project's folders
_CHUNK = 1 << 16
_UNSENT = 1 << 20  # unsent bytes in one direction above which its source is not read
_LOOK_EVERY = 500  # milliseconds between checks of the workspace's size
_ADD_ENTROPY, _MIX_ENTROPY = 0x40085203, 0x5207
_INODES = 100_000
_MOVE, _BIND_ALL, _REMOUNT = 8192, 4096 | 16384, 32
_PLAIN = kernel_calls.NO_SETUID | kernel_calls.NO_DEVICES | kernel_calls.NO_EXECUTION
_RESEED = signal.SIGUSR1
# limits until the order arrives; no program runs before that
_UNLIMITED_MB, _UNLIMITED_SECONDS, _MOST_THREADS = 1 << 20, 86_400, 4096


def main() -> NoReturn:
    _mount_root()
    _load_drivers()
    for name in WARM_MODULES.split():
        importlib.import_module(name)
    runner.load_modules(native_backend.INSIDE)
    filter_program()
    files = os.open(FILES, os.O_RDWR | os.O_CLOEXEC)
    frames = os.open(FRAMES, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    Guest(frames, files).serve()


class Guest:
    """Prepares one locked child, waits for one order, relays data, and reports the child's end and its file changes."""

    def __init__(self, frames: int, files: int) -> None:
        self._frames, self._files = frames, files
        self._reader = TransferReader()
        self._folders_inside = RemoteFolders(Path(FOLDERS))
        self._child = 0
        self._first = b""  # the child's ready frame, sent before the snapshot was taken
        self._disk = 0  # limit of the workspace in bytes
        self._writable = True
        self._sent = 0  # bytes of sent frames
        self._program = self._output = -1
        self._ready: set[int] = set()

    def serve(self) -> NoReturn:
        self._start_child()
        self._first = _frame(self._program)
        _write_all(self._files, pack("up"))
        self._take_order()  # the snapshot is taken while this call waits
        self._relay()
        status, usage = os.wait4(self._child, 0)[1:]
        if self._folders_inside.filled and self._folders_inside.size() > self._disk:
            _write_all(self._files, pack("full"))
        elif self._folders_inside.filled:
            for transfer_frame in self._folders_inside.changes():
                _write_all(self._files, transfer_frame)
        code = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime
        memory = usage.ru_maxrss / 1024
        _write_all(self._files, pack("over", code=code, cpu=cpu, memory_mb=memory, sent=self._sent))
        while True:  # the core ends this machine
            signal.pause()

    def _start_child(self) -> None:
        """Start the locked child with the widest limits. The order reduces them later."""
        _make_folders()
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        self._child, _ = kernel_calls.fork_into(kernel_calls.NEW_WORLD)
        if not self._child:
            for descriptor in (self._frames, self._files, ours.detach(), reading):
                os.close(descriptor)
            _run_child(theirs.detach(), writing)
        theirs.close()
        os.close(writing)
        self._program, self._output = ours.detach(), reading

    def _take_order(self) -> None:
        transfer_frames: list[tuple[dict[str, Any], bytes]] = []  # Any: JSON of the core
        while not transfer_frames:
            transfer_frames += self._reader.feed(os.read(self._files, _CHUNK))
        order = transfer_frames[0][0]
        profile = ChildProfile.of(order["profile"])
        _set_time_and_entropy(bytes.fromhex(order["seed"]), order["time"])
        os.kill(self._child, _RESEED)
        for kind, most in lockdown.limits_of(profile).items():
            resource.prlimit(self._child, kind, (most, most))
        _remount("workspace", f"size={profile.disk_mb}m")
        self._disk, self._writable = profile.disk_mb << 20, profile.writable
        os.set_blocking(self._program, False)

    def _relay(self) -> None:
        """Relay until the child closed both its descriptors.

        Frames travel in both directions on one port, raw output and files on the other.
        """
        inward = _ByteFlow(self._frames, self._program)
        outward = _ByteFlow(self._program, self._frames, self._first)
        sources = {self._program, self._output}
        looked = time.monotonic()
        while sources or outward.waiting:
            self._wait_for(inward, outward, sources)
            for flow in (inward, outward):
                flow.step()
            if outward.over:
                sources.discard(self._program)
            if self._output in sources and not self._pass_raw():
                sources.discard(self._output)
            self._take_files()
            self._sent = outward.passed
            if self._folders_inside.filled and time.monotonic() - looked > _LOOK_EVERY / 1000:
                looked = time.monotonic()
                self._report_when_full()

    def _wait_for(self, inward: _ByteFlow, outward: _ByteFlow, sources: set[int]) -> None:
        wanted = {self._files: select.POLLIN}
        for flow in (inward, outward):
            for descriptor, events in flow.poll_events().items():
                if descriptor != self._program or descriptor in sources:
                    wanted[descriptor] = wanted.get(descriptor, 0) | events
        if self._output in sources:
            wanted[self._output] = select.POLLIN
        poll = select.poll()
        for descriptor, events in wanted.items():
            poll.register(descriptor, events)
        self._ready = {descriptor for descriptor, _ in poll.poll(_LOOK_EVERY)}

    def _pass_raw(self) -> bool:
        if self._output not in self._ready:
            return True
        data = os.read(self._output, _CHUNK)
        if data:
            _write_all(self._files, pack("raw", data))
        return bool(data)

    def _take_files(self) -> None:
        if self._files not in self._ready:
            return
        for head, data in self._reader.feed(os.read(self._files, _CHUNK)):
            if head["kind"] == "filled":
                self._folders_inside.remember()
                if not self._writable:
                    _remount("workspace", "", kernel_calls.READ_ONLY)
                _write_all(self._files, pack("filled", fault=self._folders_inside.fault))
            else:
                self._folders_inside.take(head, data)

    def _report_when_full(self) -> None:
        found = os.statvfs(f"{FOLDERS}/workspace")
        if found.f_bfree < 2 or found.f_ffree < 2:
            _write_all(self._files, pack("full"))


class _ByteFlow:
    """Copies bytes from one descriptor to another without blocking."""

    def __init__(self, source: int, target: int, first: bytes = b"") -> None:
        self._source, self._target = source, target
        self._bytes = bytearray(first)
        self.passed = 0
        self.over = False

    @property
    def waiting(self) -> bool:
        return bool(self._bytes)

    def poll_events(self) -> dict[int, int]:
        wanted = {}
        if not self.over and len(self._bytes) < _UNSENT:
            wanted[self._source] = select.POLLIN
        if self._bytes:
            wanted[self._target] = select.POLLOUT
        return wanted

    def step(self) -> None:
        if not self.over and len(self._bytes) < _UNSENT:
            self._read()
        if self._bytes:
            self._write()

    def _read(self) -> None:
        try:
            data = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        self._bytes += data
        self.over = not data

    def _write(self) -> None:
        try:
            count = os.write(self._target, self._bytes[:_CHUNK])
            self.passed += count
            del self._bytes[:count]
        except BlockingIOError:
            return
        except OSError:
            self._bytes.clear()  # no process reads it any more


def _run_child(channel: int, output: int) -> NoReturn:
    """First process of its namespaces, and the only process that reads a program."""
    workspace, servers, skills = (f"{FOLDERS}/{name}" for name in AREAS)
    profile = ChildProfile(
        "native", workspace, servers, skills, True, _UNLIMITED_MB, _UNLIMITED_SECONDS, _MOST_THREADS, _UNLIMITED_MB
    )
    try:
        os.setsid()
        kernel_calls.own_mounts()
        processes = os.open("/proc", os.O_PATH | os.O_CLOEXEC)
        trees = native_backend.project_trees(profile, -1)
        native_backend.build_root(profile)
        native_backend.mount_own_folders(profile, trees)
        lock_report = lockdown.LockReport(processes)
        lockdown.set_limits(profile)
        lockdown.become_nobody(lock_report.itself)
        version = lockdown.lock(profile)
        signal.signal(_RESEED, _reseed)
        runner.arrange_process(channel, output, lock_report.status, ENVIRONMENT)
        lockdown.install_filter()
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.run_programs(lock_report.facts(version), ahead=True)


def _reseed(number: int, frame: object) -> None:
    """Signal handler: reseed `random`.

    The child's random state comes from the snapshot and is the same in every machine.
    """
    random.seed()
    signal.signal(number, signal.SIG_DFL)


def _frame(channel: int) -> bytes:
    """Read one complete frame as raw bytes."""
    data = b""
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
        more = os.read(channel, _CHUNK)
        if not more:
            raise EOFError("the child ended before it sent a frame")
        data += more
    return data


def _mount_root() -> None:
    """Mount /proc and /dev, and a root that pivot_root can replace, which the kernel's initial root does not allow."""
    _mount(b"/", b"/top", _BIND_ALL)
    os.chdir("/top")
    _mount(b".", b"/", _MOVE)
    os.chroot(".")
    os.chdir("/")
    kernel_calls.mount_new("proc", "/proc", 14, "")
    kernel_calls.mount_new("devtmpfs", "/dev", 2, "mode=755")


def _mount(source: bytes, target: bytes, flags: int) -> None:
    if ctypes.CDLL(None, use_errno=True).mount(source, target, None, ctypes.c_ulong(flags), None):
        raise OSError(ctypes.get_errno(), f"mount {os.fsdecode(target)}")


def _load_drivers() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for name in sorted(os.listdir(MODULES)):
        data = Path(MODULES, name).read_bytes()
        if libc.syscall(ctypes.c_long(175), data, ctypes.c_ulong(len(data)), b""):
            raise OSError(ctypes.get_errno(), f"load {name}")
    for _ in range(1000):
        if os.path.exists(FILES) and os.path.exists(FRAMES):
            return
        time.sleep(0.005)
    raise TimeoutError("no serial ports")


def _make_folders() -> None:
    for name in AREAS:
        os.makedirs(f"{FOLDERS}/{name}", exist_ok=True)
        options = f"size=64m,nr_inodes={_INODES + 100},mode=755"
        kernel_calls.mount_new("tmpfs", f"{FOLDERS}/{name}", _PLAIN, options)
    os.chown(f"{FOLDERS}/workspace", NOBODY, NOBODY)


def _remount(name: str, options: str, flags: int = 0) -> None:
    kernel_calls.mount_new("tmpfs", f"{FOLDERS}/{name}", _REMOUNT | _PLAIN | flags, options)


def _set_time_and_entropy(seed: bytes, now: int) -> None:
    """Set clock and entropy, because all machines resume from the same snapshot."""
    time.clock_settime_ns(time.CLOCK_REALTIME, now)
    with open("/dev/urandom", "wb", 0) as device:
        fcntl.ioctl(device, _ADD_ENTROPY, struct.pack("ii", len(seed) * 8, len(seed)) + seed)
        fcntl.ioctl(device, _MIX_ENTROPY)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:_CHUNK]) :]


if __name__ == "__main__":
    main()
