"""Why a message of an agent is none that can be answered as asked, and to which of its requests the error belongs."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from workbench.records import JsonValue

PARSE: Final = -32700
INVALID: Final = -32600
_LONGEST_ID: Final = 1_000  # characters of an id that is said again
_NO_JSON: Final = "Parse error: this is no JSON."
_NO_MESSAGE: Final = "This is no JSON-RPC message."
_ID: Final = "The id of a request is a text or a whole number, so this request is not carried out."
_HALF: Final = (
    "The message holds half a character (a lone surrogate such as \\ud83d), which no text can hold: send the whole"
    " character, or leave it out."
)


class MalformedRequest(NamedTuple):
    """An error that answers a message."""

    words: str
    code: int
    request: JsonValue = None  # its id, where that can be told


def unreadable(data: bytes) -> MalformedRequest:
    """Of a message that the protocol's reader refused."""
    message = _parsed(data)
    if message is None:
        return MalformedRequest(_NO_JSON, PARSE)
    known = _id(message)
    if _is_half(data, message):
        return MalformedRequest(_HALF, INVALID, known)
    return odd_request(message) or MalformedRequest(_NO_MESSAGE, PARSE, known)


def unanswerable(data: bytes) -> MalformedRequest | None:
    """Of a message that was read as a notification: a request whose id is of an odd type is taken for one."""
    return odd_request(_parsed(data)) if b'"id"' in data or b"\\u" in data else None


def odd_request(message: Any) -> MalformedRequest | None:  # Any: JSON
    """A request with an id that is none."""
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return None
    found = message["id"]
    if isinstance(found, str) or type(found) is int:
        return None
    return MalformedRequest(_ID, INVALID, _id(message))


def half_character(data: bytes, message: Any) -> MalformedRequest | None:  # Any: JSON
    """A message that strict readers refuse for one cut character."""
    return MalformedRequest(_HALF, INVALID, _id(message)) if _is_half(data, message) else None


def _parsed(data: bytes) -> Any:  # Any: JSON
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _id(message: Any) -> JsonValue:  # Any: JSON
    found = message.get("id") if isinstance(message, dict) and "method" in message else None
    if isinstance(found, str):
        return found if len(found) <= _LONGEST_ID and found.isprintable() else None
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return found if abs(found) < 1e15 else None


def _is_half(data: bytes, message: Any) -> bool:  # Any: JSON
    if b"\\ud" not in data and b"\\uD" not in data:
        return False
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
