"""All connections of one run: opened on request, closed when the run ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from workbench.network.connection_relay import Relay
from workbench.network.network_access import Line, Network
from workbench.network.network_errors import Blocked
from workbench.network.protocol_detection import Watch
from workbench.network.traffic_meter import Meter
from workbench.records import Connection

MOST_OPEN = 16  # at once
Told = Callable[[int, Connection, bool], None]  # number, the connection as it stands, whether it is over


class Connections:
    """`told` hears of each connection when it was made and when it is over."""

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
        """A connection with its number; its `end` is the caller's. Blocked and Unreachable come as they are."""
        if self._open >= MOST_OPEN:
            raise Blocked(f"{MOST_OPEN} connections are open already.", "Close some of them first.")
        self._open += 1
        try:
            line = await self._network.connect(host, port, self._places, seconds)
        except BaseException:
            self._open -= 1
            raise
        if self._closed:
            self._open -= 1
            line.socket.close()
            raise Blocked("The run is over.")
        return self._begun(line)

    def _begun(self, line: Line) -> tuple[int, Relay]:
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
        """Nothing of the run stays connected, and nothing is connected any more."""
        self._closed = True
        while self._relays:
            await self._relays.pop().close()
