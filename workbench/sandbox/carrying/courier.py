"""The core's end of carried files: brings the bench's in before the program begins, and its changes out afterwards."""

from __future__ import annotations

import asyncio
import errno
import math
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import WorkbenchError
from workbench.sandbox.carrying.far_end import FarEnd
from workbench.sandbox.carrying.harvest import Harvest
from workbench.sandbox.carrying.lading import WORKSPACE_MB, Lading
from workbench.sandbox.carrying.parcel import Head, ParcelFault, ParcelReader
from workbench.sandbox.cells import Gone
from workbench.sandbox.channel import Channel
from workbench.sandbox.profile import Profile

_PATIENCE = 120.0  # seconds without anything crossing, either way
_PATIENCES = 8  # of them, as long as changes keep coming
_FULL = "Its memory for files is full, where each file takes 4 KB at least: move what is not needed elsewhere."
_BATCH = 16  # parcels read at once


class Expecting(Protocol):
    """Who takes the frames, which come on their own."""

    def expect(self, whole: int) -> None:
        """So many bytes of frames were sent; after them nothing comes any more."""
        ...


class Courier(asyncio.Protocol):
    """Up, open, files in, filled; raw output; changes, over. `over` holds how the program's process ended."""

    def __init__(self, profile: Profile, channel: Channel, frames: Expecting, far: FarEnd) -> None:
        loop = asyncio.get_running_loop()
        self.up: asyncio.Future[None] = loop.create_future()
        self.over: asyncio.Future[Gone] = loop.create_future()
        self._filled: asyncio.Future[str] = loop.create_future()
        self._profile, self._channel, self._frames, self._far = profile, channel, frames, far
        self._reader = ParcelReader()
        self._transport: asyncio.Transport | None = None
        self._free = asyncio.Event()
        self._free.set()
        self._lading = Lading(profile, far)
        self._harvest: Harvest | None = None
        self._trouble = ("", "")
        self._changes = 0  # parcels of them that came

    async def bring(self) -> None:
        """Every file of the bench's folders, before the program begins."""
        try:
            await self._bring_all()
            async with asyncio.timeout(_PATIENCE):
                fault = await self._filled
        except TimeoutError:
            raise WorkbenchError(f"{self._far.title} took too long to take the workspace.", self._far.hint) from None
        if fault:
            hint = _FULL if fault.endswith(os.strerror(errno.ENOSPC)) else self._far.hint
            raise WorkbenchError(f"{self._far.title} could not take {fault}.", hint)

    async def collect(self) -> tuple[str, str]:
        """Wait for the changes and put them into the workspace; answers what was wrong with them: reason, sentence."""
        for _ in range(_PATIENCES):
            heard = self._changes
            await asyncio.wait([self.over], timeout=_PATIENCE)
            if self.over.done() or heard == self._changes:
                break
        if not self.over.done():
            return "lost", f"{self._far.title} took too long to hand over the workspace."
        if self._harvest is not None and not self._trouble[0] and not self.over.result().lost:
            try:
                await asyncio.to_thread(_apply, self._harvest)
            except (OSError, ParcelFault) as fault:
                return "protocol", f"The program's changes could not be put into the workspace: {fault}."
        return self._trouble

    def notes(self) -> str:
        """What stayed behind, as lines for the program's author."""
        if self._harvest is None or not self._harvest.notes:
            return ""
        return f"Not taken out of {self._far.name}:\n" + "".join(f"  {note}\n" for note in self._harvest.notes)

    def close(self) -> None:
        if self._harvest is not None:
            self._harvest.close()
            self._harvest = None
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
        except (ParcelFault, OSError) as fault:
            self.spoil(fault)

    def connection_lost(self, fault: Exception | None) -> None:
        self._free.set()
        self.lose()

    def pause_writing(self) -> None:
        self._free.clear()

    def resume_writing(self) -> None:
        self._free.set()

    def spoil(self, fault: Exception) -> None:
        """The far end does not speak the language: the run is over, and nothing of it is put into the workspace."""
        self._end_run("protocol", f"The program broke the channel of its files: {fault}.")
        self.lose()

    def lose(self) -> None:
        """Nothing more comes."""
        if not self.up.done():
            self.up.set_result(None)
        if not self._filled.done():
            self._filled.set_result("it, because it ended")
        if not self.over.done():
            self.over.set_result(Gone(lost=True))

    def send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def take(self, head: Head, data: bytes) -> None:
        """One parcel; raises ParcelFault at the first that no honest far end sends."""
        kind = head["kind"]
        if kind == "up" and not self.up.done():
            self.up.set_result(None)
        elif kind == "filled" and not self._filled.done():
            self._filled.set_result(str(head.get("fault", ""))[:300])
        elif kind == "raw":
            self._channel.raw_output(data)
        elif kind == "full":
            most = min(self._profile.disk_mb, WORKSPACE_MB)
            self._end_run("disk", f"The workspace holds {most} MB, which is all it may, or too many files.")
        elif kind == "over":
            self._end(head)
        else:
            self._changes += 1
            self._gather().take(head, data)

    async def _bring_all(self) -> None:
        parcels = self._lading.parcels()
        while batch := await asyncio.to_thread(_some, parcels):
            self.send(batch)
            async with asyncio.timeout(_PATIENCE):
                await self._free.wait()

    def _end_run(self, reason: str, message: str) -> None:
        self._trouble = reason, message
        self._channel.end(reason, message)

    def _gather(self) -> Harvest:
        """The changes; none are taken of a program that was not given the workspace to write in."""
        if not self._filled.done() or not self._profile.writable:
            raise ParcelFault("changes that nobody asked for")
        if self._harvest is None:
            room = min(self._profile.disk_mb, WORKSPACE_MB) << 20
            self._harvest = Harvest(Path(self._profile.workspace), room, self._lading.sent)
        return self._harvest

    def _end(self, head: Head) -> None:
        code, cpu, memory, sent = (head.get(name) for name in ("code", "cpu", "memory_mb", "sent"))
        if type(code) is not int or type(sent) is not int or not 0 <= sent < 1 << 53:
            raise ParcelFault("an end without its numbers")
        gone = Gone(code, _number(cpu), _number(memory))
        self._frames.expect(sent)
        self.over.set_result(gone)


def _apply(harvest: Harvest) -> None:
    try:
        harvest.apply()
    finally:
        harvest.close()


def _some(parcels: Iterator[bytes]) -> bytes:
    try:
        return b"".join(islice(parcels, _BATCH))
    except OSError as fault:
        words = f"The bench's folders cannot be read: {os.strerror(fault.errno or 0)}."
        raise WorkbenchError(words, "See whether its files and folders may be read by you.") from fault


def _number(value: Any) -> float:  # Any: of the machine's
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise ParcelFault("an end without its numbers")
    return float(value)
