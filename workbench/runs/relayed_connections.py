"""Carries the bytes of connections as questions and answers, for programs that no descriptor can be handed to."""

from __future__ import annotations

import asyncio
import base64
import binascii
from dataclasses import dataclass, field

from workbench.network.run_connections import Relay
from workbench.records import JsonObject, JsonValue
from workbench.sandbox.program import ToolFailure

MOST = 64  # ends that are held: more than connections are open at once, because a program hears the last word later
_PIECE = 1 << 18


@dataclass(slots=True)
class _End:
    """The program's end of a connection. It may ask twice at once, but the loop watches a socket for one of them."""

    relay: Relay
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    receiving: asyncio.Lock = field(default_factory=asyncio.Lock)
    said: bool = False  # the program's last word went out
    heard: bool = False  # the host's last word came in


class RelayedConnections:
    """One run's ends; each is let go when both sides have said their last word, all of them with the run."""

    def __init__(self) -> None:
        self._ends: dict[int, _End] = {}

    @property
    def full(self) -> bool:
        """Whether the program first has to finish with connections it has."""
        return len(self._ends) >= MOST

    def add(self, number: int, relay: Relay) -> None:
        relay.end.setblocking(False)
        self._ends[number] = _End(relay)

    async def answer(self, kind: str, params: JsonObject) -> JsonValue:
        """One question of a program: bytes for a connection, or from it."""
        number = params.get("number")
        if not isinstance(number, int) or isinstance(number, bool) or number not in self._ends:
            raise ToolFailure("There is no such connection.", "network.failed")
        end = self._ends[number]
        answer = await (_send(end, _bytes(params)) if kind == "send" else _receive(end))
        if end.said and end.heard and number in self._ends:
            del self._ends[number]
            end.relay.end.close()
        return answer

    async def close(self) -> None:
        """Nothing of them stays open."""
        while self._ends:
            await self._ends.popitem()[1].relay.close()


async def _send(end: _End, data: bytes) -> JsonValue:
    async with end.sending:
        if not end.said and data:
            try:
                await asyncio.get_running_loop().sock_sendall(end.relay.end, data)
            except OSError:  # the other side is gone, which the program hears where it listens
                return {}
        elif not end.said:
            end.relay.say_end()
            end.said = True
    return {}


async def _receive(end: _End) -> JsonValue:
    data = b""
    async with end.receiving:
        if not end.heard:
            try:
                data = await asyncio.get_running_loop().sock_recv(end.relay.end, _PIECE)
            except OSError:  # gone without a last word
                data = b""
            end.heard = not data
    return {"data": base64.b64encode(data).decode()}


def _bytes(params: JsonObject) -> bytes:
    """What is to be sent; nothing is the last word."""
    text = params.get("data")
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        raise ToolFailure("Bytes travel as base64.", "network.failed") from None
