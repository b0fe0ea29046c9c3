"""Names in code find their tools: raw, generated, or nearly."""

from __future__ import annotations

import pytest

from workbench.permissions.tool_annotations import tool_risk
from workbench.policy.toolbook import Toolbook, Unlisted, by_name, toolbook
from workbench.records import Hints, Risk, Tool


@pytest.fixture
def book(tools: tuple[Tool, ...]) -> Toolbook:
    return Toolbook(tools)


def test_an_unknown_tool_comes_with_the_nearest_names(book: Toolbook) -> None:
    found = book.find("demo", "list_order")
    assert isinstance(found, Unlisted)
    assert found.server_known
    assert found.nearest[0] == "demo.list_orders"
    missing = book.find("nowhere", "x")
    assert isinstance(missing, Unlisted)
    assert not missing.server_known


def test_of_tools_whose_names_collide_the_exact_one_wins_and_else_the_riskiest() -> None:
    reading, deleting = Tool("s", "a-b", hints=Hints(read_only=True)), Tool("s", "a.b", hints=Hints(destructive=True))
    book = Toolbook([reading, deleting])
    assert book.find("s", "a-b") is reading
    assert book.find("s", "a_b") is deleting


def test_without_a_catalogue_names_must_do() -> None:
    found = Toolbook(None).find("any", "get_thing")
    assert isinstance(found, Tool)
    assert tool_risk(found) is Risk.LOW
    assert tool_risk(by_name("any", "thing_do")) is Risk.HIGH


def test_a_list_that_nobody_can_change_is_read_once_and_another_one_anew():
    tools = (Tool("a", "one"), Tool("a", "two"))
    assert toolbook(tools) is toolbook(tools)
    assert toolbook((*tools, Tool("a", "three"))).find("a", "three") == Tool("a", "three")
    assert isinstance(toolbook(tools).find("a", "three"), Unlisted)
    assert toolbook(list(tools)) is not toolbook(list(tools))
