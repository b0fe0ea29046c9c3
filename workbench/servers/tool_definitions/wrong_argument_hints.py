"""Hints about a tool's parameters for a caller whose arguments did not fit."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.records import JsonObject, Tool
from workbench.similar_names import did_you_mean, similar_names

_SHOWN = 30  # parameters listed in a hint
_ABOUT_ARGUMENTS = re.compile(
    r"argument|parameter|validation|invalid|required|missing|unexpected|unknown (field|key|property)|schema"
    r"|additional propert|not allowed",
    re.IGNORECASE,
)


def hint(tool: Tool, arguments: JsonObject, complaint: str) -> str:
    """The valid parameters, when the complaint or the arguments say that those are the trouble; else nothing."""
    if not _are_the_trouble(tool, arguments, complaint):
        return ""
    return " ".join(part for part in (_strange(tool, arguments), listing(tool)) if part)


def names(tool: Tool, arguments: JsonObject, complaint: str) -> tuple[list[str], list[str]]:
    """The same for programs: the valid parameters, required ones first, and those that unknown ones look like."""
    if not _are_the_trouble(tool, arguments, complaint):
        return [], []
    known, required = _known(tool), _required(tool)
    valid = sorted(known, key=lambda name: name not in required)
    close = [found for name in list(arguments)[:_SHOWN] if name not in known for found in similar_names(name, valid, 1)]
    return valid, list(dict.fromkeys(close))


def _are_the_trouble(tool: Tool, arguments: JsonObject, complaint: str) -> bool:
    told = _ABOUT_ARGUMENTS.search(complaint[:5_000])
    return bool(told) or _lacking(tool, arguments) or bool(_strange(tool, arguments))


def listing(tool: Tool) -> str:
    """`Parameters: title (string, required), body (string).`"""
    known, required = _known(tool), _required(tool)
    if not known:
        return "It takes no parameters."
    shown = [_one(name, known[name], name in required) for name in sorted(known, key=lambda name: name not in required)]
    more = f" … and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"Parameters: {', '.join(shown[:_SHOWN])}{more}."


def _strange(tool: Tool, arguments: JsonObject) -> str:
    known = _known(tool)
    if "patternProperties" in tool.input_schema or not known:
        return ""
    sentences = [
        f"There is no parameter {name}. {did_you_mean(name, known, 1)}".strip()
        for name in arguments
        if name not in known
    ]
    return " ".join(sentences[:3])


def _lacking(tool: Tool, arguments: JsonObject) -> bool:
    return any(name not in arguments for name in _required(tool))


def _known(tool: Tool) -> Mapping[str, object]:
    found = tool.input_schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _required(tool: Tool) -> tuple[str, ...]:
    found = tool.input_schema.get("required")
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def _one(name: str, schema: object, required: bool) -> str:
    kind = _kind(schema) if isinstance(schema, Mapping) else ""
    words = [word for word in (kind, "required" if required else "") if word]
    return f"{name:.80} ({', '.join(words)})" if words else f"{name:.80}"


def _kind(schema: Mapping[str, object]) -> str:
    values = schema.get("enum")
    if isinstance(values, list) and 0 < len(values) <= 8:
        return " | ".join(repr(value)[:40] for value in values)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(str(one) for one in kind)
    return kind if isinstance(kind, str) else ""
