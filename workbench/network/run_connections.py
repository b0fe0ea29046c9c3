"""Network connections of one run: opened on request, relayed with limits, closed when the run ends."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Collection, Coroutine

from workbench.events import spawn
from workbench.network.egress_filter import Watch
from workbench.network.network_access import Line, Network
from workbench.network.network_errors import Blocked
from workbench.records import Connection

_MEGABYTE = 1 << 20


class Meter:
    """Counts the bytes of one run and enforces its limit. Calls `tell` once, when more than `unusual_mb` was sent."""

    def __init__(self, most_mb: int, unusual_mb: int, tell: Callable[[int], None]) -> None:
        self._most = most_mb * _MEGABYTE
        self._unusual = unusual_mb * _MEGABYTE
        self._tell = tell
        self._told = False
        self.sent = 0
        self.received = 0

    def out(self, size: int) -> None:
        """Count sent bytes."""
        self.sent += size
        if self.sent > self._unusual and not self._told:
            self._told = True
            self._tell(self.sent)
        self._check()

    def back(self, size: int) -> None:
        """Count received bytes."""
        self.received += size
        self._check()

    def _check(self) -> None:
        if self.sent + self.received > self._most:
            words = f"The run transferred more than {self._most // _MEGABYTE} MB over the network."
            raise Blocked(words, "The user can raise network.megabytes.")


_PIECE = 1 << 16
IDLE = 300.0  # seconds without a byte in either direction


class Relay:
    """Relays one connection. Calls `ended` once, with a reason if a rule ended the connection.

    `end` is the socket for the program. The creator of the relay passes it on or reads it, and closes it.
    """

    def __init__(self, outer: socket.socket, watch: Watch, meter: Meter, ended: Callable[[Relay, str], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._outer = outer
        self._inner, self.end = socket.socketpair()
        self._inner.setblocking(False)
        self._watch = watch
        self._meter = meter
        self._ended = ended
        self._busy = self._loop.time()
        self._alarm: asyncio.TimerHandle | None = None
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._over = False
        self._why = ""
        self.sent = 0
        self.received = 0

    @property
    def protocol(self) -> str:
        return self._watch.protocol

    def begin(self) -> None:
        self._alarm = self._loop.call_later(IDLE, self._check_idle)
        self._tasks = (spawn("relay out", self._run(self._outwards)), spawn("relay in", self._run(self._inwards)))
        for task in self._tasks:
            task.add_done_callback(self._direction_done)

    async def close(self) -> None:
        """End the connection and wait until its tasks finished."""
        self._cut("")
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._finish()
        self.end.close()

    def say_end(self) -> None:
        """Signal that the program sends no more data. Answers are still relayed."""
        _say_end(self.end)

    async def _run(self, carry: Callable[[], Coroutine[None, None, None]]) -> None:
        try:
            await carry()
        except Blocked as refusal:
            self._cut(f"{refusal.message} {refusal.hint}".strip())
        except OSError:  # one side closed without shutdown
            self._cut("")

    async def _outwards(self) -> None:
        while data := await self._loop.sock_recv(self._inner, _PIECE):
            self._note_traffic()
            if passed := self._watch.feed(data):
                self._meter.out(len(passed))
                self.sent += len(passed)
                await self._loop.sock_sendall(self._outer, passed)
        _say_end(self._outer)

    async def _inwards(self) -> None:
        while data := await self._loop.sock_recv(self._outer, _PIECE):
            self._note_traffic()
            self._meter.back(len(data))
            self.received += len(data)
            await self._loop.sock_sendall(self._inner, data)
        _say_end(self._inner)

    def _note_traffic(self) -> None:
        self._busy = self._loop.time()

    def _check_idle(self) -> None:
        left = self._busy + IDLE - self._loop.time()
        if left > 0:
            self._alarm = self._loop.call_later(left, self._check_idle)
        else:
            self._cut("")

    def _direction_done(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            self._cut("")
        if all(one.done() for one in self._tasks):
            self._finish()

    def _cut(self, why: str) -> None:
        """Cancel both directions. The sockets are closed when both tasks finished."""
        self._why = self._why or why
        for task in self._tasks:
            if not task.done() and not task.cancelling():
                task.cancel()

    def _finish(self) -> None:
        if self._over:
            return
        self._over = True
        if self._alarm is not None:
            self._alarm.cancel()
        self._inner.close()
        self._outer.close()
        self._ended(self, self._why)


def _say_end(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the other side closed already
        sock.shutdown(socket.SHUT_WR)


MOST_OPEN = 16  # concurrent connections of one run
Told = Callable[[int, Connection, bool], None]  # connection number, its current state, whether it has ended


class Connections:
    """All connections of one run. Calls `told` when a connection opens and when it ends."""

    def __init__(self, network: Network, places: Collection[str], meter: Meter, told: Told) -> None:
        self._network = network
        self._places = places
        self._meter = meter
        self._told = told
        self._relays: set[Relay] = set()
        self._open = 0
        self._last = 0
        self._closed = False

    async def open(self, host: str, port: int, seconds: float) -> tuple[int, Relay]:
        """Open a connection.

        Returns its number and its relay, whose `end` the caller must close. Raises Blocked or Unreachable.
        """
        if self._open >= MOST_OPEN:
            raise Blocked(f"{MOST_OPEN} connections of this run are open already.", "Close some of them first.")
        self._open += 1
        try:
            line = await self._network.connect(host, port, self._places, seconds)
        except BaseException:
            self._open -= 1
            raise
        if self._closed:
            self._open -= 1
            line.socket.close()
            raise Blocked("The run has ended.")
        return self._begin_relay(line)

    def _begin_relay(self, line: Line) -> tuple[int, Relay]:
        self._last += 1
        number, began = self._last, time.monotonic()
        made = Connection(line.host, line.port, line.address)

        def ended(relay: Relay, why: str) -> None:
            self._open -= 1
            self._relays.discard(relay)
            ms = (time.monotonic() - began) * 1000
            over = Connection(
                line.host, line.port, line.address, relay.protocol, relay.sent, relay.received, ms, refused=why
            )
            self._told(number, over, True)

        relay = Relay(line.socket, Watch(line.host, line.port, line.protocols), self._meter, ended)
        self._relays.add(relay)
        self._told(number, made, False)
        relay.begin()
        return number, relay

    async def close(self) -> None:
        """Close every connection of the run and refuse new ones."""
        self._closed = True
        while self._relays:
            await self._relays.pop().close()
