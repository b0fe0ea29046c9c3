"""The quiet words inside an empty field: its default, an example, or its bounds."""

from __future__ import annotations

import json

from workbench.gui.forms.shape import Kind, Shape
from workbench.gui.text import one_line
from workbench.records import JsonValue

_LONGEST = 60


def hint_of(shape: Shape) -> str:
    """What to show while nothing is entered; "" where the schema gives nothing to say."""
    schema = shape.schema
    if "default" in schema and schema["default"] is not None:
        return f"default {_shown(schema['default'])}"
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        return f"for example {_shown(examples[0])}"
    if "example" in schema:
        return f"for example {_shown(schema['example'])}"
    if shape.kind in (Kind.INTEGER, Kind.NUMBER):
        return _bounds(shape)
    return {"date": "2026-01-31", "date-time": "2026-01-31T09:00:00Z", "email": "name@example.com"}.get(
        str(schema.get("format", "")), ""
    )


def _bounds(shape: Shape) -> str:
    least = shape.schema.get("minimum", shape.schema.get("exclusiveMinimum"))
    most = shape.schema.get("maximum", shape.schema.get("exclusiveMaximum"))
    if least is not None and most is not None:
        return f"{least} … {most}"
    if least is not None:
        return f"{least} or more"
    return f"{most} or less" if most is not None else ""


def _shown(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, _LONGEST)
