"""Tools by the names a program has for them."""

from __future__ import annotations

from workbench.records import Tool
from workbench.wrappers.toolbox import Toolbox, nearest

BOX = Toolbox(
    [
        Tool("my-server", "list"),
        Tool("my-server", "get-item", title="first"),
        Tool("my-server", "get-item"),
        Tool("x", "y"),
    ]
)


def test_a_tool_is_found_by_its_function_and_by_its_own_name() -> None:
    found = BOX.find("my-server", "get_item")
    assert found is not None
    assert found == BOX.find("my-server", "get-item")
    assert (found.tool.title, found.function) == ("first", "get_item")
    assert BOX.find("my-server", "list_") == BOX.find("my-server", "list")
    assert BOX.find("my-server", "y") is None


def test_a_package_leads_to_its_server_unless_two_would_have_it() -> None:
    assert BOX.server_of("my_server") == "my-server"
    assert BOX.server_of("elsewhere") is None
    assert Toolbox([Tool("a-b", "x"), Tool("a.b", "x")]).server_of("a_b") is None


def test_the_file_of_a_function_may_have_another_ending() -> None:
    assert BOX.is_file("my-server", "get_item_")
    assert not BOX.is_file("my-server", "get_itm")


def test_the_nearest_names_are_functions() -> None:
    assert BOX.nearest("my-server", "get_itm") == ["get_item"]
    assert nearest("GETITEM", ["get_item", "other"]) == ["get_item"]
    assert nearest("zzz", ["get_item"]) == []
