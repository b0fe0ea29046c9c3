from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from workbench.gui.kit.rows import ROW
from workbench.gui.servers.server_tree import ServerTreeModel
from workbench.records import Hints, ServerConfig, ServerState, ServerStatus


def server(name: str, **fields: Any) -> ServerState:
    return ServerState(ServerConfig(name, "x", builtin=name == "demo"), **fields)


@pytest.fixture
def model(qapp: Any, make: Any) -> ServerTreeModel:
    model = ServerTreeModel()
    tools = [
        make.tool("demo", "list_orders"),
        make.tool("demo", "send_email"),
        make.tool("zoo", "feed", summary="Feeds lions."),
    ]
    model.load([server("demo"), server("zoo"), server("empty")], {"demo": tools[:2], "zoo": tools[2:]})
    return model


def shown(model: ServerTreeModel) -> dict[str, list[str]]:
    found = {}
    for row in range(model.rowCount()):
        place = model.index(row, 0)
        found[str(place.data())] = [str(model.index(at, 0, place).data()) for at in range(model.rowCount(place))]
    return found


def test_the_model_obeys_qt_while_it_changes(model: ServerTreeModel, qtmodeltester: Any, make: Any) -> None:
    qtmodeltester.check(model)
    model.update_server(server("another"))
    model.put_tools("demo", [make.tool("demo", "new_one")])
    model.remove("zoo")
    model.filter("new")
    qtmodeltester.check(model)


def test_servers_stand_as_in_the_file_and_the_built_in_one_last(model: ServerTreeModel) -> None:
    assert list(shown(model)) == ["zoo", "empty", "demo"]


def test_a_filter_finds_tools_by_name_and_summary_and_hides_other_servers(model: ServerTreeModel) -> None:
    model.filter("LIONS")
    assert shown(model) == {"zoo": ["feed"]}
    model.filter("orders list")
    assert shown(model) == {"demo": ["list_orders"]}
    model.filter("")
    assert len(shown(model)) == 3


def test_a_tool_that_is_named_so_stands_before_one_that_speaks_of_it(model: ServerTreeModel, make: Any) -> None:
    spoken = make.tool("demo", "delete_customer", summary="Deletes their orders too.")
    tools = [spoken, make.tool("demo", "list_orders")]
    model.put_tools("demo", tools)
    model.filter("orders")
    assert shown(model) == {"demo": ["list_orders", "delete_customer"]}


def test_a_filter_that_fits_a_server_shows_all_its_tools(model: ServerTreeModel) -> None:
    model.filter("demo")
    assert shown(model) == {"demo": ["list_orders", "send_email"]}


def test_a_tool_knows_its_server_after_another_server_came_before_it(model: ServerTreeModel) -> None:
    held = model.find("zoo", "feed")
    model.update_server(server("aardvark"))
    tool = model.find("zoo", "feed")
    assert model.server_at(tool).config.name == "zoo"  # type: ignore[union-attr]
    assert model.parent(tool) == model.find("zoo")
    assert model.tool_at(held).name == "feed"  # type: ignore[union-attr]


def test_a_change_of_state_paints_one_row_and_resets_nothing(model: ServerTreeModel, qtbot: Any) -> None:
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.update_server(server("zoo", status=ServerStatus.READY, latency_ms=4.2))
    assert "4 ms" in model.find("zoo").data(ROW).aside


def test_hints_are_words_and_the_dangerous_one_comes_first(model: ServerTreeModel, make: Any) -> None:
    model.put_tools("zoo", [make.tool("zoo", "drop", Hints(destructive=True, open_world=True))])
    assert [word for word, _ in model.find("zoo", "drop").data(ROW).badges] == ["destructive", "reaches out"]


def test_a_server_that_came_while_the_filter_hides_it_appears_when_the_filter_goes(model: ServerTreeModel) -> None:
    model.filter("lions")
    model.update_server(server("late"))
    assert "late" not in shown(model)
    model.filter("")
    assert "late" in shown(model)


def test_ten_thousand_tools_are_taken_and_filtered(model: ServerTreeModel, make: Any) -> None:
    model.put_tools("demo", [make.tool("demo", f"tool_{number}") for number in range(10_000)])
    model.filter("tool_9999")
    assert shown(model) == {"demo": ["tool_9999"]}


def test_removing_a_hidden_server_is_harmless(model: ServerTreeModel) -> None:
    model.filter("lions")
    model.remove("demo")
    model.filter("")
    assert "demo" not in shown(model)
    assert model.state("demo") is None


def test_a_failed_server_says_so_in_a_word(model: ServerTreeModel) -> None:
    state = model.state("zoo")
    assert state is not None
    model.update_server(replace(state, status=ServerStatus.FAILED))
    assert model.find("zoo").data(ROW).aside == "Failed"


def grouped(model: ServerTreeModel) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def filed(name: str, category: str = "") -> ServerState:
    return ServerState(ServerConfig(name, "x", category=category))


def test_categories_are_headings_that_fold(model: ServerTreeModel, qtmodeltester: Any) -> None:
    model.load([server("demo"), filed("a", "work"), filed("b"), filed("c", "home"), filed("d", "work")], {})
    assert grouped(model) == ["b", "work", "a", "d", "home", "c", "demo"]
    assert model.index(1, 0).data(ROW).aside == "2"
    assert model.category_at(model.index(1, 0)) == "work"
    assert model.server_at(model.index(1, 0)) is None
    model.toggle_category("work")
    assert grouped(model) == ["b", "work", "home", "c", "demo"]
    qtmodeltester.check(model)
    model.filter("a")
    assert grouped(model) == ["work", "a"]
    model.filter("")
    model.toggle_category("work")
    model.remove("c")
    assert grouped(model) == ["b", "work", "a", "d", "demo"]


def test_a_server_goes_where_its_category_is(model: ServerTreeModel) -> None:
    model.load([filed("a"), filed("b")], {})
    model.update_server(filed("a", "work"))
    assert grouped(model) == ["b", "work", "a"]
    model.update_server(filed("new", "work"))
    assert grouped(model) == ["b", "work", "a", "new"]
    model.load([filed("new", "work"), filed("b"), filed("a", "work")], {})
    assert grouped(model) == ["b", "work", "new", "a"]
    assert (model.neighbour("a", -1), model.neighbour("a", 1), model.neighbour("b", 1)) == ("new", "", "")
