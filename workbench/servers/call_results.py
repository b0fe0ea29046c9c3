"""Converts a server's raw answer to a tool call into an `Outcome`. Content that breaks the protocol is shown, not
dropped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from workbench import offload, tokens
from workbench.records import Content, Fault, JsonObject, Outcome, Tool
from workbench.servers.tool_definitions import schema_validation, tool_error_messages

_plainly = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_SLICE = 100_000  # characters counted at a time, so that the thread releases the interpreter lock for the event loop
_COUNTED: Final = 1_000_000  # characters of a text that is counted whole; 10 MB would take 1.3 s
_SAMPLES: Final = 50  # of a longer text
_SAMPLE: Final = 10_000  # characters
_MESSAGE = 2_000  # characters of a tool's own error text that become the fault's message


async def outcome(call_id: str, tool: Tool, arguments: JsonObject, raw: JsonObject, ms: float) -> Outcome:
    """Build the outcome of an answered call."""
    size = offload.value_size(raw, offload.ANSWER_CONVERSION.limit)
    return await offload.ANSWER_CONVERSION.run(size, read, call_id, tool, arguments, raw, ms)


def read(call_id: str, tool: Tool, arguments: JsonObject, raw: JsonObject, ms: float) -> Outcome:
    content = _content(raw.get("content"))
    present = raw.get("structuredContent") is not None
    structured = _as_json_text(raw["structuredContent"]) if present else ""
    failed = raw.get("isError") is True
    fault = _tool_fault(tool, arguments, content) if failed else _question(raw)
    checked = present and not failed and tool.output_schema is not None
    return Outcome(
        call_id=call_id,
        ok=fault is None,
        content=content,
        structured=structured,
        fault=fault,
        schema_fault=schema_validation.find_departure(tool, raw["structuredContent"])
        if checked
        else _missing_structure(tool, fault),
        ms=ms,
        bytes=sum([size_of(block.text) + size_of(block.data) for block in content]) + size_of(structured),
        tokens=_cost(content, structured),
        tool_error=failed,
    )


def _content(blocks: object) -> tuple[Content, ...]:
    if not isinstance(blocks, list):
        return () if blocks is None else (Content("text", _json(blocks)),)
    return tuple([read_block(block) for block in blocks])


def read_block(block: object) -> Content:
    if not isinstance(block, dict | Mapping):
        return Content("text", block if isinstance(block, str) else _json(block))
    word = _text_fields(block)
    match block.get("type"):
        case "text" if isinstance(block.get("text"), str):
            return Content("text", block["text"])
        case "image" | "audio" as kind if isinstance(block.get("data"), str):
            return Content(kind, mime=word("mimeType"), data=block["data"])
        case "resource_link":
            title, name = word("title") or word("name"), word("name")
            return Content("link", title, word("mimeType"), uri=word("uri"), name=name, note=word("description"))
        case "resource" if isinstance(block.get("resource"), Mapping):
            word = _text_fields(block["resource"])
            return Content("resource", word("text"), word("mimeType"), word("blob"), word("uri"))
    return Content("text", _json(block))


def _text_fields(block: Mapping[str, Any]):  # type: ignore[no-untyped-def]  # a local shorthand: key → text or ""
    return lambda key: value if isinstance(value := block.get(key), str) else ""


def _tool_fault(tool: Tool, arguments: JsonObject, content: tuple[Content, ...]) -> Fault:
    text = "\n".join(block.text for block in content if block.kind == "text").strip()
    message = text[:_MESSAGE] or "The tool failed without an error message."
    return Fault(message, tool_error_messages.hint(tool, arguments, text), text if len(text) > _MESSAGE else "")


def _question(raw: JsonObject) -> Fault | None:
    if raw.get("resultType") == "input_required":
        return Fault("The tool requests input, which is not supported here.", "Pass all values as arguments.")
    return None


def _missing_structure(tool: Tool, fault: Fault | None) -> str:
    if fault is None and tool.output_schema is not None:
        return "The tool declares an output schema but sent no structured content."
    return ""


def _cost(content: tuple[Content, ...], structured: str) -> int:
    """Count the model tokens of the text or of the structured content, whichever has more. Clients pass on one of the
    two, and a short text beside much data is useless to a model that works without programs. Images are not counted;
    of long texts, evenly spread parts are."""
    return max(sum([_count(block.text) for block in content if block.text]), _count(structured))


def _count(text: str) -> int:
    if len(text) <= _SLICE:
        return tokens.count(text) if text else 0
    if len(text) <= _COUNTED:
        return sum(tokens.count(text[start : start + _SLICE]) for start in range(0, len(text), _SLICE))
    step = len(text) // _SAMPLES
    sample = [text[start : start + _SAMPLE] for start in range(0, len(text) - _SAMPLE, step)]
    return round(sum(map(tokens.count, sample)) * len(text) / sum(map(len, sample)))


def _as_json_text(value: Any) -> str:  # Any: JSON
    try:
        return _plainly(value)
    except ValueError:
        return _json(finite(value))


def finite(value: Any) -> Any:  # Any: JSON
    """Replace NaN and Infinity by null, because they are not valid JSON."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return json.loads(json.dumps(value), parse_constant=lambda _: None)
    return value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def size_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
