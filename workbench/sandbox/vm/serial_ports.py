"""The machine's two serial ports as the core sees them: one for frames, one for files."""

from __future__ import annotations

import asyncio
import secrets
import time

from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.file_transfer.transfer_frames import AREAS, pack
from workbench.sandbox.file_transfer.transfer_host import WORKSPACE_MB


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
