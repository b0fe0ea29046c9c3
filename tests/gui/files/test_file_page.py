"""The page Files in the centre: each kind of file as itself, hostile ones as text, and differences word by word."""

from __future__ import annotations

import csv
import time
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from tests.gui.conftest import make_run
from workbench.events import FilesChanged
from workbench.gui.code.diff_view import changed_words, compare_lines, line_labels
from workbench.gui.files.change_page import MOST_LINES
from workbench.gui.files.file_page import rows_of
from workbench.gui.files.file_tree import CHANGES
from workbench.gui.files.undo_dialog import UndoDialog
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.rows import ROW
from workbench.gui.shell.navigation import ShowChanges, ShowFile
from workbench.records import RunState


@pytest.fixture
def show(window: Any, settled: Any) -> Any:
    def show(path: str) -> Any:
        window.context.go(ShowFile(path))
        settled()
        return window.centre.files.preview

    return show


def picture() -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(0xFF3355)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def test_each_kind_is_shown_as_itself(show, fake_core):
    fake_core.put_files(
        {"a.json": '{"a": [1, 2]}', "b.csv": "x;y\n1;2\n3;4\n", "c.py": "import os\n", "d.txt": "plain"}
    )
    (fake_core.file_home / "e.png").write_bytes(picture())
    (fake_core.file_home / "f.bin").write_bytes(b"\0\1MZ")
    preview = show("a.json")
    assert preview.tree.isVisible()
    preview.as_text.setChecked(True)
    assert preview.code.isVisible()
    assert preview.code.text() == '{"a": [1, 2]}'
    preview.as_text.setChecked(False)
    show("b.csv")
    assert preview.table.isVisible()
    assert (preview.table.model.rowCount(), preview.table.model.columnCount()) == (2, 2)
    show("c.py")
    assert preview.code.isVisible()
    show("d.txt")
    assert preview.plain.isVisible()
    show("e.png")
    assert preview.picture.isVisible()
    show("f.bin")
    assert "4d 5a" in preview.plain.edit.toPlainText()
    assert "binary file" in preview.facts.full_text()


def test_hostile_files_are_text_and_nothing_else(show, fake_core):
    fake_core.put_files({
        "evil.json": "{" * 5_000,
        "evil.csv": "=cmd|' /C calc'!A1\n",
        "evil.svg": "<svg><image href='file:///etc/passwd'/></svg>",
        "evil.html": "<b>\u202egpj.exe</b>\x1b[31m",
        "line.py": "x = '" + "y" * 50_000 + "'",
    })  # fmt: skip
    for name in ("evil.json", "evil.csv", "evil.svg", "line.py"):
        preview = show(name)
        assert preview.plain.isVisible() or name == "evil.json"
    preview = show("evil.html")
    assert preview.plain.edit.toPlainText() == "<b>‹U+202E›gpj.exe</b>‹ESC[31m›"
    with pytest.raises(csv.Error, match="no table"):
        rows_of("only one line")


def test_a_long_file_is_read_on(show, fake_core, window, settled, monkeypatch):
    from workbench.workspace import file_change_records

    monkeypatch.setattr(file_change_records, "PIECE", 1_000)
    fake_core.put_files({"long.txt": "".join(f"line {n}\n" for n in range(400))})
    preview = show("long.txt")
    while preview.more.isVisible():
        preview.more.click()
        settled()
    assert preview.plain.edit.toPlainText().startswith("line 0\nline 1\n")
    assert preview.plain.edit.toPlainText().endswith("line 398\nline 399\n")


def test_a_file_that_goes_is_told_and_comes_back_by_itself(show, fake_core, window, settled):
    fake_core.put_files({"a.txt": "one"})
    preview = show("a.txt")
    (fake_core.file_home / "a.txt").unlink()
    window.context.store.handle(FilesChanged("r", 1))
    settled()
    page = window.centre.files
    assert page.empty.isVisible()
    assert page.empty.accessibleName() == "There is no file a.txt."
    fake_core.put_files({"a.txt": "two"})
    window.context.store.handle(FilesChanged("r", 1))
    settled()
    assert preview.plain.edit.toPlainText() == "two"


def test_within_a_changed_line_the_words_are_marked():
    rows = ["@@", " same", "-one two three", "+one 2 three", "+new line", "-a b", "+a c", "-gone"]
    assert list(changed_words(rows)) == [(5, 3, 1), (6, 3, 1)]
    assert list(changed_words(["-wholly other", "+12345 67890 !!"])) == []
    assert next(iter(changed_words(["-\U0001f600 two", "+\U0001f600 2"]))) == (0, 4, 3)


def test_the_lines_of_a_diff_have_the_numbers_of_the_files():
    rows = ["@@ -4,3 +4,4 @@", " same", "-old", "+new", "+more", " same", "@@ -20,2 +21 @@", "-gone", " end"]
    assert list(line_labels(rows)) == ["", "4", "5", "5", "6", "7", "", "20", "21"]
    assert list(line_labels(["  No changes."])) == [""]


def test_what_was_not_kept_and_folders_say_so(window, fake_core, settled, monkeypatch):
    snapshots = fake_core.file_desk._services.snapshots
    monkeypatch.setattr(type(snapshots), "_most", property(lambda self: 10))
    fake_core.run_writes("run-9", {"sub/big.txt": "x" * 100})
    window.context.go(ShowChanges("run-9"))
    settled()
    page = window.centre.files.changes
    page.rows.select("sub/big.txt")
    settled()
    assert "is not stored" in page.diff.text()
    page.rows.select("sub")
    settled()
    assert page.diff.text() == "A folder."
    window.context.go(ShowChanges("nothing"))
    settled()
    assert page.title.full_text() == "There are no recorded changes to undo."
    assert not page.undo.isEnabled()


def test_only_so_many_lines_are_compared(window, fake_core, settled):
    same = [f"line {n}\n" for n in range(9_000)]
    fake_core.put_files({"a.txt": "".join(same)})
    fake_core.run_writes("run-9", {"a.txt": "".join([*same[:8_000], "new\n", *same[8_000:]])})
    window.context.go(ShowChanges("run-9"))
    settled()
    diff = window.centre.files.changes.diff
    assert diff.text().splitlines()[0] == "@@ -7998,6 +7998,7 @@"
    assert [diff.line_label(row) for row in range(6)] == ["", "7998", "7999", "8000", "8001", "8002"]
    assert diff.changed_lines() == ("+new",)
    rows, complete = compare_lines(["a"] * 9_000, ["b"] * 9_000, MOST_LINES)
    assert len(rows) == MOST_LINES
    assert not complete


def test_a_runs_page_leads_to_the_files_it_changed(window, fake_core, settled, make):
    fake_core.put_files({"a.txt": "a\n"})
    fake_core.put_run(make.run("run-7", RunState.RUNNING))
    window.output.show_run("run-7")
    settled()
    assert window.output.links.files.isHidden()
    fake_core.run_writes("run-7", {"a.txt": "b\n"})
    settled()
    assert window.output.links.files.text() == "Files it changed · 1"
    window.output.links.files.click()
    settled()
    assert window.centre.files.changes.diff.changed_lines() == ("-a", "+b")


@pytest.fixture
def held(window: Any, fake_core: Any, settled: Any) -> Any:
    """A run that nobody approved wants to change two files, and the strip says so."""
    fake_core.put_files({"orders.csv": "id,name\n1,one\n", "notes.txt": "old\n"})
    fake_core.run_wants("r-held", {"orders.csv": "id,name\n1,other\n", "notes.txt": None})
    fake_core.put_run(make_run("r-held", RunState.DONE, held=("notes.txt", "orders.csv")))
    settled()
    return window.centre


def test_changes_that_wait_are_told_shown_and_allowed_by_mouse(held, window, fake_core, settled, qtbot):
    strip = window.strip
    assert "wants to change 2 files: notes.txt, orders.csv" in strip.text()
    QTest.mouseClick(strip.act, Qt.MouseButton.LeftButton)
    settled()
    page = held.files.changes
    assert [page.rows.model.index(row).data() for row in range(2)] == ["notes.txt", "orders.csv"]
    assert (page.undo.isHidden(), page.allow.isHidden(), page.deny.isHidden()) == (True, False, False)
    assert "stay as they are until you decide" in page.note.text()
    page.rows.select("orders.csv")
    settled()
    assert "other" in page.diff.text()
    QTest.mouseClick(page.allow, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(UndoDialog) is not None)
    dialog = window.findChild(UndoDialog)
    assert dialog.windowTitle() == "Allow changes"
    assert dialog.ticked_paths() == ("notes.txt", "orders.csv")
    dialog.list.topLevelItem(0).setCheckState(0, Qt.CheckState.Unchecked)
    assert dialog.submit.text() == "Allow 1 file"
    qtbot.waitUntil(lambda: dialog.isVisible() and dialog.submit.isEnabled())
    with qtbot.waitSignal(dialog.finished):
        QTest.mouseClick(dialog.submit, Qt.MouseButton.LeftButton)
    settled()
    assert (fake_core.file_home / "orders.csv").read_text() == "id,name\n1,other\n"
    assert (fake_core.file_home / "notes.txt").read_text() == "old\n"
    assert "wants to change notes.txt" in strip.text()
    QTest.mouseClick(page.deny, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    window.findChild(Question).accept()
    settled()
    assert (fake_core.file_home / "notes.txt").read_text() == "old\n"
    assert strip.text() == ""
    assert "Changes" in page.note.text()
    assert not any(button.isVisible() for button in page.findChildren(QPushButton))
    window.files.look(CHANGES)
    window.files.reload()
    settled()
    row = window.files.changes.model.index(0).data(ROW)
    assert (row.title.startswith("You allowed: "), row.icon, row.badges) == (True, "check", ())


def test_waiting_changes_stand_on_top_of_the_list_and_cannot_be_undone(held, window, fake_core, settled):
    window.docks["files"].come()
    window.files.look(CHANGES)
    window.files.reload()
    settled()
    changes = window.files.changes
    row = changes.model.index(0).data(ROW)
    assert (row.key, row.badges) == ("held:r-held", (("waiting for you", "warning"),))
    changes.view.setCurrentIndex(changes.model.index(0))
    assert changes.undoable() == ""
    place = changes.view.visualRect(changes.model.index(0)).center()
    QTest.mouseClick(changes.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settled()
    assert held.files.changes.title.full_text().startswith("Claude Code wants to change files")


def test_how_long_ago_files_were_changed_goes_on(held, window, settled, monkeypatch, qtbot):
    window.docks["files"].come()
    window.files.look(CHANGES)
    window.files.reload()
    settled()
    changes = window.files.changes
    assert changes.model.index(0).data(ROW).aside == "now"
    later = time.time() + 600
    monkeypatch.setattr("workbench.gui.files.change_rows.time.time", lambda: later)
    changes.update_ages()
    assert changes.model.index(0).data(ROW).aside == "10 min"


def test_an_undo_of_some_files_says_so_and_each_file_is_undone_and_redone_by_mouse(
    window, fake_core, settled, qtbot, press
):
    fake_core.run_writes("r-two", {"a.txt": "a", "b.txt": "b"})
    window.context.go(ShowChanges("r-two"))
    settled()
    page, home = window.centre.files.changes, fake_core.file_home

    def answer(button: Any, text: str, *left: str) -> None:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.findChild(UndoDialog) is not None)
        dialog = window.findChild(UndoDialog)
        for row in range(dialog.list.topLevelItemCount()):
            if dialog.list.topLevelItem(row).text(0) in left:
                dialog.list.topLevelItem(row).setCheckState(0, Qt.CheckState.Unchecked)
        press(dialog, text)
        settled()
        qtbot.waitUntil(lambda: window.findChild(UndoDialog) is None)

    def offered() -> tuple[str, ...]:
        return tuple(button.text() for button in (page.undo, page.redo) if button.isVisible())

    assert offered() == ("Undo…",)
    answer(page.undo, "Undo 1 file", "b.txt")
    assert (sorted(path.name for path in home.iterdir()), offered()) == (["b.txt"], ("Undo…", "Redo…"))
    assert page.note.text() == "1 of 2 files undone."
    assert "Undid the changes of 1 file. You can redo this under Changes." in window.status.message()
    answer(page.undo, "Undo 1 file")
    assert (sorted(path.name for path in home.iterdir()), offered()) == ([], ("Redo…",))
    assert page.note.text() == "Undone."
    answer(page.redo, "Redo 1 file")
    assert (sorted(path.name for path in home.iterdir()), offered()) == (["b.txt"], ("Undo…", "Redo…"))
    answer(page.redo, "Redo 1 file")
    assert (sorted(path.name for path in home.iterdir()), offered()) == (["a.txt", "b.txt"], ("Undo…",))
    assert page.note.text() == ""
    window.files.look(CHANGES)
    window.files.reload()
    settled()
    rows = [window.files.changes.model.index(row).data(ROW) for row in range(5)]
    assert [row.title.split(":")[0] for row in rows] == ["Redone", "Redone", "Undone", "Undone", "Write the report"]
    assert [row.badges for row in rows] == [(), (), (("redone", "muted"),), (("redone", "muted"),), ()]
