"""The core's side of the stream of a container on a remote machine: channel frames and files in one connection.

The stream is untrusted: a malformed transfer frame ends the run. Both sides send heartbeats, so that each notices
within a minute when the connection breaks.
"""

from __future__ import annotations

import asyncio
from collections import deque

from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.file_transfer.transfer_frames import (
    BEAT,
    FAILED,
    LARGEST_PIECE,
    TransferFault,
    TransferReader,
    pack,
)
from workbench.sandbox.file_transfer.transfer_host import TransferHost, TransferTarget
from workbench.sandbox.locked_child import ChildExit

_SILENCE = 45.0  # seconds without data after which the container counts as lost
_MOST_HELD_BYTES = 4 << 20  # bytes of frames waiting for the channel above which reading pauses
_SIGNALS = range(129, 160)  # exit codes of a client whose container was ended by a signal


class HostMultiplexer(asyncio.Protocol):
    """Protocol for the stream of one container. `closed` is done when no more data arrives."""

    def __init__(self, profile: ChildProfile, channel: Channel, engine: str, target: TransferTarget) -> None:
        self.transfer = TransferHost(profile, channel, self, target)
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._channel, self._engine = channel, engine
        self._reader = TransferReader()
        self._transport: asyncio.Transport | None = None
        self._held: deque[bytes] = deque()  # frames for the channel, which is paused
        self._held_bytes = 0
        self._holding = False
        self._heard = 0.0
        self._next_beat: asyncio.TimerHandle | None = None
        channel.ended.add_done_callback(lambda ended: self.read_to_end())

    @property
    def is_holding(self) -> bool:
        """Whether frames are held because the channel is paused."""
        return self._holding

    def hold(self) -> None:
        if not self._channel.ended.done():
            self._holding = True

    def release(self) -> None:
        """Pass held frames to the channel until it pauses again."""
        self._holding = False
        while self._held and not self._holding and not self._channel.ended.done():
            self._channel.data_received(self._next_held())
        self._pause_or_resume()

    def read_to_end(self) -> None:
        """Read the rest of the stream after the program or its container ended."""
        self._holding = False
        if self._channel.ended.done():
            self._held.clear()
            self._held_bytes = 0
        self._pause_or_resume()

    def expect(self, whole: int) -> None:
        """The program has ended. Frames and files share one ordered stream, so every frame has arrived by now."""
        while self._held and not self._channel.ended.done():
            self._channel.data_received(self._next_held())
        if not self._channel.ended.done():
            self._channel.connection_lost(None)

    def exit_of(self, code: int, *, killed: bool) -> ChildExit:
        """Exit status of the container from its client's exit code. A broken connection counts as lost."""
        over = self.transfer.over.result() if self.transfer.over.done() else ChildExit(lost=True)
        if not over.lost:
            return over
        if self._channel.ready.done() and not self._channel.ended.done():
            if killed or code in _SIGNALS:
                self._channel.connection_lost(None)
            elif code == FAILED:
                self._channel.end("lost", "The file transfer failed inside the container.")
            else:
                self._channel.end("lost", f"The connection to {self._engine} broke while the program ran.")
        return ChildExit(code)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._channel.connection_made(_MultiplexedTransport(transport, self))
        self.transfer.connection_made(transport)
        self._heard = asyncio.get_running_loop().time()
        self._beat()

    def data_received(self, data: bytes) -> None:
        self._heard = asyncio.get_running_loop().time()
        try:
            for head, piece in self._reader.feed(data):
                if self.transfer.over.done():
                    return
                if head["kind"] == "frames":
                    self._frames(piece)
                elif head["kind"] != "beat":
                    self.transfer.take(head, piece)
        except (TransferFault, OSError) as fault:
            self.transfer.fail(fault)

    def connection_lost(self, fault: Exception | None) -> None:
        if self._next_beat is not None:
            self._next_beat.cancel()
        self.transfer.connection_lost(fault)
        if not self.closed.done():
            self.closed.set_result(None)

    def pause_writing(self) -> None:
        self.transfer.pause_writing()
        self._channel.pause_writing()

    def resume_writing(self) -> None:
        self.transfer.resume_writing()
        self._channel.resume_writing()

    def _frames(self, piece: bytes) -> None:
        if self._channel.ended.done():
            return
        if self._holding or self._held:
            self._held.append(piece)
            self._held_bytes += len(piece)
            self._pause_or_resume()
        else:
            self._channel.data_received(piece)

    def _next_held(self) -> bytes:
        piece = self._held.popleft()
        self._held_bytes -= len(piece)
        return piece

    def _pause_or_resume(self) -> None:
        """Stop reading while too many frames are held, so that a program waits instead of filling the core's memory."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if self._held_bytes > _MOST_HELD_BYTES and transport.is_reading():
            transport.pause_reading()
        elif self._held_bytes <= _MOST_HELD_BYTES and not transport.is_reading():
            self._heard = asyncio.get_running_loop().time()
            transport.resume_reading()

    def _beat(self) -> None:
        transport, loop = self._transport, asyncio.get_running_loop()
        if transport is None or transport.is_closing():
            return
        if transport.is_reading() and loop.time() - self._heard > _SILENCE:
            self._channel.end("lost", f"{self._engine} did not respond for {_SILENCE:.0f} seconds.")
            return
        transport.write(pack("beat"))
        self._next_beat = loop.call_later(BEAT, self._beat)


class _MultiplexedTransport(asyncio.Transport):
    """Transport of the channel. Writes become transfer frames; pausing it holds back only channel frames."""

    def __init__(self, inner: asyncio.Transport, multiplexer: HostMultiplexer) -> None:
        super().__init__()
        self._inner, self._multiplexer = inner, multiplexer

    def write(self, data: bytes | bytearray | memoryview) -> None:
        view = memoryview(data)
        while view:
            self._inner.write(pack("frames", bytes(view[:LARGEST_PIECE])))
            view = view[LARGEST_PIECE:]

    def abort(self) -> None:
        self._inner.abort()

    def close(self) -> None:
        self._inner.close()

    def is_closing(self) -> bool:
        return self._inner.is_closing()

    def is_reading(self) -> bool:
        return not self._multiplexer.is_holding

    def pause_reading(self) -> None:
        self._multiplexer.hold()

    def resume_reading(self) -> None:
        self._multiplexer.release()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._inner.set_write_buffer_limits(high, low)
