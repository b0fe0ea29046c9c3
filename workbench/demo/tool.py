"""Definition of a demo tool: what clients see, and the function that does the work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workbench.demo.company import Company

# Any: JSON as the protocol carries it; arguments are checked against the schema before a tool receives them.
Json: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[float, float, str], None]

READS: Json = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
ADDS: Json = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
CHANGES: Json = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
SENDS: Json = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": True}
OUTSIDE: Json = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
PAYS: Json = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
DESTROYS: Json = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False}


class Refused(Exception):
    """Error of a tool call whose text becomes the call's result."""


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """Result of a tool: structured data, content blocks, or both."""

    structured: Json | None = None
    content: tuple[Json, ...] = ()


Work: TypeAlias = Callable[[Company, Json, Progress], DemoAnswer | Awaitable[DemoAnswer]]


@dataclass(frozen=True, slots=True)
class DemoTool:
    """One demo tool: its definition and the function that does the work."""

    name: str
    title: str
    description: str
    properties: Mapping[str, Json]
    work: Work
    hints: Json
    required: tuple[str, ...] = ()
    output: Json | None = field(default=None)

    @property
    def input_schema(self) -> Json:
        schema: Json = {"type": "object", "properties": dict(self.properties), "additionalProperties": False}
        return {**schema, "required": list(self.required)} if self.required else schema

    def definition(self) -> Json:
        """Return the tool as `tools/list` sends it."""
        definition: Json = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": {"title": self.title, **self.hints},
        }
        return {**definition, "outputSchema": self.output} if self.output else definition


def record(properties: Mapping[str, Json], optional: tuple[str, ...] = ()) -> Json:
    """Return the schema of an object; keys that are not in `optional` are required."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


def listing(item: Json) -> Json:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def text(description: str, **more: Any) -> Json:
    """Return the schema of a text. Any: more JSON Schema keywords."""
    return {"type": "string", "description": description, **more}


def integer(description: str, **more: Any) -> Json:
    """Return the schema of an integer. Any: more JSON Schema keywords."""
    return {"type": "integer", "description": description, **more}


def number(description: str, **more: Any) -> Json:
    """Return the schema of a number. Any: more JSON Schema keywords."""
    return {"type": "number", "description": description, **more}
