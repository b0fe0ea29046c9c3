"""Compares expected with actual values, structures of values, and tool definitions.

Used by skill tests, checks of saved calls and checks of recordings against live servers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from workbench.calls.json_paths import Step, covers, find, format_path, steps
from workbench.records import DifferenceKind, JsonObject, JsonValue, Outcome, SkillDifference, Tool
from workbench.servers.tool_definitions.definition_parsing import digest

LONGEST: Final = 300  # characters of a value in a difference
MOST: Final = 100  # differences that are listed
_EXAMPLES: Final = 20  # items of a list whose structure is compared


def answer_value(outcome: Outcome) -> JsonValue:
    """The value that paths refer to: the structured answer, else the text parsed as JSON, else the text."""
    if outcome.structured:
        return json.loads(outcome.structured)
    text = answer_text(outcome)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def answer_text(outcome: Outcome) -> str:
    return "\n".join(block.text for block in outcome.content if block.text)


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are equal as JSON: true is not 1, but 1 is 1.0."""
    return not any(True for _ in differences(one, other, []))


def differences(one: JsonValue, other: JsonValue, ignored: Sequence[Sequence[Step]], at: tuple[Step, ...] = ()):  # type: ignore[no-untyped-def]  # an iterator of paths
    """The paths at which two JSON values differ, without the ignored ones."""
    if any(covers(pattern, at) for pattern in ignored):
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            if (key in one) != (key in other):
                if not any(covers(pattern, (*at, key)) for pattern in ignored):
                    yield (*at, key)
            else:
                yield from differences(one[key], other[key], ignored, (*at, key))
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield at
        for place, (left, right) in enumerate(zip(one, other, strict=False)):
            yield from differences(left, right, ignored, (*at, place))
    elif isinstance(one, bool) != isinstance(other, bool) or one != other:
        yield at


def blanked(value: JsonValue, ignored: Sequence[Sequence[Step]], at: tuple[Step, ...] = ()) -> JsonValue:
    """The value with "…" in place of every ignored part, so that a diff shows only relevant differences."""
    if any(covers(pattern, at) for pattern in ignored):
        return "…"
    if isinstance(value, dict):
        return {key: blanked(inner, ignored, (*at, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [blanked(inner, ignored, (*at, place)) for place, inner in enumerate(value)]
    return value


def pretty(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def result_differences(before: JsonValue, after: JsonValue, ignored: Sequence[str]) -> list[SkillDifference]:
    """The differences between two results."""
    found = list(differences(before, after, [steps(path) for path in ignored]))
    return [
        SkillDifference(
            DifferenceKind.RESULT,
            f"The result differs at {where}." if (where := format_path(path)) else "The result differs.",
            value_at(before, where),
            value_at(after, where),
        )
        for path in found[:MOST]
    ]


def unsteady(one: JsonValue, other: JsonValue) -> tuple[str, ...]:
    """The paths at which two runs of the same cassette differ."""
    return tuple(dict.fromkeys(format_path(path) for path in differences(one, other, [])))


def value_at(value: JsonValue, where: str) -> str:
    found = find(value, steps(where)) if where else [value]
    return shortened(found[0]) if found else "nothing"


def shortened(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def form_changes(before: JsonValue, after: JsonValue, at: str = "") -> Iterator[str]:
    """Describes how the structure of an answer changed: missing fields and values of a different type."""
    where = at or "the answer"
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key not in after:
                yield f"{f'{at}.{key}' if at else key} is missing"
            else:
                yield from form_changes(value, after[key], f"{at}.{key}" if at else key)
    elif isinstance(before, list) and isinstance(after, list):
        for value in after[:_EXAMPLES] if before else ():
            yield from form_changes(before[0], value, f"{at}[*]")
    elif _kind(before) != _kind(after) and before is not None and after is not None:
        yield f"{where} is now {_kind(after)}; it was {_kind(before)}"


def _kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "a boolean"
    kinds = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "nothing")


def definition_change(before: JsonObject, tool: Tool) -> SkillDifference | None:
    """How a tool's definition differs from the recorded one; None if it does not."""
    if digest(before) == tool.hash:
        return None
    words = f"The definition of {tool.server}.{tool.name} changed: {what_changed(before, tool.raw)}."
    return SkillDifference(DifferenceKind.DEFINITION, words, breaks=False)


def what_changed(before: JsonObject, after: JsonObject) -> str:
    """Describes the changed parameters of a tool definition; without any, names the changed parts of the definition."""
    old, new = _parameters(before), _parameters(after)
    words = [f"{name} was removed" for name in old if name not in new]
    words += [f"{name} was added" for name in new if name not in old]
    words += [f"{name} was changed" for name in old if name in new and old[name] != new[name]]
    if words:
        return ", ".join(words[:6])
    parts = ("title", "description", "inputSchema", "outputSchema", "annotations")
    return ", ".join(part for part in parts if before.get(part) != after.get(part)) or "its name"


def _parameters(definition: JsonObject) -> dict[str, JsonValue]:
    schema = definition.get("inputSchema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return dict(found) if isinstance(found, dict) else {}
