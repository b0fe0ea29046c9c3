"""The sandbox's end of the channel: frames of four bytes length and JSON, safe from any thread and any event loop.

There is no reader thread: whoever waits also reads, and hands out what is not its own. Standard library only.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import select
import socket
import struct
import threading
import weakref
from collections.abc import Callable
from typing import Any

from workbench.sandbox.plain import json_text

Frame = dict[str, Any]  # Any: JSON from the host
_PATIENCE = 0.01  # seconds before a waiting thread looks again whether it must do the reading
_CHUNK = 1 << 18
_OVER = {"message": "The program that asks is over.", "code": "over", "valid_parameters": [], "suggestions": []}
_ROOM = socket.CMSG_SPACE(8)  # for two descriptors, which come with a first frame only


class Line:
    """Sends what the program says and asks, and brings the answers to whoever asked."""

    def __init__(self, channel: socket.socket, fault: Callable[[Frame], Exception]) -> None:
        self._channel = channel
        self._fault = fault  # makes the exception a program catches out of the host's refusal
        self._sending = threading.Lock()
        self._reading = threading.Lock()
        self.given: list[int] = []  # descriptors that came with the first frame
        self._bytes = bytearray()
        self._waiting: dict[int, Callable[[Frame], None]] = {}
        self._starts: list[Frame] = []
        self._cut_off: weakref.WeakSet[threading.Thread] = weakref.WeakSet()  # left behind by programs that are over
        self._loops: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()
        self._last = 0

    def start(self) -> Frame:
        """Wait for the frame that starts a program; a thread that an earlier one left behind may take it in for us."""
        while not self._starts:
            with self._reading:
                if not self._starts:
                    self._receive()
                    self._hand_out()
        return self._starts.pop()

    def rest(self) -> None:
        """A program is over: threads that it left behind say nothing more, and none of them waits for an answer."""
        with self._sending:
            self._cut_off.update(thread for thread in threading.enumerate() if thread is not threading.current_thread())
            waiting, self._waiting = self._waiting, {}
        for settle in waiting.values():
            with contextlib.suppress(RuntimeError):  # its event loop is closed
                settle({"error": _OVER})

    def say(self, **frame: Any) -> None:  # Any: JSON
        """Send a frame; while the host is not taking any, its answers are still read, so neither side waits forever."""
        data = json_text(frame).encode("utf-8", "replace")
        view = memoryview(struct.pack(">I", len(data)) + data)
        with self._sending:
            while view and not self._is_cut_off():
                try:
                    view = view[self._channel.send(view, socket.MSG_DONTWAIT) :]
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

        self._send_question(what, wish, settle)
        return (await answer).get("value")

    def ask_now(self, what: str, **wish: Any) -> Any:  # Any: JSON both ways
        """The same for code that does not await; blocks this thread only."""
        answers: list[Frame] = []
        arrived = threading.Event()

        def settle(frame: Frame) -> None:
            answers.append(frame)
            arrived.set()

        self._send_question(what, wish, settle)
        while not arrived.is_set():
            if self._reading.acquire(timeout=_PATIENCE):
                try:
                    if not arrived.is_set() and select.select([self._channel], [], [], _PATIENCE)[0]:
                        self._receive()
                        self._hand_out()
                finally:
                    self._reading.release()
        if "error" in answers[0]:
            raise self._fault(answers[0]["error"])
        return answers[0].get("value")

    def _send_question(self, what: str, wish: Frame, settle: Callable[[Frame], None]) -> None:
        with self._sending:
            if self._is_cut_off():
                raise self._fault(_OVER)
            self._last += 1
            number = self._last
            self._waiting[number] = settle
        self.say(kind="ask", id=number, what=what, wish=wish)

    def _is_cut_off(self) -> bool:
        return bool(self._cut_off) and threading.current_thread() in self._cut_off

    def _listen_on(self, loop: asyncio.AbstractEventLoop) -> None:
        if loop not in self._loops:
            self._loops.add(loop)
            loop.add_reader(self._channel.fileno(), self._take_in)

    def _take_in(self) -> None:
        """Read what is there; when another thread is at it, it will hand out ours as well."""
        if self._reading.acquire(blocking=False):
            try:
                if select.select([self._channel], [], [], 0)[0]:
                    self._receive()
                    self._hand_out()
            finally:
                self._reading.release()

    def _receive(self) -> None:
        data, given, _, _ = self._channel.recvmsg(_CHUNK, _ROOM)
        for _, _, words in given:
            self.given += array.array("i", words)
        if not data:
            os._exit(0)  # nobody is listening any more
        self._bytes += data

    def _hand_out(self) -> None:
        for frame in self._frames():
            settle = self._waiting.pop(frame.get("id", 0), None)
            if settle is not None:
                settle(frame)
            elif frame.get("kind") == "start":
                self._starts.append(frame)

    def _frames(self) -> list[Frame]:
        found, at = [], 0
        while len(self._bytes) - at >= 4:
            (length,) = struct.unpack_from(">I", self._bytes, at)
            if len(self._bytes) - at - 4 < length:
                break
            found.append(json.loads(self._bytes[at + 4 : at + 4 + length]))
            at += 4 + length
        del self._bytes[:at]
        return found

    def _resolve(self, answer: asyncio.Future[Frame], frame: Frame) -> None:
        if answer.done():
            return
        if "error" in frame:
            answer.set_exception(self._fault(frame["error"]))
        else:
            answer.set_result(frame)
