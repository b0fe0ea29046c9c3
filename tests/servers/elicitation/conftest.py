"""Elicitation requests as servers send them, and an empty request queue that records its events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from workbench.events import AskArrived, AskSettled, Event
from workbench.records import Origin, ToolCall
from workbench.servers.elicitation.open_requests import OpenElicitations
from workbench.settings import Settings

BOOKING = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "seats": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
        "when": {"type": "string", "format": "date"},
        "meal": {"type": "string", "enum": ["fish", "soup"]},
        "extras": {"type": "array", "items": {"type": "string", "enum": ["wine", "bread"]}, "maxItems": 1},
    },
    "required": ["name", "seats"],
}


@dataclass
class Room:
    """The queue under test and the events it published."""

    asks: OpenElicitations
    events: list[Event] = field(default_factory=list)

    def endings(self) -> list[str]:
        return [event.ending for event in self.events if isinstance(event, AskSettled)]

    def arrived(self) -> list[Any]:
        return [event.ask for event in self.events if isinstance(event, AskArrived)]


@pytest.fixture
def room() -> Iterator[Room]:
    """A queue with a user present, in which requests do not time out."""
    events: list[Event] = []
    asks = OpenElicitations(events.append, lambda: Settings(elicitation_wait_seconds=0))
    with asks.attending():
        yield Room(asks, events)
    asks.close()


@pytest.fixture
def wish() -> Callable[..., ToolCall]:
    def make(name: str = "call-1", server: str = "inn", **fields: Any) -> ToolCall:
        return ToolCall(name, server, "book", {}, Origin.PERSON, fields.pop("session", "person"), **fields)

    return make


@pytest.fixture
def booking() -> dict[str, Any]:
    return {"mode": "form", "message": "Who comes?", "requestedSchema": BOOKING}
