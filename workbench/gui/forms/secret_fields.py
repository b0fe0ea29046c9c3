"""Removes secrets from the values of a form before they are written to disk."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.errors import WorkbenchError
from workbench.gui.forms.schema_shapes import Shape, shape_of
from workbench.gui.kit.json_text import dump, parse
from workbench.records import JsonObject, JsonValue

_DEEPEST_SECRET = 40  # levels; what lies deeper is left out


_NAMED = re.compile(
    r"pass(word|wd|phrase|code)|secret|token|api.?key|private.?key|credential|authorization|cookie", re.I
)


def draft_without_secrets(draft: Mapping[str, JsonValue], schema: JsonObject) -> JsonObject | None:
    """Return a draft of `SchemaForm` without secrets; None for text in which they cannot be identified."""
    text = draft.get("text")
    if not isinstance(text, str):
        return {"value": without_secrets(draft.get("value"), schema, schema)}
    try:
        value = parse(text)
    except WorkbenchError:
        return None if _NAMED.search(text) or _NAMED.search(dump(schema)) else {"text": text}
    cleaned = without_secrets(value, schema, schema)
    return {"text": text if cleaned == value else dump(cleaned)}


def without_secrets(value: JsonValue, schema: JsonValue, root: JsonObject, depth: int = 0) -> JsonValue:
    """Return the value without its secret fields."""
    if depth > _DEEPEST_SECRET:
        return None
    if not isinstance(value, Mapping | list):
        return value
    shapes = _shapes(schema, root)
    if isinstance(value, list):
        item = next((shape.items for shape in shapes if isinstance(shape.items, Mapping)), True)
        return [without_secrets(one, item, root, depth + 1) for one in value]
    kept: dict[str, JsonValue] = {}
    for name, part in value.items():
        inner = next((shape.properties[name] for shape in shapes if name in shape.properties), True)
        secret = _NAMED.search(name) or any(says_secret(shape.schema) for shape in _shapes(inner, root))
        if not secret or isinstance(part, bool | int | float):
            kept[name] = without_secrets(part, inner, root, depth + 1)
    return kept


def _shapes(schema: JsonValue, root: JsonObject) -> list[Shape]:
    """The shape and those of its branches."""
    shape = shape_of(schema, root)
    return [shape, *(shape_of(branch, root) for branch in shape.branches)]


def says_secret(schema: JsonObject) -> bool:
    """Whether the schema marks its text as secret."""
    return schema.get("writeOnly") is True or schema.get("format") == "password"
