"""Arguments and answers of the tools that the workbench itself offers to agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mcp.types as T
from msgspec import Struct, field

from workbench.agent.tool_definitions import TOOLS
from workbench.errors import WorkbenchError
from workbench.privacy.pii_tokens import cut_before
from workbench.privacy.text_kinds import KindMarks, TextKind
from workbench.records import Content, JsonObject
from workbench.tokens import count


def check(tool: str, arguments: JsonObject) -> None:
    """Raise for an unknown argument, so that no argument is silently ignored."""
    for one in TOOLS:
        known = (*one.schema["properties"], *one.unlisted)
        odd = next((name for name in arguments if name not in known), None) if one.name == tool else None
        if odd is not None:
            raise WorkbenchError(
                f"{tool} has no argument {odd!r:.100}.", f"Its arguments: {', '.join(known) or 'none'}."
            )


def text(arguments: JsonObject, name: str, default: str | None = None) -> str:
    """Return a text argument; null counts as omitted, because some clients send all properties of a schema."""
    value = arguments.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise WorkbenchError(f"{name} must be a string.", "See the tool's schema.")
    return value


def names(arguments: JsonObject, name: str) -> tuple[str, ...]:
    value = arguments.get(name) or []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise WorkbenchError(f"{name} must be a list of strings.", 'Example: ["demo.list_orders"].')
    return tuple(str(one) for one in value)


def number(arguments: JsonObject, name: str, default: int) -> int:
    """Return a whole number of at least 0, capped at 10**12."""
    return int(min(seconds(arguments, name, default), 10**12))


def seconds(arguments: JsonObject, name: str, default: float = 0) -> float:
    """Return a number of at least 0, including its fraction."""
    value = arguments.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf"):
        raise WorkbenchError(f"{name} must be a number of 0 or more.", "See the tool's schema.")
    return min(value, 10**12)


LETTERS = 4  # assumed maximum characters per token: a slice is first cut to this many, then to its tokens


class ToolAnswer(Struct, frozen=True):
    """The answer of a tool, before it is converted to an MCP result."""

    text: str
    # structured content besides the text, as in the tool's output schema
    facts: JsonObject = field(default_factory=dict)
    pictures: Sequence[Content] = ()
    failed: bool = False
    kind: TextKind = TextKind.DATA  # kind of the text and the facts, which decides how they are masked
    note: str = ""  # constant sentences of the workbench after the text
    # sent instead: a task, or a request for the user's input (Any: JSON)
    deferral: dict[str, Any] | None = None


def to_mcp_result(
    answer: ToolAnswer, marks: KindMarks, *, structured: bool = True
) -> T.CallToolResult | dict[str, Any]:
    """Convert an answer to an MCP result: text first, then pictures. The structured content contains the text too,
    because some clients show only that."""
    if answer.deferral is not None:
        return answer.deferral
    return to_call_result(answer, marks, structured=structured)


def to_call_result(answer: ToolAnswer, marks: KindMarks, *, structured: bool = True) -> T.CallToolResult:
    """Convert an answer that is not deferred."""
    images = [T.ImageContent(data=one.data, mime_type=one.mime) for one in answer.pictures]
    text = marks.mark(answer.text, answer.kind) + marks.mark(answer.note, TextKind.FIXED)
    facts = {"text": text, **{name: marks.mark_json(one, answer.kind) for name, one in answer.facts.items()}}
    return T.CallToolResult(
        content=[T.TextContent(text=text), *images],
        structured_content=facts if structured else None,
        is_error=answer.failed,
    )


def slice_text(text: str, offset: int, budget: int, how: str) -> ToolAnswer:
    """Return the part of a masked text that starts at this character and fits the token budget; `how` says how to
    read on."""
    start = max(0, min(offset, len(text)))
    end = cut_before(text, min(len(text), start + budget * LETTERS))
    while (tokens := count(text[start:end])) > budget and end - start > 1:
        end = cut_before(text, start + max(1, int((end - start) * budget / tokens * 0.95)))
    facts: JsonObject = {"offset": start, "total": len(text)}
    if (start, end) == (0, len(text)):
        return ToolAnswer(text, facts, kind=TextKind.PUBLIC)
    rest = f"; {how} with offset={end} returns the next part" if end < len(text) else ""
    words = f"{text[start:end]}\n[characters {start:,} to {end:,} of {len(text):,}{rest}]"
    return ToolAnswer(words, facts, kind=TextKind.PUBLIC)
