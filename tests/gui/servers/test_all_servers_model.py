"""The rows of the table of all servers: sorted by value, filtered by any text, with a stable selection."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from workbench.gui.servers.all_servers import COLUMNS, ServerRow, matches, servers_model
from workbench.records import Fault, ServerConfig, ServerState, ServerStatus, Vitals

ROWS = (
    ServerRow(
        ServerState(ServerConfig("alpha", category="Work"), ServerStatus.READY, tool_count=9, protocol="2025-11-25"),
        Vitals("alpha", 1.0, 80.0, 1, calls=3, errors=1, last_error="Bad argument.\u202e", last_error_at=1.0),
    ),
    ServerRow(
        ServerState(ServerConfig("beta"), ServerStatus.FAILED, fault=Fault("It left with code 1.")), Vitals("beta")
    ),
    ServerRow(
        ServerState(ServerConfig("gamma"), ServerStatus.READY, pid=33, tool_count=1_200), Vitals("gamma", 1.0, 9.0, 1)
    ),
)
NUMBER = {column.title: number for number, column in enumerate(COLUMNS)}


@pytest.fixture
def model(theme: Any, qtmodeltester: Any) -> Any:
    made = servers_model(theme)
    made.replace(ROWS)
    qtmodeltester.check(made)
    return made


def column(model: Any, title: str) -> list[str]:
    return [model.index(row, NUMBER[title]).data() for row in range(model.rowCount())]


def test_servers_have_the_order_of_the_file_until_the_user_sorts(model: Any) -> None:
    assert column(model, "Server") == ["alpha", "beta", "gamma"]
    model.sort(NUMBER["Tools"], Qt.SortOrder.DescendingOrder)
    assert column(model, "Tools") == ["1,200", "9", ""]
    model.sort(NUMBER["Memory"])
    assert column(model, "Memory") == ["", "9 MB", "80 MB"]
    model.sort(NUMBER["State"])
    assert column(model, "State") == ["Failed", "Ready", "Ready"]
    model.sort(-1)
    assert column(model, "Server") == ["alpha", "beta", "gamma"]


def test_any_text_about_a_server_finds_it() -> None:
    for words, names in (("work 2025-11", ["alpha"]), ("code 1", ["beta"]), ("ready", ["alpha", "gamma"]), ("zz", [])):
        assert [row.name for row in ROWS if matches(row, words.split())] == names, words


def test_a_row_stays_the_same_row_when_the_table_is_sorted_and_loaded_again(model: Any) -> None:
    index = QPersistentModelIndex(model.index(model.row_of("gamma"), 0))
    model.sort(NUMBER["Server"], Qt.SortOrder.DescendingOrder)
    assert (index.row(), index.data()) == (0, "gamma")
    model.replace(ROWS)
    assert index.data() == "gamma"


def test_hidden_characters_of_errors_are_made_visible(model: Any) -> None:
    error = column(model, "Last error")[0]
    assert "Bad argument." in error
    assert "\u202e" not in error
    assert column(model, "Last error")[1] == "It left with code 1."
