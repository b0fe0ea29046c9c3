"""The core's side of file transfer: sends the project's files before a program and imports its changes afterwards."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import WorkbenchError
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.file_transfer.change_import import ChangeImport
from workbench.sandbox.file_transfer.transfer_frames import LARGEST_PIECE, Head, TransferFault, TransferReader, pack
from workbench.sandbox.locked_child import ChildExit
from workbench.sandbox.supervision.workspace_quota import MOST_FILES


@dataclass(frozen=True, slots=True)
class TransferTarget:
    """Container or virtual machine as named in messages."""

    name: str  # in the middle of a sentence, such as "the virtual machine"
    hint: str  # what the user can do when the transfer fails

    @property
    def title(self) -> str:
        """Name at the beginning of a sentence."""
        return self.name[:1].upper() + self.name[1:]


WORKSPACE_MB = 256  # smaller than for mounted workspaces, because copied files are in the target's memory
OTHERS_MB = 64  # for generated packages, and the same for skills


class FolderReader:
    """Reads the project's folders as transfer frames.

    `sent` holds the paths of the workspace that were read; the program may delete them.
    """

    def __init__(self, profile: ChildProfile, target: TransferTarget) -> None:
        self._target = target
        self._folders = {"servers": profile.servers, "skills": profile.skills, "workspace": profile.workspace}
        self._room = min(profile.disk_mb, WORKSPACE_MB) << 20
        self.sent: set[str] = set()

    def transfer_frames(self) -> Iterator[bytes]:
        for area, folder in self._folders.items():
            if folder and os.path.isdir(folder):
                room = self._room if area == "workspace" else OTHERS_MB << 20
                yield from self._area(area, folder, room)
        yield pack("filled")

    def _area(self, area: str, root: str, room: int) -> Iterator[bytes]:
        count, most = 0, room >> 20
        for at, folders, names, here in os.fwalk(root, follow_symlinks=False):
            below = os.path.relpath(at, root)
            folders[:] = sorted(name for name in folders if area == "workspace" or name != "__pycache__")
            for name in (*folders, *sorted(names)):
                path = name if below == "." else f"{below}/{name}"
                count += 1
                if count > MOST_FILES:
                    raise self._too_large(area, "many files", f"{MOST_FILES:,} files")
                try:
                    found = os.stat(name, dir_fd=here, follow_symlinks=False)
                except FileNotFoundError:
                    continue  # deleted since it was listed
                room -= found.st_size if stat.S_ISREG(found.st_mode) else 0
                if room < 0:
                    raise self._too_large(area, "much data", f"{most} MB")
                if area == "workspace":
                    self.sent.add(path)
                yield from _entry(area, path, name, here, found)

    def _too_large(self, area: str, what: str, most: str) -> WorkbenchError:
        return WorkbenchError(
            f"The folder {area} holds too {what} for {self._target.name}, to which at most {most} can be copied.",
            "Move files that the program does not need out of the folder, or choose a level that copies no folders.",
        )


def _entry(area: str, path: str, name: str, here: int, found: os.stat_result) -> Iterator[bytes]:
    if stat.S_ISDIR(found.st_mode):
        yield pack("folder", area=area, path=path)
    elif stat.S_ISLNK(found.st_mode):
        yield pack("link", area=area, path=path, to=os.readlink(name, dir_fd=here))
    elif stat.S_ISREG(found.st_mode):
        yield from _file(area, path, name, here)


def _file(area: str, path: str, name: str, here: int) -> Iterator[bytes]:
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return
        yield pack("file", area=area, path=path, mode=found.st_mode & 0o777, time=found.st_mtime_ns)
        left = found.st_size
        while left > 0 and (data := file.read(min(left, LARGEST_PIECE))):
            left -= len(data)
            yield pack("data", data)


_TIMEOUT = 120.0  # seconds without any transfer in either direction
_TIMEOUTS = 8  # number of such periods while changes keep arriving
_FULL_HINT = (
    "Its memory for files is full; each file takes at least 4 KB. Move files that are not needed out of the folder."
)
_BATCH = 16  # transfer frames read at once


class TransferState(Protocol):
    """Receiver of the channel's frames, which arrive over a separate stream."""

    def expect(self, whole: int) -> None:
        """The target sent `whole` bytes of frames in total; no more will follow."""
        ...


class TransferHost(asyncio.Protocol):
    """Protocol of one transfer: up, files sent, filled, raw output, changes, over.

    `over` holds the exit status of the program's process.
    """

    def __init__(self, profile: ChildProfile, channel: Channel, frames: TransferState, target: TransferTarget) -> None:
        loop = asyncio.get_running_loop()
        self.up: asyncio.Future[None] = loop.create_future()
        self.over: asyncio.Future[ChildExit] = loop.create_future()
        self._filled: asyncio.Future[str] = loop.create_future()
        self._profile, self._channel, self._frames, self._target = profile, channel, frames, target
        self._reader = TransferReader()
        self._transport: asyncio.Transport | None = None
        self._free = asyncio.Event()
        self._free.set()
        self._folder_reader = FolderReader(profile, target)
        self._change_import: ChangeImport | None = None
        self._trouble = ("", "")
        self._changes = 0  # number of received transfer frames with changes

    async def bring(self) -> None:
        """Send all files of the project's folders and wait until the target stored them."""
        try:
            await self._bring_all()
            async with asyncio.timeout(_TIMEOUT):
                fault = await self._filled
        except TimeoutError:
            raise WorkbenchError(
                f"{self._target.title} took too long to receive the workspace.", self._target.hint
            ) from None
        if fault:
            hint = _FULL_HINT if fault.endswith(os.strerror(errno.ENOSPC)) else self._target.hint
            raise WorkbenchError(f"{self._target.title} could not store {fault}.", hint)

    async def collect(self) -> tuple[str, str]:
        """Wait for the changes and import them into the workspace.

        Returns the reason and text of a failure, or empty strings.
        """
        for _ in range(_TIMEOUTS):
            heard = self._changes
            await asyncio.wait([self.over], timeout=_TIMEOUT)
            if self.over.done() or heard == self._changes:
                break
        if not self.over.done():
            return "lost", f"{self._target.title} took too long to return the workspace."
        if self._change_import is not None and not self._trouble[0] and not self.over.result().lost:
            try:
                await asyncio.to_thread(_apply, self._change_import)
            except (OSError, TransferFault) as fault:
                return "protocol", f"The program's changes could not be written to the workspace: {fault}."
        return self._trouble

    def notes(self) -> str:
        """Files that were not copied back, as lines for the program's author."""
        if self._change_import is None or not self._change_import.notes:
            return ""
        return f"Not copied back from {self._target.name}:\n" + "".join(
            f"  {note}\n" for note in self._change_import.notes
        )

    def close(self) -> None:
        if self._change_import is not None:
            self._change_import.close()
            self._change_import = None
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            for head, piece in self._reader.feed(data):
                if self.over.done():
                    return
                self.take(head, piece)
        except (TransferFault, OSError) as fault:
            self.fail(fault)

    def connection_lost(self, fault: Exception | None) -> None:
        self._free.set()
        self.end_of_stream()

    def pause_writing(self) -> None:
        self._free.clear()

    def resume_writing(self) -> None:
        self._free.set()

    def fail(self, fault: Exception) -> None:
        """Handle a protocol violation of the target: end the run and import nothing."""
        self._end_run("protocol", f"The program violated the file transfer protocol: {fault}.")
        self.end_of_stream()

    def end_of_stream(self) -> None:
        """Resolve all pending futures after the stream ended."""
        if not self.up.done():
            self.up.set_result(None)
        if not self._filled.done():
            self._filled.set_result("the project's files, because it ended")
        if not self.over.done():
            self.over.set_result(ChildExit(lost=True))

    def send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def take(self, head: Head, data: bytes) -> None:
        """Process one transfer frame. Raises TransferFault for a frame that a correct target never sends."""
        kind = head["kind"]
        if kind == "up" and not self.up.done():
            self.up.set_result(None)
        elif kind == "filled" and not self._filled.done():
            self._filled.set_result(str(head.get("fault", ""))[:300])
        elif kind == "raw":
            self._channel.raw_output(data)
        elif kind == "full":
            most = min(self._profile.disk_mb, WORKSPACE_MB)
            self._end_run("disk", f"The workspace has reached its limit of {most} MB, or holds too many files.")
        elif kind == "over":
            self._take_over(head)
        else:
            self._changes += 1
            self._begin_import().take(head, data)

    async def _bring_all(self) -> None:
        transfer_frames = self._folder_reader.transfer_frames()
        while batch := await asyncio.to_thread(_next_batch, transfer_frames):
            self.send(batch)
            async with asyncio.timeout(_TIMEOUT):
                await self._free.wait()

    def _end_run(self, reason: str, message: str) -> None:
        self._trouble = reason, message
        self._channel.end(reason, message)

    def _begin_import(self) -> ChangeImport:
        """Return the import for received changes. Raises TransferFault if the program's workspace is read-only."""
        if not self._filled.done() or not self._profile.writable:
            raise TransferFault("unexpected file changes")
        if self._change_import is None:
            room = min(self._profile.disk_mb, WORKSPACE_MB) << 20
            self._change_import = ChangeImport(Path(self._profile.workspace), room, self._folder_reader.sent)
        return self._change_import

    def _take_over(self, head: Head) -> None:
        code, cpu, memory, sent = (head.get(name) for name in ("code", "cpu", "memory_mb", "sent"))
        if type(code) is not int or type(sent) is not int or not 0 <= sent < 1 << 53:
            raise TransferFault("an end frame with missing or invalid numbers")
        gone = ChildExit(code, _number(cpu), _number(memory))
        self._frames.expect(sent)
        self.over.set_result(gone)


def _apply(change_import: ChangeImport) -> None:
    try:
        change_import.apply()
    finally:
        change_import.close()


def _next_batch(transfer_frames: Iterator[bytes]) -> bytes:
    try:
        return b"".join(islice(transfer_frames, _BATCH))
    except OSError as fault:
        words = f"The project's folders cannot be read: {os.strerror(fault.errno or 0)}."
        raise WorkbenchError(words, "Check that you may read all of its files and folders.") from fault


def _number(value: Any) -> float:  # Any: from the target
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise TransferFault("an end frame with missing or invalid numbers")
    return float(value)
