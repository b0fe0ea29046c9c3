"""The lean signature of a search's deepest level."""

from __future__ import annotations

from typing import Any

from workbench.records import Tool
from workbench.wrappers.python_source import signature

ORDERS = {
    "type": "object",
    "properties": {
        "status": {"enum": ["open", "paid"], "description": "Only these. And a second sentence."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50},
        "x-key": {"type": "string"},
        "customer": {
            "type": "object",
            "properties": {"id": {"type": "string", "description": "a number"}, "tags": {"type": "array"}},
            "required": ["id"],
        },
    },
    "required": ["customer"],
}
PAGE = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}


def lean(schema: dict[str, Any], output: dict[str, Any] | None = None, **more: Any) -> str:
    return signature(Tool("demo", "list-orders", input_schema=schema, output_schema=output, **more), "list_orders")


def test_it_holds_all_that_a_right_call_needs() -> None:
    text = lean(ORDERS, PAGE, description="List orders. They are many.")
    assert text.splitlines() == [
        "async def list_orders(*, customer: {id: str, tags?: list[Any]}, status: Literal['open', 'paid'] = …, "
        "limit: int = 50, x_key: str = …) -> {total: int}",
        "    List orders.",
        "    status: Only these.",
        "    limit: 1 to 500",
        "    x_key: sent as 'x-key'",
        "    Nested keys have descriptions: see get_tool_definition.",
    ]


def test_a_tool_without_parameters_is_one_line() -> None:
    assert lean({"type": "object", "properties": {}}) == "async def list_orders()"


def test_a_record_that_holds_itself_is_spelled_out_once() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    text = lean({"type": "object", "properties": {"node": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}})
    assert text == "async def list_orders(*, node: {next?: dict} = …)"


def test_long_enumerations_are_cut_and_the_cut_is_said() -> None:
    text = lean({"type": "object", "properties": {"v": {"enum": [f"value{n}" for n in range(300)]}}})
    assert "… 288 more" in text
    assert len(text) < 300


def test_hostile_words_stay_on_their_line() -> None:
    schema = {"type": "object", "properties": {"a\nb": {"description": "x\ny\nimport os"}}}
    text = lean(schema, description='"""\nimport os')
    assert all(line.startswith(("async def", "    ")) for line in text.splitlines())
    assert len(text.splitlines()) == 3
