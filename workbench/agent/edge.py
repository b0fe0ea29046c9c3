"""The last step before an agent: every message leaves as bytes that were made here, from what was looked through.

It knows no channel. An answer, a fault of the SDK, a notification or whatever somebody adds next: all of its texts and
names pass the privacy of the session, and what cannot be looked through does not leave.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
from typing import Final, Protocol

from workbench.agent.extensions import announced
from workbench.records import JsonObject, JsonValue

log = logging.getLogger(__name__)

SHORT: Final = 4_000  # characters of a message that are looked through at once: a thread would cost more
_FRAME: Final = frozenset({"jsonrpc", "id", "method"})  # of a message: the protocol's words, and the agent's own number
_OWN: Final = frozenset({"progressToken", "requestId"})  # what an agent named itself, to know its own question again
_UNREAD: Final = "The answer could not be looked through for personal data, so it is not handed on."
_KEPT: Final = "A picture is not shown: personal data or a secret can be read in its bytes."


class Sight(Protocol):
    """What a session lets its model see."""

    def mask(self, text: str) -> str: ...

    def shows(self, data: bytes) -> bool: ...


class Edge:
    """One agent's."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight

    async def leave(self, message: JsonObject) -> bytes:
        """The message as the agent gets it; nothing, if it cannot get any."""
        try:
            message = announced(message)
            if _length(message) <= SHORT:
                return _bytes(self._clean(message))
            return _bytes(await asyncio.to_thread(self._clean, message))
        except Exception:  # nothing that was not looked through may go out instead
            log.exception("a message to an agent could not be prepared")
            return _apology(message)

    def _clean(self, message: JsonObject) -> JsonObject:
        return {key: value if key in _FRAME else self._body(value) for key, value in message.items()}

    def _body(self, body: JsonValue) -> JsonValue:
        if not isinstance(body, dict):
            return self._part(body)
        own = {key: value for key, value in body.items() if key in _OWN}
        return {**self._members({key: value for key, value in body.items() if key not in own}), **own}

    def _part(self, value: JsonValue) -> JsonValue:
        """The keys of the protocol announce nothing about anybody, so each text is looked at for itself."""
        if isinstance(value, str):
            return self._sight.mask(value)
        if isinstance(value, list | tuple):
            return [self._part(item) for item in value]
        if not isinstance(value, dict):
            return value
        return self._picture(value) if _is_picture(value) else self._members(value)

    def _members(self, value: JsonObject) -> JsonObject:
        return {self._sight.mask(key): self._part(item) for key, item in value.items()}

    def _picture(self, block: JsonObject) -> JsonValue:
        """Its bytes are no text: they go as they are, or not at all."""
        data = _decoded(block["data"])
        if data is None:
            return self._members(block)
        if self._sight.shows(data):
            return {"type": "text", "text": _KEPT}
        rest = {key: value for key, value in block.items() if key != "data"}
        return {**self._members(rest), "data": block["data"]}


def _is_picture(value: JsonObject) -> bool:
    return value.get("type") in ("image", "audio") and isinstance(value.get("data"), str)


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None  # no bytes: it is looked at as the text it is


def _length(value: JsonValue) -> int:
    """Characters of all its texts, pictures aside."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key != "data"} if _is_picture(value) else value
        return sum(len(key) + _length(item) for key, item in kept.items())
    return sum(map(_length, value)) if isinstance(value, list | tuple) else 0


def _bytes(message: JsonObject) -> bytes:
    """A line. Half of a pair, which a program may well return, is no character and would end the connection."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _apology(message: JsonObject) -> bytes:
    """A question must not stay open; a notification is left out."""
    if "id" not in message or "method" in message:
        return b""
    return _bytes({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": _UNREAD}})
