"""The sandbox's side of the channel: sends and receives frames from any thread and any event loop.

There is no reader thread: each thread that waits for an answer also reads, and delivers answers for others. A task
that sends a request reads the answer without going through the event loop if the loop has nothing else to do and
nothing else can wake it. Uses only the standard library.
"""

from __future__ import annotations

import _thread
import array
import asyncio
import contextlib
import itertools
import json
import os
import select
import socket
import struct
import threading
import weakref
from collections.abc import Callable
from typing import Any

from workbench.sandbox.inside.json_output import json_text

Frame = dict[str, Any]  # Any: JSON from the core
_PATIENCE = 0.01  # seconds after which a waiting thread checks again whether it must read
_CHUNK, _SMALL_CHUNK = 1 << 18, 1 << 14  # bytes per read; the larger buffer is allocated anew each time
_BULKY = 1 << 16  # characters from which a value is sent as a bulk frame
_BULK = 1 << 31
_LARGEST = 8 << 20  # maximum bytes of a request, as enforced by the core
_OWN_DESCRIPTORS = 2  # descriptors watched by an otherwise idle loop: the channel and the loop's wake-up socket
_PLAIN_LOOP: Any = asyncio.SelectorEventLoop  # Any: compared only; subclasses may store their pending work elsewhere
_OVER = {
    "message": "The program that sent this request has ended.",
    "code": "over",
    "valid_parameters": [],
    "suggestions": [],
}
_ROOM = socket.CMSG_SPACE(8)  # for two descriptors, which arrive only with a first frame
_decoded = json.JSONDecoder().decode


class FrameChannel:
    """Sends output and requests of the program, and delivers each answer to its caller."""

    def __init__(
        self, channel: socket.socket, fault: Callable[[Frame], Exception], shaped: Callable[[str, Any], Any]
    ) -> None:  # Any: JSON, and its conversion for the program
        self._channel = channel
        self._fault = fault  # converts an error of the core to the exception for the program
        self._shaped = shaped  # converts an answer that is not plain JSON
        self._sending = threading.Lock()
        self._reading = threading.Lock()
        self.given: list[int] = []  # descriptors that arrived with the first frame
        self._bytes = bytearray()
        self._chunk = _SMALL_CHUNK
        self._waiting: dict[int, Callable[[Frame], None]] = {}
        self._starts: list[Frame] = []
        # threads left running by earlier programs
        self._silenced: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._loops: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()
        self._loop: asyncio.AbstractEventLoop | None = None  # loop of the last request
        self._numbers = itertools.count(1)
        self.learn_tokens: Callable[[Any, Any], None] | None = None  # gets places of tokens' values in an answer
        self.bytes_exchanged = 0  # bytes of requests and answers so far

    def start(self) -> Frame:
        """Wait for the frame that starts a program. A thread left by an earlier program may receive it for this one."""
        while not self._starts:
            with self._reading:
                if not self._starts:
                    self._hand_out(self._receive())
        self.bytes_exchanged = 0
        return self._starts.pop()

    def end_program(self) -> None:
        """End a program: its remaining threads can send nothing more, and none of them keeps waiting for an answer."""
        with self._sending:
            self._silenced.update(
                thread for thread in threading.enumerate() if thread is not threading.current_thread()
            )
            waiting, self._waiting = self._waiting, {}
        for settle in waiting.values():
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                settle({"error": _OVER})

    def say(self, **frame: Any) -> None:  # Any: JSON
        """Send a frame without a bulk value."""
        self._send(_plain(json_text(frame)))

    def say_long(self, text: str, **frame: Any) -> None:  # Any: JSON
        """Send a bulk frame: a small object and its one long value, which is JSON text."""
        self._send(_bulk(frame, text))

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._push(data)

    def _push(self, data: bytes) -> None:
        """Write bytes. While the core does not read, its answers are still read, so that neither side waits forever."""
        sent = 0
        while sent < len(data) and not self._is_silenced():
            try:
                sent += self._channel.send(memoryview(data)[sent:] if sent else data, socket.MSG_DONTWAIT)
            except BlockingIOError:
                select.select([self._channel], [self._channel], [])
                self._take_in()

    async def ask(self, what: str, **wish: Any) -> Any:  # Any: JSON both ways
        loop = asyncio.get_running_loop()
        self._listen_on(loop)
        answer: asyncio.Future[Frame] = loop.create_future()
        here = threading.get_ident()

        def settle(frame: Frame) -> None:
            if threading.get_ident() == here:
                self._resolve(answer, frame)
            else:
                loop.call_soon_threadsafe(self._resolve, answer, frame)

        self._send_request(what, wish, settle)
        while not answer.done() and _has_nothing_else(loop):
            with self._reading:
                self._hand_out(self._receive())
        return self._value(answer.result() if answer.done() else await answer)

    def ask_now(self, what: str, **wish: Any) -> Any:  # Any: JSON both ways
        """Send a request from code that does not await. Blocks only this thread."""
        answers: list[Frame] = []
        arrived = threading.Event()

        def settle(frame: Frame) -> None:
            answers.append(frame)
            arrived.set()

        self._send_request(what, wish, settle)
        while not arrived.is_set():
            if self._reading.acquire(timeout=_PATIENCE):
                try:
                    if not arrived.is_set():
                        self._hand_out(self._receive())
                finally:
                    self._reading.release()
        if "error" in answers[0]:
            raise self._fault(answers[0]["error"])
        return self._value(answers[0])

    def _value(self, frame: Frame) -> Any:  # Any: JSON, or its conversion
        value = frame.get("value")
        if "tokens" in frame and self.learn_tokens is not None:
            self.learn_tokens(frame["tokens"], value)
        return self._shaped(frame["shape"], value) if "shape" in frame else value

    def _send_request(self, what: str, wish: Frame, settle: Callable[[Frame], None]) -> None:
        number = next(self._numbers)
        data = _request_data(number, what, wish)
        if len(data) > _LARGEST:
            words = f"This request has {len(data):,} bytes; at most {_LARGEST:,} are allowed."
            hint = "Write the data to a file in the workspace and pass its path, or split the call."
            raise self._fault({"message": f"{words} {hint}", "code": "too_large"})
        with self._sending:
            if self._is_silenced():
                raise self._fault(_OVER)
            self.bytes_exchanged += len(data)
            self._waiting[number] = settle
            self._push(data)

    def _is_silenced(self) -> bool:
        return bool(self._silenced) and threading.current_thread() in self._silenced

    def _listen_on(self, loop: asyncio.AbstractEventLoop) -> None:
        if loop is not self._loop:
            self._loop = loop
            if loop not in self._loops:
                self._loops.add(loop)
                loop.add_reader(self._channel.fileno(), self._take_in)

    def _take_in(self) -> None:
        """Read available data. If a different thread is reading, that thread delivers the answers."""
        if self._reading.acquire(blocking=False):
            try:
                self._hand_out(self._receive(socket.MSG_DONTWAIT))
            except BlockingIOError:
                return
            finally:
                self._reading.release()

    def _receive(self, how: int = 0) -> list[Frame]:
        data, given, _, _ = self._channel.recvmsg(self._chunk, _ROOM, how)
        self._chunk = _CHUNK if len(data) >= _SMALL_CHUNK else _SMALL_CHUNK
        for _, _, words in given:
            self.given += array.array("i", words)
        if not data:
            os._exit(0)  # the core closed the channel
        self.bytes_exchanged += len(data)
        if not self._bytes:
            frames, at = _split_frames(data)
            self._bytes += data[at:]
            return frames
        self._bytes += data
        frames, at = _split_frames(self._bytes)
        del self._bytes[:at]
        return frames

    def _hand_out(self, frames: list[Frame]) -> None:
        for frame in frames:
            settle = self._waiting.pop(frame.get("id", 0), None)
            if settle is not None:
                settle(frame)
            elif frame.get("kind") == "start":
                self._starts.append(frame)

    def _resolve(self, answer: asyncio.Future[Frame], frame: Frame) -> None:
        if answer.done():
            return
        if "error" in frame:
            answer.set_exception(self._fault(frame["error"]))
        else:
            answer.set_result(frame)


def _has_nothing_else(loop: Any) -> bool:  # Any: private attributes of the loop
    """Whether only a frame on the channel can wake this loop.

    The loop must have no ready tasks, no timers, no other descriptors and no signal handlers, and the process no other
    threads.
    """
    return (
        type(loop) is _PLAIN_LOOP
        and not loop._ready
        and not loop._scheduled
        and len(loop._selector.get_map()) == _OWN_DESCRIPTORS
        and not _thread._count()
        and not loop._signal_handlers
        and not loop._stopping
    )


def _request_data(number: int, what: str, wish: Frame) -> bytes:
    frame = {"kind": "ask", "id": number, "what": what, "wish": wish}
    if what != "call":
        return _plain(json_text(frame))
    arguments = json_text(wish.pop("arguments", {}))
    if len(arguments) > _BULKY:
        return _bulk(frame, arguments)
    rest = "".join(f"{json_text(name)}:{json_text(value)}," for name, value in wish.items())
    return _plain(f'{{"kind":"ask","id":{number},"what":"call","wish":{{{rest}"arguments":{arguments}}}}}')


def _plain(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return struct.pack(">I", len(data)) + data


def _bulk(frame: Frame, text: str) -> bytes:
    head, data = (one.encode("utf-8", "replace") for one in (json_text({**frame, "bulk": "json"}), text))
    return b"".join((struct.pack(">II", _BULK | 4 + len(head) + len(data), len(head)), head, data))


def _split_frames(data: bytes | bytearray) -> tuple[list[Frame], int]:
    """Decode all complete frames at the beginning. Returns them and the position of the first incomplete frame."""
    found: list[Frame] = []
    at, there = 0, len(data)
    while there - at >= 4:
        (word,) = struct.unpack_from(">I", data, at)
        end = at + 4 + (word & ~_BULK)
        if there < end:
            break
        body = data[at + 4 : end]
        found.append(_bulk_frame(body) if word & _BULK else _decoded(body.decode()))
        at = end
    return found, at


def _bulk_frame(body: bytes | bytearray) -> Frame:
    (length,) = struct.unpack_from(">I", body)
    frame: Frame = _decoded(body[4 : 4 + length].decode())
    text = str(memoryview(body)[4 + length :], "utf-8")
    frame["value"] = _decoded(text) if frame.pop("bulk") == "json" else text
    return frame
