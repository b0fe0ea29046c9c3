"""First process in a container: adds the sandbox's own locks to the engine's, then becomes the runner.

Uses only the standard library and files of the image. The program's text has not arrived yet. If the engine cannot pass
a descriptor, a parent process relays bytes. On a remote machine the parent also copies files
(`ContainerMultiplexer`). Nothing outside could kill that container when the connection fails, so it ends itself when
the core is silent.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import NoReturn

from workbench.sandbox.child_profile import BENCH, ENVIRONMENT, HOME, TEMP, WARM_MODULES, ChildProfile
from workbench.sandbox.file_transfer.remote_folders import RemoteFolders
from workbench.sandbox.file_transfer.transfer_frames import BEAT, FAILED, Head, TransferReader, pack
from workbench.sandbox.inside import runner
from workbench.sandbox.locks import kernel_calls, landlock, lockdown

SILENCE_SECONDS = 60.0  # seconds without data from the core after which the core or the connection counts as lost
# multiple of that time while the program reads nothing, because then the core's data is not read either
_BLOCKED_FACTOR = 60
_PIECE = 1 << 16
_UNSENT = 1 << 20  # unsent bytes in one direction above which its source is not read
_LOOK_EVERY = 0.5  # seconds between checks of the workspace's size
_EXIT_SECONDS = 2.0  # seconds within which a process that closed its channel must exit


class CoreGone(Exception):
    """The connection to the core is lost or silent."""


class ContainerMultiplexer:
    """Relays data until the program's process closes its channel.

    `finish` then sends file changes and the exit status.
    """

    def __init__(
        self,
        channel: socket.socket,
        printed: int,
        profile: ChildProfile,
        project: str = BENCH,
        silence: float = SILENCE_SECONDS,
    ) -> None:
        """`printed` is a pipe with output that bypasses Python's streams."""
        self._channel, self._printed = channel, printed
        self._profile = profile
        self._project = project
        self._silence = silence
        self._folders_inside = _OwnFolders(Path(project))
        self._reader = TransferReader()
        self._inward, self._outward = bytearray(), bytearray()
        self._sent = 0
        self._program_open = True
        self._heard = self._looked = self._spoke = time.monotonic()
        self._full = False

    def run(self) -> None:
        for descriptor in (0, 1, self._printed):
            os.set_blocking(descriptor, False)
        self._channel.setblocking(False)
        while self._program_open:
            self._step()

    def reap(self, child: int) -> tuple[int, float, float]:
        """Wait for the child, for a limited time. Returns its status, CPU time and memory."""
        until = time.monotonic() + _EXIT_SECONDS
        while True:
            found, status, usage = os.wait4(child, os.WNOHANG)
            if found:
                return status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
            if time.monotonic() > until:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.002)

    def finish(self, status: int, cpu: float, memory_mb: float) -> None:
        """Send the changes in the workspace and the exit status."""
        code = os.waitstatus_to_exitcode(status)
        over = pack("over", code=code, cpu=cpu, memory_mb=memory_mb, sent=self._sent)
        while self._printed >= 0:  # the other end is closed already
            self._step()
        for transfer_frame in chain(self._changes(), [over]):
            self._outward += transfer_frame
            while len(self._outward) > _UNSENT:
                self._step()
        while self._outward:
            self._step()

    def _changes(self) -> Iterable[bytes]:
        if not self._folders_inside.filled or not self._profile.writable:
            return ()
        if self._folders_inside.size() > self._profile.disk_mb << 20:
            return (pack("full"),)
        return self._folders_inside.changes()

    def _step(self) -> None:
        end, listening = self._channel.fileno(), len(self._inward) < _UNSENT
        sources = [end] * self._program_open + [self._printed] * (self._printed >= 0)
        reading = [0] * listening + sources * (len(self._outward) < _UNSENT)
        writing = [1] * bool(self._outward) + [end] * (self._program_open and bool(self._inward))
        readable, writable, _ = select.select(reading, writing, [], _LOOK_EVERY)
        if 0 in readable:
            self._read_core()
        if end in readable:
            self._read_program()
        if self._printed in readable:
            self._pass_raw()
        if end in writable:
            self._write_program()
        if 1 in writable:
            self._write_core()
        self._keep_time(self._silence if listening else _BLOCKED_FACTOR * self._silence)

    def _keep_time(self, patience: float) -> None:
        now = time.monotonic()
        if now - self._heard > patience:
            raise CoreGone
        if now - self._spoke > BEAT:
            self._spoke = now
            self._outward += pack("beat")
        if now - self._looked > _LOOK_EVERY:
            self._looked = now
            self._look_how_full()

    def _read_core(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(0, _PIECE)
            if not data:
                raise CoreGone
            self._heard = time.monotonic()
            for head, piece in self._reader.feed(data):
                self._take(head, piece)

    def _take(self, head: Head, piece: bytes) -> None:
        if head["kind"] == "frames":
            self._inward += piece
        elif head["kind"] == "beat":
            return
        elif head["kind"] == "filled":
            self._folders_inside.remember()
            self._outward += pack("filled", fault=self._folders_inside.fault)
        else:
            self._folders_inside.take(head, piece)

    def _read_program(self) -> None:
        try:
            data = self._channel.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._program_open = bool(data)
        if data:
            self._sent += len(data)
            self._outward += pack("frames", data)

    def _pass_raw(self) -> None:
        with contextlib.suppress(BlockingIOError):
            if data := os.read(self._printed, _PIECE):
                self._outward += pack("raw", data)
            else:
                os.close(self._printed)
                self._printed = -1

    def _write_program(self) -> None:
        try:
            del self._inward[: self._channel.send(self._inward[:_PIECE])]
        except BlockingIOError:
            return
        except OSError:
            self._inward.clear()  # no process reads it any more

    def _write_core(self) -> None:
        try:
            del self._outward[: os.write(1, self._outward[:_PIECE])]
        except BlockingIOError:
            return
        except OSError:
            raise CoreGone from None

    def _look_how_full(self) -> None:
        if self._full or not self._program_open or not self._folders_inside.filled:
            return
        found = os.statvfs(f"{self._project}/workspace")
        used = (found.f_blocks - found.f_bfree) * found.f_frsize
        if found.f_bfree < 2 or found.f_ffree < 2 or used > self._profile.disk_mb << 20:
            self._full = True
            self._outward += pack("full")


class _OwnFolders(RemoteFolders):
    """Folders in the container. Its only user creates all files, so owners are never changed."""

    def _give(self, path: str, head: Head) -> None:
        """Do nothing, because the container's only user owns all files."""


_CHANNEL = 3  # descriptor that the engine passed
_CLOSED = {"proc", "sys", "app", "run", "dev"}  # folders of the container that no program needs
_CHUNK = 1 << 18


def main() -> NoReturn:
    words = json.loads(sys.argv[1])
    carried = ChildProfile.of(words["profile"]) if words.get("carried") else None
    channel = _with_parent(carried) if words["parent"] else _CHANNEL
    try:
        facts = _locked(ChildProfile.of(words["profile"]), channel, os.dup(2))
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.run_programs(facts)


def _locked(profile: ChildProfile, channel: int, output: int) -> dict[str, object]:
    os.makedirs(f"{TEMP}/home", exist_ok=True)
    for name in WARM_MODULES.split():
        importlib.import_module(name)
    runner.load_modules(Path(lockdown.__file__).parents[1] / "inside" / "modules")
    lock_report = lockdown.LockReport()
    lockdown.set_limits(profile)
    kernel_calls.drop_capabilities()
    kernel_calls.gain_nothing()
    writable = [os.path.realpath(HOME), TEMP] + [f"{BENCH}/workspace"] * profile.writable
    version = landlock.restrict(_readable(), writable, lockdown.DEVICES)
    kernel_calls.die_with_parent(signal.SIGKILL)
    runner.arrange_process(channel, output, lock_report.status, ENVIRONMENT)
    lockdown.install_filter()
    facts = lock_report.facts(version)
    if not (facts["filtered"] and facts["powerless"]):
        raise OSError("the locks are not in force inside this container")
    return facts


def _readable() -> list[str]:
    return [f"/{name}" for name in os.listdir("/") if name not in _CLOSED and os.path.isdir(f"/{name}")]


def _with_parent(carried: ChildProfile | None = None) -> int:
    """Fork. The parent relays bytes between stdin, stdout and the channel, for engines that cannot pass a descriptor.

    It does not interpret the bytes, and exits with the child's status. The child's stdout is stderr, so that its output
    never mixes with frames. With `carried`, the parent also copies files and relays the child's output.
    """
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe() if carried else (-1, 2)
    child = os.fork()
    if child:
        theirs.close()
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # not dumpable, so the child cannot inspect this process
        if carried:
            os.close(writing)
        os._exit(
            _run_multiplexer(ContainerMultiplexer(ours, reading, carried), child)
            if carried
            else _relay_for(ours, child)
        )
    ours.close()
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    for target in (1, 2):
        os.dup2(writing, target)
    if carried:
        os.close(reading)
        os.close(writing)
    return theirs.detach()


def _relay_for(channel: socket.socket, child: int) -> int:
    _relay(channel)
    _, status = os.waitpid(child, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _run_multiplexer(multiplexer: ContainerMultiplexer, child: int) -> int:
    """Relay data and copy files until the program has ended. The child dies with this process."""
    try:
        multiplexer.run()
        status, cpu, memory_mb = multiplexer.reap(child)
        multiplexer.finish(status, cpu, memory_mb)
    except BaseException as fault:
        if not isinstance(fault, CoreGone):
            traceback.print_exc()
        return FAILED
    return 0


def _relay(channel: socket.socket) -> None:
    """Relay until the child has closed its end and all its output is written."""
    for descriptor in (0, 1):
        os.set_blocking(descriptor, False)
    channel.setblocking(False)
    inward, outward = bytearray(), bytearray()
    hearing, speaking, told = True, True, False
    while speaking or outward:
        reading = [0] * (hearing and len(inward) < _CHUNK) + [channel.fileno()] * (speaking and len(outward) < _CHUNK)
        writing = [1] * bool(outward) + [channel.fileno()] * bool(inward)
        readable, writable, _ = select.select(reading, writing, [])
        if 0 in readable:
            hearing = _moved(lambda: os.read(0, _CHUNK), inward)
        if channel.fileno() in readable:
            speaking = _moved(lambda: channel.recv(_CHUNK), outward)
        if channel.fileno() in writable and not _sent(channel.send, inward):
            inward.clear()
        if not hearing and not inward and not told:
            told = True
            with contextlib.suppress(OSError):
                channel.shutdown(socket.SHUT_WR)  # the core closed the connection, and all its data was passed on
        if 1 in writable and not _sent(lambda data: os.write(1, data), outward):
            return


def _moved(read: Callable[[], bytes], into: bytearray) -> bool:
    """Read available data into the buffer. Returns False at the end of the stream."""
    try:
        data = read()
    except BlockingIOError:
        return True
    except OSError:
        return False
    into += data
    return bool(data)


def _sent(write: Callable[[bytes], int], waiting: bytearray) -> bool:
    """Write as much as possible. Returns False if the reader is gone."""
    try:
        del waiting[: write(bytes(waiting[:_CHUNK]))]
    except BlockingIOError:
        return True
    except OSError:
        return False
    return True
