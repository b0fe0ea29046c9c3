from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QTreeView

from workbench.gui.servers.server_tree import ServerTreeModel, StagedExpansion
from workbench.records import ServerConfig, ServerState


@pytest.fixture
def tree(qtbot: Any, make: Any) -> QTreeView:
    made = QTreeView()
    qtbot.addWidget(made)
    made.setUniformRowHeights(True)
    made.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
    model = ServerTreeModel(made)
    servers = [f"server-{number}" for number in range(8)]
    tools = {server: [make.tool(server, f"tool_{number}") for number in range(400)] for server in servers}
    model.load([ServerState(ServerConfig(server, "x")) for server in servers], tools)
    made.setModel(model)
    made.resize(300, 400)
    made.show()
    return made


def opened(tree: QTreeView) -> list[bool]:
    return [tree.isExpanded(tree.model().index(row, 0)) for row in range(8)]


def rows(tree: QTreeView) -> Any:
    return (tree.model().index(row, 0) for row in range(8))


def test_what_is_seen_first_opens_at_once_and_the_rest_soon(tree: QTreeView, qtbot: Any) -> None:
    expansion = StagedExpansion(tree)
    expansion.expand(rows(tree))
    assert opened(tree) == [True] * 3 + [False] * 5
    qtbot.waitUntil(lambda: not expansion.is_busy())
    assert all(opened(tree))


def test_the_chosen_row_stays_where_it_is_while_rows_come_above_it(tree: QTreeView, qtbot: Any) -> None:
    own = tree.model().index(6, 0)
    tree.setCurrentIndex(tree.model().index(5, 0, own))
    expansion = StagedExpansion(tree)
    expansion.expand(rows(tree))
    tree.scrollTo(tree.currentIndex())
    place = tree.visualRect(tree.currentIndex()).top()
    assert tree.isExpanded(own)
    qtbot.waitUntil(lambda: not expansion.is_busy())
    assert tree.visualRect(tree.currentIndex()).top() == place


def test_rows_that_went_meanwhile_are_passed_over(tree: QTreeView, qtbot: Any) -> None:
    expansion = StagedExpansion(tree)
    expansion.expand(rows(tree))
    model = tree.model()
    assert isinstance(model, ServerTreeModel)
    model.filter("server-7")
    qtbot.waitUntil(lambda: not expansion.is_busy())
    assert model.rowCount() == 1
