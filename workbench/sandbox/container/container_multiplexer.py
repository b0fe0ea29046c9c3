"""The container's end of one stream that carries frames and files. Standard library only.

Runs in the parent inside the container, before and beside the locked program. Nobody may be left outside who could end
this container, so it ends itself when nothing is heard any more. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from workbench.sandbox.child_profile import BENCH, ChildProfile
from workbench.sandbox.file_transfer.remote_folders import RemoteFolders
from workbench.sandbox.file_transfer.transfer_frames import Head, ParcelReader, pack

FAILED = 70  # exit code of a carrier that cannot go on
BEAT = 5.0  # seconds between two words that only say that one is there
SILENCE = 60.0  # seconds without a word from the core: it is gone, or the way to it
_DEAF = 60  # times as long while the program takes nothing, because then nothing is read
_CHUNK = 1 << 16
_UNSENT = 1 << 20  # bytes waiting for one direction before its source is left alone
_LOOK_EVERY = 0.5  # seconds between looks at how full the workspace is
_LAST_MOMENTS = 2.0  # seconds for a process that has nothing more to say


class NobodyListens(Exception):
    """There is nobody to work for, and nobody to tell."""


class ContainerMultiplexer:
    """Carries until the program's process has nothing more to say; `finish` tells what it changed and how it ended."""

    def __init__(
        self,
        channel: socket.socket,
        printed: int,
        profile: ChildProfile,
        project: str = BENCH,
        silence: float = SILENCE,
    ) -> None:
        """`printed` is a pipe on which bytes come that are written past Python's streams."""
        self._channel, self._printed = channel, printed
        self._profile = profile
        self._project = project
        self._silence = silence
        self._cargo = _Own(Path(project))
        self._reader = ParcelReader()
        self._inward, self._outward = bytearray(), bytearray()
        self._sent = 0
        self._speaking = True
        self._heard = self._looked = self._spoke = time.monotonic()
        self._full = False

    def carry(self) -> None:
        for descriptor in (0, 1, self._printed):
            os.set_blocking(descriptor, False)
        self._channel.setblocking(False)
        while self._speaking:
            self._step()

    def bury(self, child: int) -> tuple[int, float, float]:
        """Its status, its processor time and its memory; a process that stays is not waited for."""
        until = time.monotonic() + _LAST_MOMENTS
        while True:
            found, status, usage = os.wait4(child, os.WNOHANG)
            if found:
                return status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
            if time.monotonic() > until:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.002)

    def finish(self, status: int, cpu: float, memory_mb: float) -> None:
        """What is different in the workspace, and the end."""
        code = os.waitstatus_to_exitcode(status)
        over = pack("over", code=code, cpu=cpu, memory_mb=memory_mb, sent=self._sent)
        while self._printed >= 0:  # its other end is closed by now
            self._step()
        for parcel in chain(self._changes(), [over]):
            self._outward += parcel
            while len(self._outward) > _UNSENT:
                self._step()
        while self._outward:
            self._step()

    def _changes(self) -> Iterable[bytes]:
        if not self._cargo.filled or not self._profile.writable:
            return ()
        if self._cargo.size() > self._profile.disk_mb << 20:
            return (pack("full"),)
        return self._cargo.changes()

    def _step(self) -> None:
        end, listening = self._channel.fileno(), len(self._inward) < _UNSENT
        sources = [end] * self._speaking + [self._printed] * (self._printed >= 0)
        reading = [0] * listening + sources * (len(self._outward) < _UNSENT)
        writing = [1] * bool(self._outward) + [end] * (self._speaking and bool(self._inward))
        readable, writable, _ = select.select(reading, writing, [], _LOOK_EVERY)
        if 0 in readable:
            self._hear()
        if end in readable:
            self._listen()
        if self._printed in readable:
            self._pass_raw()
        if end in writable:
            self._hand_in()
        if 1 in writable:
            self._say()
        self._keep_time(self._silence if listening else _DEAF * self._silence)

    def _keep_time(self, patience: float) -> None:
        now = time.monotonic()
        if now - self._heard > patience:
            raise NobodyListens
        if now - self._spoke > BEAT:
            self._spoke = now
            self._outward += pack("beat")
        if now - self._looked > _LOOK_EVERY:
            self._looked = now
            self._look_how_full()

    def _hear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(0, _CHUNK)
            if not data:
                raise NobodyListens
            self._heard = time.monotonic()
            for head, piece in self._reader.feed(data):
                self._take(head, piece)

    def _take(self, head: Head, piece: bytes) -> None:
        if head["kind"] == "frames":
            self._inward += piece
        elif head["kind"] == "beat":
            return
        elif head["kind"] == "filled":
            self._cargo.remember()
            self._outward += pack("filled", fault=self._cargo.fault)
        else:
            self._cargo.take(head, piece)

    def _listen(self) -> None:
        try:
            data = self._channel.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._speaking = bool(data)
        if data:
            self._sent += len(data)
            self._outward += pack("frames", data)

    def _pass_raw(self) -> None:
        with contextlib.suppress(BlockingIOError):
            if data := os.read(self._printed, _CHUNK):
                self._outward += pack("raw", data)
            else:
                os.close(self._printed)
                self._printed = -1

    def _hand_in(self) -> None:
        try:
            del self._inward[: self._channel.send(self._inward[:_CHUNK])]
        except BlockingIOError:
            return
        except OSError:
            self._inward.clear()  # nobody is there to read it

    def _say(self) -> None:
        try:
            del self._outward[: os.write(1, self._outward[:_CHUNK])]
        except BlockingIOError:
            return
        except OSError:
            raise NobodyListens from None

    def _look_how_full(self) -> None:
        if self._full or not self._speaking or not self._cargo.filled:
            return
        found = os.statvfs(f"{self._project}/workspace")
        used = (found.f_blocks - found.f_bfree) * found.f_frsize
        if found.f_bfree < 2 or found.f_ffree < 2 or used > self._profile.disk_mb << 20:
            self._full = True
            self._outward += pack("full")


class _Own(RemoteFolders):
    """Everything in the container is made by its one user, so nothing changes hands."""

    def _give(self, path: str, head: Head) -> None:
        """It is ours already."""
