"""The core's end of a machine's second port: brings the bench's files in, and the program's changes out."""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.sandbox.cells import Gone
from workbench.sandbox.channel import Channel
from workbench.sandbox.profile import Profile
from workbench.sandbox.vm.harvest import Harvest
from workbench.sandbox.vm.image import WORKSPACE_MB
from workbench.sandbox.vm.lading import Lading
from workbench.sandbox.vm.parcel import Head, ParcelFault, ParcelReader, pack

_PATIENCE = 120.0  # seconds for all files to cross, either way
_BATCH = 16  # parcels read at once
_HINT = "Run the program again; if it happens again, build the image anew: `mcp-workbench sandbox build vm --again`."


class Courier(asyncio.Protocol):
    """Up, open, files in, filled; raw output; changes, over. `over` holds how the program's process ended."""

    def __init__(self, profile: Profile, channel: Channel, frames: Frames) -> None:
        loop = asyncio.get_running_loop()
        self.up: asyncio.Future[None] = loop.create_future()
        self.over: asyncio.Future[Gone] = loop.create_future()
        self._filled: asyncio.Future[str] = loop.create_future()
        self._profile, self._channel, self._frames = profile, channel, frames
        self._reader = ParcelReader()
        self._transport: asyncio.Transport | None = None
        self._free = asyncio.Event()
        self._free.set()
        self._lading = Lading(profile)
        self._harvest: Harvest | None = None
        self._trouble = ("", "")

    def open(self) -> None:
        """Order the one program's process; the machine slept, so it is told the time and given chance of its own."""
        profile = {
            **self._profile.as_json(),
            "disk_mb": min(self._profile.disk_mb, WORKSPACE_MB),
            **{name: f"/files/{name}" for name in ("workspace", "servers", "skills")},
        }
        self._send(pack("open", profile=profile, seed=secrets.token_hex(64), time=time.time_ns()))

    async def bring(self) -> None:
        """Every file of the bench's folders, before the program begins."""
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._bring_all()
                fault = await self._filled
        except TimeoutError:
            raise WorkbenchError("The virtual machine took too long to take the workspace.", _HINT) from None
        if fault:
            raise WorkbenchError(f"The virtual machine could not take {fault}.", _HINT)

    async def collect(self) -> tuple[str, str]:
        """Wait for the changes and put them into the workspace; answers what was wrong with them: reason, sentence."""
        await asyncio.wait([self.over], timeout=_PATIENCE)
        if not self.over.done():
            return "lost", "The virtual machine took too long to hand over the workspace."
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
        return "Not taken out of the virtual machine:\n" + "".join(f"  {note}\n" for note in self._harvest.notes)

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
                self._take(head, piece)
        except (ParcelFault, OSError) as fault:
            self._end_run("protocol", f"The program broke the channel of its files: {fault}.")
            self.lose()

    def connection_lost(self, fault: Exception | None) -> None:
        self._free.set()
        self.lose()

    def pause_writing(self) -> None:
        self._free.clear()

    def resume_writing(self) -> None:
        self._free.set()

    def lose(self) -> None:
        """Nothing more comes."""
        if not self.up.done():
            self.up.set_result(None)
        if not self._filled.done():
            self._filled.set_result("it, because it ended")
        if not self.over.done():
            self.over.set_result(Gone(lost=True))

    async def _bring_all(self) -> None:
        parcels = self._lading.parcels()
        while batch := await asyncio.to_thread(_some, parcels):
            self._send(batch)
            await self._free.wait()

    def _take(self, head: Head, data: bytes) -> None:
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
            self._gather().take(head, data)

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

    def _send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)


class Frames(asyncio.Protocol):
    """The first port: all of it is the channel's. A port has no end of its own, so the other one tells where it is."""

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


def _apply(harvest: Harvest) -> None:
    try:
        harvest.apply()
    finally:
        harvest.close()


def _some(parcels: Iterator[bytes]) -> bytes:
    try:
        return b"".join(islice(parcels, _BATCH))
    except OSError as fault:
        raise WorkbenchError(f"The workspace cannot be read: {os.strerror(fault.errno or 0)}.", _HINT) from fault


def _number(value: Any) -> float:  # Any: of the machine's
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise ParcelFault("an end without its numbers")
    return float(value)
