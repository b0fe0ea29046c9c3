"""The definition of one tool for an agent: found under any of its names, and never one that is blocked."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Fault, Tool
from workbench.servers.server_catalog import one_tool
from workbench.servers.tool_definitions.tool_error_messages import hint, list_parameters, names

SPELLINGS = ("list_orders", "demo.list_orders", "mcp__demo__list_orders", "demo__list_orders")


async def test_every_spelling_finds_it(house) -> None:
    home = await house()
    await home.catalog.connect("demo")
    for name in SPELLINGS:
        for category in ("", "demo", "DEMO ", "no such thing"):
            found = one_tool(home.catalog, name, category)
            assert found.tool.name == "list_orders"
            assert found.import_line == "from servers.demo import list_orders"


async def test_a_blocked_tool_is_refused_with_the_reason(house, monkeypatch: pytest.MonkeyPatch) -> None:
    home = await house()
    await home.catalog.connect("demo")
    monkeypatch.setattr(home.catalog, "blocked", lambda tool: Fault("It changed.", "Look at it."))
    with pytest.raises(WorkbenchError, match=r"It changed\."):
        one_tool(home.catalog, "list_orders")


TOOL = Tool(
    "s",
    "t",
    input_schema={
        "type": "object",
        "properties": {"body": {"type": ["string", "null"]}, "title": {"type": "string"}, "kind": {"enum": ["a", 1]}},
        "required": ["title"],
    },
)


def test_required_ones_come_first_with_their_types() -> None:
    assert list_parameters(TOOL) == "Parameters: title (string, required), body (string or null), kind ('a' | 1)."


def test_a_strange_argument_is_named_with_its_neighbour() -> None:
    assert hint(TOOL, {"titel": "x"}, "boom").startswith("There is no parameter titel. Did you mean title?")


def test_programs_get_the_same_as_names() -> None:
    assert names(TOOL, {"titel": "x"}, "boom") == (["title", "body", "kind"], ["title"])
    assert names(TOOL, {"title": "x"}, "Validation failed") == (["title", "body", "kind"], [])
    assert names(TOOL, {"title": "x"}, "The disk is full") == ([], [])


def test_a_complaint_about_arguments_brings_the_list() -> None:
    assert hint(TOOL, {"title": "x"}, "Validation failed").startswith("Parameters:")


def test_another_trouble_brings_nothing() -> None:
    assert hint(TOOL, {"title": "x"}, "The disk is full") == ""


def test_a_tool_without_parameters_says_so_and_a_long_list_is_cut() -> None:
    assert list_parameters(Tool("s", "t")) == "It takes no parameters."
    many = {"type": "object", "properties": {f"p{number}": {} for number in range(205)}}
    assert list_parameters(Tool("s", "t", input_schema=many)).endswith("… and 175 more.")


def test_odd_schemas_do_no_harm() -> None:
    for schema in ({"properties": 7, "required": 7}, {"properties": {"a": True}, "required": [1, "a"]}):
        assert list_parameters(Tool("s", "t", input_schema=schema))
