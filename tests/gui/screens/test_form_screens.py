"""Writes pictures of forms in all their shapes, so that a person can look at them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gui.screens.test_screens import shoot
from workbench.gui.forms.form import SchemaForm

EVERY_KIND: dict[str, Any] = {
    "type": "object",
    "required": ["title", "priority", "shipping", "items"],
    "properties": {
        "title": {"type": "string", "description": "A short title for the order, as the customer will read it."},
        "priority": {
            "oneOf": [
                {"const": 1, "title": "Low"},
                {"const": 2, "title": "Normal"},
                {"const": 3, "title": "Urgent, tonight"},
            ],
            "description": "How soon somebody must look at it.",
        },
        "due": {"type": "string", "format": "date", "description": "The last day."},
        "call_at": {"type": ["string", "null"], "format": "date-time"},
        "discount": {"type": ["number", "null"], "minimum": 0, "maximum": 0.5, "multipleOf": 0.05},
        "gift": {"type": "boolean", "default": False},
        "api_token": {"type": "string", "description": "Sent to the courier."},
        "file_path": {"type": "string", "description": "The invoice to attach."},
        "photo": {"type": "string", "contentEncoding": "base64"},
        "reference": {"type": "string", "format": "uuid", "deprecated": True},
        "note": {"type": "string", "format": "multiline", "description": "Anything else."},
        "shipping": {
            "description": "How it travels.",
            "oneOf": [
                {
                    "title": "By parcel",
                    "type": "object",
                    "properties": {"kind": {"const": "parcel"}, "weight": {"type": "number", "exclusiveMinimum": 0}},
                    "required": ["kind", "weight"],
                },
                {
                    "title": "Collected in the shop",
                    "type": "object",
                    "properties": {"kind": {"const": "shop"}, "shop": {"type": "string"}},
                    "required": ["kind", "shop"],
                },
            ],
        },
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$", "examples": ["ABC-12"]},
                    "price": {"type": "number", "minimum": 0},
                    "tags": {"type": "array", "items": {"enum": ["fragile", "cold", "heavy"]}},
                },
                "required": ["sku", "price"],
            },
        },
        "corner": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": False},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
VALUE = {
    "title": "Seven lamps",
    "priority": 2,
    "call_at": None,
    "discount": 0.1,
    "api_token": "not-a-real-" + "token",
    "shipping": {"kind": "shop", "shop": "Oslo"},
    "items": [{"sku": "ABC-12", "price": 10.50, "tags": ["fragile"]}, {"sku": "lamp", "price": -3}],
    "corner": [59.91, 10.75],
    "labels": {"colour": "green"},
    "reference": "12",
}


@pytest.mark.parametrize(("colours", "width"), [("light", 520), ("dark", 520), ("dark", 300)])
def test_a_form_of_every_kind_can_be_looked_at(theme: Any, qtbot: Any, colours: str, width: int) -> None:
    theme.choose(colours)
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    form.resize(width, 2100)
    form.show()
    form.set_schema(EVERY_KIND)
    form.set_value(VALUE)
    form.validate()
    shoot(form, f"form-{colours}-{width}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_large_tool_in_the_window_can_be_looked_at(
    window: Any, fake_core: Any, settled: Any, colours: str, qtbot: Any
) -> None:
    from msgspec.structs import replace

    properties = {f"option_{number}": {"type": ["string", "null"]} for number in range(40)}
    read = fake_core.tool

    async def tool(server: str, name: str) -> Any:
        found = await read(server, name)
        schema = {**EVERY_KIND, "properties": {**EVERY_KIND["properties"], **properties}}
        return replace(found, input_schema=schema)

    fake_core.tool = tool
    window.context.theme.choose(colours)
    window.resize(1440, 900)
    window.servers.show_tool("demo", "list_orders")
    window.commands.do("demo.connect")
    settled()
    window.centre.tool.show_tool("demo", "list_orders")
    window.centre.setCurrentWidget(window.centre.tool)
    qtbot.waitUntil(lambda: window.centre.tool.page() is not None)
    window.centre.tool.page().call.run()
    shoot(window, f"large-tool-{colours}")
