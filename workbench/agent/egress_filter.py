"""The single exit to an agent: re-serialises every message after masking.

It is independent of the transport. Every text and name of a message is masked according to its kind
(`privacy/text_kinds.py`): texts that a handler marked as a definition or as a fixed sentence of the workbench by that
kind, and everything else as data. A message that cannot be masked is not sent.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
from functools import lru_cache
from typing import Any, Final, Protocol, get_args

from workbench import offload
from workbench.agent.protocol_identity import EXTENSIONS, with_extensions
from workbench.privacy.text_kinds import SCHEMA_KEYWORDS, KindMarks, TextKind
from workbench.records import JsonObject, JsonValue

log = logging.getLogger(__name__)

SERVER: Final = "mcp-workbench"  # the workbench's server name in MCP
# envelope fields of a message, which only hold protocol constants and the agent's own id
_FRAME: Final = frozenset({"jsonrpc", "id", "method"})
_OWN: Final = frozenset({"progressToken", "requestId"})  # values that the agent chose to identify its own requests
_UNREAD: Final = "The answer could not be searched for personal data, so it is withheld."
_KEPT: Final = "A picture is not shown: its bytes contain personal data or a secret."
_SDK_SENTENCES: Final = (  # error texts of the MCP SDK
    "Method not found", "Invalid request parameters", "Parse error", "Internal error", "Internal server error",
    "Invalid or expired requestState", "Handler returned an invalid result", "Request cancelled", "Connection closed",
    "Unsupported protocol version",
)  # fmt: skip
_SKILLS_FIELDS: Final = (  # fields of the skills extension, which the MCP SDK does not know
    *("skills", "skill", "frontmatter", "resources", "uri", "digest", "size", "license", "compatibility", "metadata"),
    *("allowed-tools", "SKILL.md", "text/markdown", "text/x-python", "text/csv", "application/json"),
)


class AgentMasking(Protocol):
    """What a session lets its model see."""

    @property
    def text_kinds(self) -> KindMarks: ...

    def mask_part(self, text: str, kind: TextKind) -> str: ...

    def needs_masking(self, data: bytes) -> bool: ...


class EgressFilter:
    """Masks the messages to one agent."""

    def __init__(self, masking: AgentMasking) -> None:
        self._masking = masking

    async def encode(self, message: JsonObject) -> bytes:
        """Return the masked bytes of a message, or an error message if it could not be masked."""
        try:
            message = with_extensions(message)
            return _bytes(await offload.MASKING.run(_length(message), self._clean, message))
        except Exception:  # unmasked text must never be sent instead
            log.exception("a message to an agent could not be prepared")
            return _error_message(message)

    def _clean(self, message: JsonObject) -> JsonObject:
        return {key: value if key in _FRAME else self._body(value) for key, value in message.items()}

    def _body(self, body: JsonValue) -> JsonValue:
        if not isinstance(body, dict):
            return self._part(body)
        own = {key: value for key, value in body.items() if key in _OWN}
        return {**self._members({key: value for key, value in body.items() if key not in own}), **own}

    def _part(self, value: JsonValue) -> JsonValue:
        """Mask a part of a message. Field names of the protocol say nothing about the texts in them, so each text is
        examined separately."""
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
        return "".join(self._masking.mask_part(part, kind) for part, kind in self._masking.text_kinds.parts(text))

    def _members(self, value: JsonObject) -> JsonObject:
        return {self._text(key): self._part(item) for key, item in value.items()}

    def _picture(self, block: JsonObject) -> JsonValue:
        """Send a picture unchanged or not at all, because its bytes cannot be masked."""
        data = _decoded(block["data"])
        if data is None:
            return self._members(block)
        if self._masking.needs_masking(data):
            return {"type": "text", "text": _KEPT}
        rest = {key: value for key, value in block.items() if key != "data"}
        return {**self._members(rest), "data": block["data"]}


@lru_cache(maxsize=1)
def _protocol_words() -> frozenset[str]:
    """Return texts that belong to MCP or to the workbench's part of it and are not masked if they are a complete
    text or key: field names, fixed values, the server's name, and the names of its tools and arguments."""
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
        words |= {tool.name, *_names(tool.schema), *_names(tool.output_schema)}
    return frozenset(words)


def _literals(annotation: Any) -> set[str]:  # Any: a type annotation
    """Return the texts of all `Literal` types in an annotation."""
    inner = get_args(annotation)
    return {one for one in inner if isinstance(one, str)}.union(*map(_literals, inner))


def _names(schema: JsonValue) -> set[str]:
    """Return the names of the properties in a schema."""
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
        return None  # not base64: it is masked as text


def _length(value: JsonValue) -> int:
    """Count the characters of all texts, without pictures."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key != "data"} if _is_picture(value) else value
        return sum(len(key) + _length(item) for key, item in kept.items())
    return sum(map(_length, value)) if isinstance(value, list | tuple) else 0


def _bytes(message: JsonObject) -> bytes:
    """Encode a message as a line. Lone surrogates, which a program may return, cannot be encoded and would end the
    connection, so they are replaced."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _error_message(message: JsonObject) -> bytes:
    """Return an error in place of an answer, because a request must not stay open; a notification is dropped."""
    if "id" not in message or "method" in message:
        return b""
    return _bytes({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": _UNREAD}})
