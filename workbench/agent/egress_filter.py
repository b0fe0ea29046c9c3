"""The single exit to an agent: re-serialises every message after masking.

It knows no channel. Every text and name of a message is looked through as its kind asks (`privacy/text_kinds.py`):
what a handler marked as a definition or as a sentence of ours for what it is, and everything else as data. What cannot
be looked through does not leave.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
from functools import lru_cache
from typing import Any, Final, Protocol, get_args

from workbench import offload
from workbench.agent.protocol_identity import EXTENSIONS, announced
from workbench.privacy.text_kinds import SCHEMA_KEYWORDS, KindMarks, TextKind
from workbench.records import JsonObject, JsonValue

log = logging.getLogger(__name__)

SERVER: Final = "mcp-workbench"  # our name in the protocol
_FRAME: Final = frozenset({"jsonrpc", "id", "method"})  # of a message: the protocol's words, and the agent's own number
_OWN: Final = frozenset({"progressToken", "requestId"})  # what an agent named itself, to know its own question again
_UNREAD: Final = "The answer could not be looked through for personal data, so it is not handed on."
_KEPT: Final = "A picture is not shown: personal data or a secret can be read in its bytes."
_SDK_SENTENCES: Final = (  # errors of the protocol's library
    "Method not found", "Invalid request parameters", "Parse error", "Internal error", "Internal server error",
    "Invalid or expired requestState", "Handler returned an invalid result", "Request cancelled", "Connection closed",
    "Unsupported protocol version",
)  # fmt: skip
_SKILLS_FIELDS: Final = (  # of the skills extension, which the protocol's library does not know
    *("skills", "skill", "frontmatter", "resources", "uri", "digest", "size", "license", "compatibility", "metadata"),
    *("allowed-tools", "SKILL.md", "text/markdown", "text/x-python", "text/csv", "application/json"),
)


class Sight(Protocol):
    """What a session lets its model see."""

    @property
    def text_kinds(self) -> KindMarks: ...

    def mask_part(self, text: str, kind: TextKind) -> str: ...

    def shows(self, data: bytes) -> bool: ...


class EgressFilter:
    """Masks the messages of one agent as they leave."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight

    async def leave(self, message: JsonObject) -> bytes:
        """The bytes of a message, masked; an error in its place if it could not be masked."""
        try:
            message = announced(message)
            return _bytes(await offload.MASKING.run(_length(message), self._clean, message))
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
            return self._text(value)
        if isinstance(value, list | tuple):
            return [self._part(item) for item in value]
        if not isinstance(value, dict):
            return value
        return self._picture(value) if _is_picture(value) else self._members(value)

    def _text(self, text: str) -> str:
        if text in _protocol_words():
            return text
        return "".join(self._sight.mask_part(part, kind) for part, kind in self._sight.text_kinds.parts(text))

    def _members(self, value: JsonObject) -> JsonObject:
        return {self._text(key): self._part(item) for key, item in value.items()}

    def _picture(self, block: JsonObject) -> JsonValue:
        """Its bytes are no text: they go as they are, or not at all."""
        data = _decoded(block["data"])
        if data is None:
            return self._members(block)
        if self._sight.shows(data):
            return {"type": "text", "text": _KEPT}
        rest = {key: value for key, value in block.items() if key != "data"}
        return {**self._members(rest), "data": block["data"]}


@lru_cache(maxsize=1)
def _protocol_words() -> frozenset[str]:
    """Texts that are the protocol's own or our part of it, and say nothing about anybody when they are a whole text or
    key: names of its fields and its fixed values, our name, and those of our tools and their arguments."""
    import mcp.types as T
    from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
    from pydantic import BaseModel

    from workbench import __version__
    from workbench.agent.tool_definitions import TOOLS

    words = {SERVER, "workbench", __version__, *_SDK_SENTENCES, *_SKILLS_FIELDS, *EXTENSIONS, *SCHEMA_KEYWORDS}
    words |= {*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS}
    for name, one in vars(T).items():
        if isinstance(one, str) and name.isupper():
            words.add(one)
        elif isinstance(one, type) and issubclass(one, BaseModel):
            for field_name, field in one.model_fields.items():
                words |= {field_name, field.alias or field_name, *_literals(field.annotation)}
    for tool in TOOLS:
        words |= {tool.name, *_names(tool.schema), *_names(tool.answers)}
    return frozenset(words)


def _literals(annotation: Any) -> set[str]:  # Any: whatever stands behind a field's colon
    """The texts of all `Literal` in a type."""
    inner = get_args(annotation)
    return {one for one in inner if isinstance(one, str)}.union(*map(_literals, inner))


def _names(schema: JsonValue) -> set[str]:
    """Names of the properties in a schema."""
    if isinstance(schema, list):
        return set[str]().union(*map(_names, schema))
    if not isinstance(schema, dict):
        return set()
    properties = schema.get("properties")
    return set(properties if isinstance(properties, dict) else ()).union(*map(_names, schema.values()))


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
