"""A server's messages as a file: one JSON object a line, whole, in the order they passed."""

from __future__ import annotations

import json
from collections.abc import Iterable

from workbench.records import JsonObject

_WORDS = {">": "sent", "<": "received", "!": "rubbish", "·": "event"}


def transcript(messages: Iterable[tuple[float, str, bytes]]) -> str:
    """What a snapshot of the traffic holds; parses megabytes, so it belongs on a thread."""
    return "".join(f"{json.dumps(_line(*message), ensure_ascii=True)}\n" for message in messages)


def _line(at: float, direction: str, data: bytes) -> JsonObject:
    """A message that is JSON stands as JSON; anything else stands as text."""
    told = {"at": at, "direction": _WORDS.get(direction, direction)}
    if direction in "<>":
        try:
            return {**told, "message": json.loads(data)}
        except (ValueError, RecursionError):
            pass
    return {**told, "text": data.decode("utf-8", "replace")}
