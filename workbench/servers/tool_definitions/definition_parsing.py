"""Parses a server's tool list. An invalid definition causes a warning and does not affect the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from workbench import tokens
from workbench.records import Hints, JsonObject, Tool

_NAME_LIMIT = 512  # characters; a longer name is invalid
LARGEST = 400_000  # characters of one definition; a longer one fits into no model's context either
LARGEST_LIST = 8_000_000  # characters of all definitions of a server


class ParsedDefinitions(Struct, frozen=True):
    """The usable tools of one server, and warnings about its list."""

    tools: tuple[Tool, ...] = ()
    warnings: tuple[str, ...] = ()


def read(server: str, listed: Iterable[object]) -> ParsedDefinitions:
    """Parse all usable definitions; a duplicate name counts once."""
    tools: dict[str, Tool] = {}
    warnings: list[str] = []
    size = 0
    for position, raw in enumerate(listed, 1):
        fault = _unusable(raw)
        if not fault and isinstance(raw, Mapping):
            size += (length := len(json.dumps(raw, ensure_ascii=False)))
            fault = _too_large(length, size)
            size -= length if fault else 0
        if fault or not isinstance(raw, Mapping):
            name = raw.get("name") if isinstance(raw, Mapping) else None
            warnings.append(f"Tool {name or f'number {position}'!s:.80} was left out: {fault}.")
        elif raw["name"] in tools:
            warnings.append(f"Tool {raw['name']:.80} is listed twice; the first definition is used.")
        else:
            tools[raw["name"]] = _tool(server, raw)
            warnings.extend(_harmless_faults(raw))
    return ParsedDefinitions(tuple(tools.values()), tuple(warnings))


def bare(tool: Tool) -> Tool:
    """Return a tool with its name only, without any other text of the server."""
    return _tool(tool.server, {"name": tool.name, "inputSchema": {"type": "object"}})


def digest(raw: JsonObject) -> str:
    """SHA-256 over what a model and a policy rely on: name, title, description, both schemas, annotations."""
    kept = {key: raw.get(key) for key in ("name", "title", "description", "inputSchema", "outputSchema", "annotations")}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _unusable(raw: object) -> str:
    if not isinstance(raw, Mapping):
        return "it is not an object"
    name, schema = raw.get("name"), raw.get("inputSchema", {})
    if not isinstance(name, str) or not name.strip() or len(name) > _NAME_LIMIT:
        return "it has no usable name"
    if not isinstance(schema, Mapping):
        return "its inputSchema is not an object"
    kind = schema.get("type", "object")
    if kind != "object":
        return f"its inputSchema describes {json.dumps(kind)[:40]}, not an object"
    return ""


def _too_large(length: int, size: int) -> str:
    if length > LARGEST:
        return f"its definition is longer than {LARGEST:,} characters"
    return f"the server's definitions exceed {LARGEST_LIST:,} characters" if size > LARGEST_LIST else ""


def _harmless_faults(raw: Mapping[str, Any]) -> Iterable[str]:
    """Yield the faults of a definition that do not prevent its use."""
    name = raw["name"][:80]
    if "inputSchema" not in raw:
        yield f"Tool {name} has no inputSchema; it is treated as a tool without parameters."
    elif "type" not in raw["inputSchema"]:
        yield f"Tool {name}: its inputSchema has no type; it is treated as an object."
    if not isinstance(raw.get("outputSchema", {}), Mapping | None):
        yield f"Tool {name}: its outputSchema is not an object and is ignored."
    if not isinstance(raw.get("description", ""), str | None):
        yield f"Tool {name}: its description is not a string and is ignored."


def _tool(server: str, raw: Mapping[str, Any]) -> Tool:
    output = raw.get("outputSchema")
    annotations = raw.get("annotations")
    claims = annotations if isinstance(annotations, Mapping) else {}
    return Tool(
        server=server,
        name=raw["name"],
        title=_text(raw.get("title")) or _text(claims.get("title")),
        description=_text(raw.get("description")),
        input_schema={"type": "object", **(raw.get("inputSchema") or {})},
        output_schema=output if isinstance(output, Mapping) else None,
        hints=Hints(
            _claim(claims, "readOnlyHint"),
            _claim(claims, "destructiveHint"),
            _claim(claims, "idempotentHint"),
            _claim(claims, "openWorldHint"),
        ),
        raw=raw,
        hash=digest(raw),
        definition_tokens=_cost(raw),
    )


def _cost(raw: Mapping[str, Any]) -> int:
    """Count the model tokens of a definition as compact JSON."""
    shown = {key: raw[key] for key in ("name", "description", "inputSchema") if key in raw}
    return tokens.count(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _claim(claims: Mapping[str, Any], key: str) -> bool | None:
    value = claims.get(key)
    return value if isinstance(value, bool) else None
