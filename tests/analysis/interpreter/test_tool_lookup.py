"""Names in code find their tools: raw, generated, or nearly."""

from __future__ import annotations

import pytest

from workbench.analysis.interpreter.tool_lookup import ToolLookup, UnknownTool, by_name, tool_lookup
from workbench.permissions.tool_annotations import tool_risk
from workbench.records import Hints, Risk, Tool


@pytest.fixture
def book(tools: tuple[Tool, ...]) -> ToolLookup:
    return ToolLookup(tools)


def test_an_unknown_tool_comes_with_the_nearest_names(book: ToolLookup) -> None:
    found = book.find("demo", "list_order")
    assert isinstance(found, UnknownTool)
    assert found.server_known
    assert found.nearest[0] == "demo.list_orders"
    missing = book.find("nowhere", "x")
    assert isinstance(missing, UnknownTool)
    assert not missing.server_known


def test_of_tools_whose_names_collide_the_exact_one_wins_and_else_the_riskiest() -> None:
    reading, deleting = Tool("s", "a-b", hints=Hints(read_only=True)), Tool("s", "a.b", hints=Hints(destructive=True))
    book = ToolLookup([reading, deleting])
    assert book.find("s", "a-b") is reading
    assert book.find("s", "a_b") is deleting


def test_without_a_catalogue_names_must_do() -> None:
    found = ToolLookup(None).find("any", "get_thing")
    assert isinstance(found, Tool)
    assert tool_risk(found) is Risk.LOW
    assert tool_risk(by_name("any", "thing_do")) is Risk.HIGH


def test_a_list_that_nobody_can_change_is_read_once_and_another_one_anew():
    tools = (Tool("a", "one"), Tool("a", "two"))
    assert tool_lookup(tools) is tool_lookup(tools)
    assert tool_lookup((*tools, Tool("a", "three"))).find("a", "three") == Tool("a", "three")
    assert isinstance(tool_lookup(tools).find("a", "three"), UnknownTool)
    assert tool_lookup(list(tools)) is not tool_lookup(list(tools))
