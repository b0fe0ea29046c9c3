"""Tabs as files, and what one does with the program in front: going, comparing, earlier runs, colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QTabBar

from workbench.events import RunChanged
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.editor.editor_pane import EditorPane
from workbench.gui.kit.picker import Picker
from workbench.records import Finding, Risk, RunState, Span


@pytest.fixture
def pane(context: Any, qtbot: Any) -> EditorPane:
    made = EditorPane(context)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    return made


def _chooser(pane: EditorPane, qtbot: Any) -> Picker:
    qtbot.waitUntil(lambda: any(one.isVisible() for one in pane.findChildren(Picker)))
    return next(one for one in pane.findChildren(Picker) if one.isVisible())


def _tabs(pane: EditorPane) -> list[str]:
    bar = pane.findChild(QTabBar)
    return [bar.tabText(number) for number in range(bar.count())]


def _titles(chooser: Picker) -> list[str]:
    return [str(chooser.model.index(row).data()) for row in range(chooser.model.rowCount())]


def test_a_file_is_opened_changed_saved_renamed_and_opened_once(pane: EditorPane, tmp_path: Path, qtbot: Any) -> None:
    file = tmp_path / "one.py"
    file.write_bytes(b"x = 1\r\n")
    pane.files.open(str(file))
    sheet = pane.current_tab()
    assert (sheet.title, sheet.is_changed(), sheet.language) == ("one.py", False, "python")
    qtbot.keyClicks(sheet.editor, "# ")
    sheet.text_kept.emit()
    assert _tabs(pane) == ["• one.py"]
    pane.save()
    assert file.read_bytes() == b"# x = 1\r\n"
    assert _tabs(pane) == ["one.py"]
    pane.files.rename(sheet, "two.py")
    assert not file.exists()
    assert (tmp_path / "two.py").read_bytes() == b"# x = 1\r\n"
    pane.new_program()
    pane.files.open(str(tmp_path / "two.py"))
    assert len(pane.tabs()) == 2
    assert pane.current_tab() is sheet


def test_a_file_that_somebody_else_changed_is_not_written_over_unasked(
    pane: EditorPane, tmp_path: Path, qtbot: Any
) -> None:
    file = tmp_path / "one.py"
    file.write_text("x = 1\n")
    pane.files.open(str(file))
    qtbot.keyClicks(pane.current_tab().editor, "y")
    file.write_text("theirs\n")
    pane.save()
    assert file.read_text() == "theirs\n"
    overwrite = next(one for one in pane.findChildren(QPushButton) if one.text() == "Overwrite" and one.isVisible())
    qtbot.mouseClick(overwrite, Qt.MouseButton.LeftButton)
    assert file.read_text() == "yx = 1\n"


def test_what_an_editor_cannot_keep_is_opened_as_a_copy(pane: EditorPane, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes("# a\u2028import os\n".encode())
    pane.files.open(str(tmp_path / "odd.py"))
    assert pane.current_tab().text() == "# a‹U+2028›import os\n"
    assert pane.current_tab().file == ""
    fault = pane.files.open(str(tmp_path / "none.py"))
    assert fault is not None
    assert "not a file" in fault.message


def test_tabs_keep_their_order_and_the_one_in_front(pane: EditorPane, context: Any, qtbot: Any) -> None:
    for name in ("a", "b", "c"):
        pane.open_code(name, name)
    pane.tab_bar.setCurrentIndex(0)
    pane.tab_bar.moveTab(0, 1)
    pane.tab_bar.setCurrentIndex(0)
    assert pane.current_tab().title == "b"
    pane.keep()
    again = EditorPane(context)
    qtbot.addWidget(again)
    assert [tab.title for tab in again.tabs()] == ["b", "a", "c"]
    assert again.current_tab().title == "b"


def test_lines_and_symbols_are_gone_to(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("p", "import os\n\ndef one(): pass\n\nclass Two:\n    def three(self): pass\n")
    pane.pickers.go_to_symbol()
    chooser = _chooser(pane, qtbot)
    assert [title.strip() for title in _titles(chooser)] == ["one", "Two", "three"]
    qtbot.keyClicks(chooser.field, "thr")
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    assert pane.current_tab().editor.textCursor().blockNumber() == 5
    pane.pickers.go_to_symbol()
    chooser = _chooser(pane, qtbot)
    qtbot.keyClicks(chooser.field, "2")
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    assert pane.current_tab().editor.textCursor().blockNumber() == 1


def test_a_program_is_compared_with_what_it_was(pane: EditorPane, fake_core: Any, make: Any, qtbot: Any) -> None:
    pane.context.store.handle(RunChanged(make.run("r", RunState.DONE)))
    pane.open_code("other", "a = 2\n")
    pane.open_code("mine", "a = 1\n")
    qtbot.keyClicks(pane.current_tab().editor, "b")
    pane.pickers.compare()
    chooser = _chooser(pane, qtbot)
    assert _titles(chooser) == ["As opened or last saved", "other", "Tell the customer"]
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(pane.window().findChildren(DifferenceDialog)))
    (dialog,) = pane.window().findChildren(DifferenceDialog)
    assert dialog.diff.changed_lines() == ("-a = 1", "+ba = 1")
    dialog.close()


def test_the_program_of_an_earlier_run_opens_as_a_tab(pane: EditorPane, fake_core: Any, make: Any, qtbot: Any) -> None:
    run = make.run("r", RunState.DONE)
    pane.context.store.handle(RunChanged(run))
    pane.pickers.pick_run()
    chooser = _chooser(pane, qtbot)
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.current_tab() is not None)
    assert pane.current_tab().text() == run.proposal.code


def test_what_was_found_before_a_run_is_underlined_and_listed(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    fake_core.checked = (Finding("unknown.parameter", Risk.MEDIUM, "list_orders has no limits.", Span(1, 4, 1, 10)),)
    pane.open_code("p", "x = limits\n")
    qtbot.waitUntil(lambda: len(pane.current_tab().editor.problems()) == 1)
    with qtbot.waitSignal(pane.context.messages.said) as told:
        pane.go_to_problem(1)
    assert "list_orders has no limits." in told.args[0].text
    assert pane.current_tab().editor.textCursor().position() == 4
    pane.pickers.pick_problem()
    chooser = _chooser(pane, qtbot)
    assert chooser.model.rowCount() == 1
    chooser.reject()


def test_escape_keeps_the_colours_of_before(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("p", "x = 1\n")
    pane.pickers.pick_scheme()
    chooser = _chooser(pane, qtbot)
    qtbot.keyClick(chooser.field, Qt.Key.Key_Down)
    assert pane.current_tab().editor.scheme.name != ""
    qtbot.keyClick(chooser.field, Qt.Key.Key_Escape)
    assert pane.current_tab().editor.scheme.name == ""


def test_what_is_not_run_is_read_and_says_so(pane: EditorPane, tmp_path: Path, qtbot: Any) -> None:
    (tmp_path / "a.json").write_text('{"a": }')
    pane.files.open(str(tmp_path / "a.json"))
    qtbot.waitUntil(lambda: "Line 1" in pane.current_tab().strip.sentence())
    assert len(pane.current_tab().editor.problems()) == 1
    with qtbot.waitSignal(pane.context.messages.said) as told:
        pane.run()
    assert "JSON cannot be run" in told.args[0].text


@pytest.mark.parametrize(
    ("language", "typed", "name"),
    [("python", "prog2", "prog2.py"), ("typescript", "prog2", "prog2.ts"), ("python", "notes.txt", "notes.txt")],
)
def test_a_file_name_without_a_suffix_gets_that_of_its_language(
    pane: EditorPane, tmp_path: Path, qtbot: Any, language: str, typed: str, name: str
) -> None:
    pane.open_code("Count", "1", language=language)
    pane.save()
    dialog = pane.findChild(QFileDialog)
    dialog.setDirectory(str(tmp_path))
    field = dialog.findChild(QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil((tmp_path / name).exists)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(typed)] == [name]
    assert pane.current_tab().title == name
