"""The pane Files in the window: a tree that opens folder by folder, what was changed, and taking it back."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from workbench.gui.files.file_tree import CHANGES
from workbench.gui.files.undo_dialog import UndoDialog
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.rows import ROW
from workbench.gui.shell.navigation import ShowChanges, ShowFile

FILES = {
    "orders.csv": "id,name\n1,one\n2,two\n",
    "deep/er/data.json": '{"a": [1, 2]}',
    "notes.txt": "one\ntwo\nthree\n",
    ".git/hooks/pre-commit": "#!/bin/sh\n",
}


@pytest.fixture
def pane(window: Any, fake_core: Any, settled: Any) -> Any:
    fake_core.put_files(FILES)
    window.docks["files"].come()
    window.files.reload()
    settled()
    return window.files


def titles(model: Any, above: Any = None) -> list[str]:
    from PySide6.QtCore import QModelIndex

    above = above if above is not None else QModelIndex()
    return [str(model.index(row, 0, above).data()) for row in range(model.rowCount(above))]


def answer(window: Any, qtbot: Any, text: str = "") -> None:
    """Say yes to the question that is open."""
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    question = window.findChild(Question)
    if text:
        question.findChild(QLineEdit).setText(text)
    question.accept()


def test_folders_are_read_when_they_are_opened_and_files_that_others_run_are_marked(pane, settled):
    assert titles(pane.model) == [".git", "deep", "notes.txt", "orders.csv"]
    folder = pane.model.find("deep")
    assert pane.model.rowCount(folder) == 0
    pane.tree.expand(folder)
    settled()
    assert titles(pane.model, folder) == ["er"]
    pane.show_path(".git/hooks/pre-commit")
    settled()
    assert pane.selected().path == ".git/hooks/pre-commit"
    row = pane.tree.currentIndex().data(ROW)
    assert ("may be executed", "warning") in row.badges
    assert "git runs it" in row.tip


def test_the_filter_finds_parts_of_paths_anywhere(pane, settled):
    pane.finder.setText("er json")
    settled()
    assert titles(pane.model) == ["data.json"]
    pane.finder.setText("nothing like it")
    settled()
    assert pane.empty.accessibleName() == "No file matches"
    pane.finder.clear()
    settled()
    assert len(titles(pane.model)) == 4


def test_files_are_made_renamed_deleted_and_brought_back(pane, window, fake_core, settled, qtbot):
    window.commands.do("files.new")
    answer(window, qtbot, "new/plan.txt")
    settled()
    assert pane.selected().path == "new/plan.txt"
    window.commands.do("files.rename")
    answer(window, qtbot, "plan.md")
    settled()
    assert pane.selected().path == "plan.md"
    window.commands.do("files.remove")
    answer(window, qtbot)
    settled()
    assert not (fake_core.file_home / "plan.md").exists()
    window.commands.do("files.changes")
    settled()
    pane.changes.view.setCurrentIndex(pane.changes.model.index(0))
    window.commands.do("files.undo")
    qtbot.waitUntil(lambda: window.findChild(UndoDialog) is not None)
    dialog = window.findChild(UndoDialog)
    assert dialog.ticked_paths() == ("plan.md",)
    dialog.accept()
    settled()
    assert (fake_core.file_home / "plan.md").exists()


def test_what_a_run_changed_is_listed_and_leads_to_its_page(pane, window, fake_core, settled, qtbot):
    fake_core.run_writes("run-1", {"notes.txt": "one\n2\nthree\n", "orders.csv": None, "made.txt": "x"})
    settled()
    assert titles(pane.model) == [".git", "deep", "made.txt", "notes.txt"], "the tree follows"
    pane.look(CHANGES)
    assert titles(pane.changes.model) == ["Write the report"]
    wishes: list[Any] = []
    pane.context.messages.requested.connect(wishes.append)
    assert pane.changes.select("run-1")
    qtbot.keyClick(pane.changes.view, Qt.Key.Key_Return)
    assert wishes == [ShowChanges("run-1")]
    settled()
    page = window.centre.files.changes
    assert page.title.full_text() == "Write the report · 3 files"
    page.rows.select("notes.txt")
    settled()
    assert page.diff.changed_lines() == ("-two", "+2")
    assert not page.run.isHidden()


def test_files_are_dropped_in_and_their_paths_copied(pane, window, fake_core, settled, tmp_path):
    (tmp_path / "mine.csv").write_text("a,b\n")
    pane.tree.dropped.emit((str(tmp_path / "mine.csv"),), "deep")
    settled()
    assert (fake_core.file_home / "deep/mine.csv").read_text() == "a,b\n"
    assert pane.selected().path == "deep/mine.csv"
    window.commands.do("files.copy_path")
    assert QGuiApplication.clipboard().text().endswith("workspace/deep/mine.csv")


def test_enter_opens_a_file_and_keys_reach_everything(pane, settled, qtbot):
    wishes: list[Any] = []
    pane.context.messages.requested.connect(wishes.append)
    pane.tree.setCurrentIndex(pane.model.find("notes.txt"))
    qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    assert wishes == [ShowFile("notes.txt")]
    settled()
    pane.tree.setCurrentIndex(pane.model.find("deep"))
    qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    settled()
    assert pane.tree.isExpanded(pane.model.find("deep"))
    assert wishes == [ShowFile("notes.txt")]


def test_what_would_be_lost_by_an_undo_is_not_ticked(pane, window, fake_core, settled, qtbot):
    fake_core.run_writes("run-1", {"notes.txt": "by the run\n", "made.txt": "x"})
    (fake_core.file_home / "notes.txt").write_text("by a person\n")
    settled()
    pane.look(CHANGES)
    pane.changes.select("run-1")
    window.commands.do("files.undo")
    qtbot.waitUntil(lambda: window.findChild(UndoDialog) is not None)
    dialog = window.findChild(UndoDialog)
    assert dialog.ticked_paths() == ("made.txt",)
    assert "changed later" in dialog.list.topLevelItem(1).text(2)
    dialog.accept()
    settled()
    assert (fake_core.file_home / "notes.txt").read_text() == "by a person\n"
    assert not (fake_core.file_home / "made.txt").exists()


def test_how_full_it_is_stands_below(pane):
    assert pane.usage.text.full_text().endswith("· 4 files")
    assert "For undo" in pane.usage.toolTip()


def test_the_menu_of_a_file_has_its_actions(pane, window, settled, qtbot):
    assert pane.tree.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
    pane.show_path("notes.txt")
    settled()
    offered = {action.text(): action.isEnabled() for action in pane.tree.actions()}
    assert offered[window.commands["files.rename"].text()]
    assert len(offered) == 9
    pane.tree.setFocus()
    qtbot.keyClick(pane.tree, Qt.Key.Key_F2)
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    window.findChild(Question).reject()
