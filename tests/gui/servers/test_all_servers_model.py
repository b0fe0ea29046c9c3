"""The lines of the table of all servers: sorted by size, filtered by any word, chosen rows stay chosen."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from workbench.gui.servers import all_servers as columns
from workbench.gui.servers.all_servers import AllServersModel
from workbench.records import Fault, ServerConfig, ServerState, ServerStatus, Vitals

STATES = (
    ServerState(ServerConfig("alpha", category="Work"), ServerStatus.READY, tool_count=9, protocol="2025-11-25"),
    ServerState(ServerConfig("beta"), ServerStatus.FAILED, fault=Fault("It left with code 1.")),
    ServerState(ServerConfig("gamma"), ServerStatus.READY, pid=33, tool_count=120),
)
VITALS = (
    Vitals("alpha", 1.0, 80.0, 1, calls=3, errors=1, last_error="Bad argument.\u202e", last_error_at=1.0),
    Vitals("gamma", 1.0, 9.0, 1),
)


@pytest.fixture
def model(theme: Any, qtmodeltester: Any) -> Any:
    made = AllServersModel(theme)
    made.load(STATES, VITALS)
    qtmodeltester.check(made)
    return made


def column(model: Any, number: int) -> list[str]:
    return [model.index(row, number).data() for row in range(model.rowCount())]


def test_servers_stand_in_the_projects_own_order_until_somebody_sorts(model: Any) -> None:
    assert column(model, columns.NAME) == ["alpha", "beta", "gamma"]
    model.sort(columns.TOOLS, Qt.SortOrder.DescendingOrder)
    assert column(model, columns.TOOLS) == ["120", "9", ""]
    model.sort(columns.MEMORY)
    assert column(model, columns.MEMORY) == ["", "9 MB", "80 MB"]
    model.sort(columns.STATE)
    assert column(model, columns.STATE) == ["Failed", "Ready", "Ready"]
    model.sort(-1)
    assert column(model, columns.NAME) == ["alpha", "beta", "gamma"]


def test_any_word_about_a_server_finds_it(model: Any) -> None:
    for words, found in (("work 2025-11", ["alpha"]), ("code 1", ["beta"]), ("READY", ["alpha", "gamma"]), ("zz", [])):
        model.filter(words)
        assert column(model, columns.NAME) == found


def test_a_row_keeps_its_place_for_whoever_points_at_it(model: Any) -> None:
    pointed = QPersistentModelIndex(model.find("gamma"))
    model.sort(columns.NAME, Qt.SortOrder.DescendingOrder)
    assert (pointed.row(), pointed.data()) == (0, "gamma")
    model.load(STATES, VITALS)
    assert pointed.data() == "gamma"


def test_foreign_words_are_shown_as_they_are(model: Any) -> None:
    said = model.index(0, columns.LAST_ERROR).data()
    assert "Bad argument." in said
    assert "\u202e" not in said
    assert model.index(1, columns.LAST_ERROR).data() == "It left with code 1."
