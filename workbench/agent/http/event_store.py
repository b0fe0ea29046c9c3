"""Events of one agent that a broken stream lost, for a while: a client that comes back hears what it missed."""

from __future__ import annotations

from collections import deque
from typing import Final

from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.types import JSONRPCMessage

MOST: Final = 200  # events that are kept
HEAVIEST: Final = 8_000_000  # characters of all of them, about


class AgentEventStore(EventStore):
    """The newest, in memory; they pass the edge like all others when they are sent again."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, StreamId, JSONRPCMessage | None, int]] = deque()
        self._number = 0
        self._weight = 0

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        self._number += 1
        weight = len(str(message)) if message is not None else 0
        self._kept.append((self._number, stream_id, message, weight))
        self._weight += weight
        while len(self._kept) > MOST or (self._weight > HEAVIEST and len(self._kept) > 1):
            self._weight -= self._kept.popleft()[3]
        return str(self._number)

    async def replay_events_after(self, last_event_id: EventId, send_callback: EventCallback) -> StreamId | None:
        last = int(last_event_id) if last_event_id.isdigit() and len(last_event_id) < 19 else -1
        stream = next((one for number, one, _, _ in self._kept if number == last), None)
        if stream is None:
            return None
        for number, one, message, _ in tuple(self._kept):
            if number > last and one == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream
