"""Reads what an agent gave a tool of the door; what does not fit is refused with what would."""

from __future__ import annotations

from workbench.agent.tool_definitions import TOOLS
from workbench.errors import WorkbenchError
from workbench.records import JsonObject


def check(tool: str, arguments: JsonObject) -> None:
    """No argument is passed over in silence."""
    for one in TOOLS:
        known = (*one.schema["properties"], *one.silent)
        odd = next((name for name in arguments if name not in known), None) if one.name == tool else None
        if odd is not None:
            raise WorkbenchError(f"{tool} has no argument {odd!r:.100}.", f"It has {', '.join(known) or 'none'}.")


def text(arguments: JsonObject, name: str, default: str | None = None) -> str:
    """A text; null is an argument that was left out, as some clients fill in all that a schema names."""
    value = arguments.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise WorkbenchError(f"{name} must be a text.", "See the tool's schema.")
    return value


def names(arguments: JsonObject, name: str) -> tuple[str, ...]:
    value = arguments.get(name) or []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise WorkbenchError(f"{name} must be a list of texts.", 'Such as ["demo.list_orders"].')
    return tuple(str(one) for one in value)


def number(arguments: JsonObject, name: str, default: int) -> int:
    """A whole number from zero on, however large it was wished."""
    return int(min(seconds(arguments, name, default), 10**12))


def seconds(arguments: JsonObject, name: str, default: float = 0) -> float:
    """A number from zero on, with its fraction."""
    value = arguments.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf"):
        raise WorkbenchError(f"{name} must be a number from 0 on.", "See the tool's schema.")
    return min(value, 10**12)
