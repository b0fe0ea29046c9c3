"""The page of the folders a server is told of."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.errors import WorkbenchError
from workbench.gui.servers.roots import RootsPage
from workbench.records import ServerConfig, ServerState

FILES = ServerState(ServerConfig("files", "npx", roots=("docs", "/srv/da\u202eta")))


@pytest.fixture
def page(context: Any, fake_core: Any, qtbot: Any) -> Any:
    """A page over a core that keeps what it is told."""
    sent: list[tuple[str, ...]] = []

    async def set_roots(server: str, roots: tuple[str, ...]) -> ServerState:
        if "/gone" in roots:
            raise WorkbenchError("/gone is not a folder.", "Choose a folder that exists.")
        sent.append(roots)
        return replace(FILES, config=replace(FILES.config, roots=roots))

    fake_core.set_roots = set_roots
    made = RootsPage(context, FILES)
    made.sent = sent  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    made.show()
    return made


def test_folders_are_listed_with_hidden_letters_seen(page: Any) -> None:
    assert [page.list.item(row).text() for row in range(2)] == ["docs", "/srv/da‹U+202E›ta"]


def test_the_workspace_is_added_at_a_press(page: Any, qtbot: Any) -> None:
    page.workspace.click()
    qtbot.waitUntil(lambda: page.sent == [("docs", "/srv/da\u202eta", "workspace")])
    qtbot.waitUntil(lambda: page.list.count() == 3)
    assert not page.workspace.isEnabled()


def test_a_folder_is_removed_by_key(page: Any, qtbot: Any) -> None:
    page.list.setCurrentRow(0)
    QTest.keyClick(page.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: page.sent == [("/srv/da\u202eta",)])


def test_a_refusal_is_said_and_changes_nothing(page: Any, qtbot: Any) -> None:
    page.add_folder("/gone")
    qtbot.waitUntil(lambda: page.fault.sentence() == "/gone is not a folder.")
    assert page.list.count() == 2


def test_a_server_without_folders_says_so(page: Any) -> None:
    page.show_state(ServerState(ServerConfig("demo", builtin=True)))
    assert page.no_roots.isVisible()
    assert not page.add.isEnabled()
