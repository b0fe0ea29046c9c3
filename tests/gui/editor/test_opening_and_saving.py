"""Tabs as files, and what one does with the program in front: going, comparing, earlier runs, colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from workbench.gui.code.chooser import Chooser
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.editor.editor_pane import EditorPane
from workbench.records import Finding, Risk, RunState, Span


@pytest.fixture
def pane(context: Any, qtbot: Any) -> EditorPane:
    made = EditorPane(context)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    return made


def _chooser(pane: EditorPane, qtbot: Any) -> Chooser:
    qtbot.waitUntil(lambda: any(one.isVisible() for one in pane.findChildren(Chooser)))
    return next(one for one in pane.findChildren(Chooser) if one.isVisible())


def _titles(chooser: Chooser) -> list[str]:
    return [str(chooser.model.index(row).data()) for row in range(chooser.model.rowCount())]


def test_a_file_is_opened_changed_saved_renamed_and_opened_once(pane: EditorPane, tmp_path: Path, qtbot: Any) -> None:
    file = tmp_path / "one.py"
    file.write_bytes(b"x = 1\r\n")
    pane.filing.open(str(file))
    sheet = pane.sheet()
    assert (sheet.title, sheet.touched(), sheet.language) == ("one.py", False, "python")
    qtbot.keyClicks(sheet.editor, "# ")
    sheet.kept.emit()
    assert pane._tabs.tabText(0) == "• one.py"
    pane.save()
    assert file.read_bytes() == b"# x = 1\r\n"
    assert pane._tabs.tabText(0) == "one.py"
    pane.filing.rename(sheet, "two.py")
    assert not file.exists()
    assert (tmp_path / "two.py").read_bytes() == b"# x = 1\r\n"
    pane.new_program()
    pane.filing.open(str(tmp_path / "two.py"))
    assert pane._tabs.count() == 2
    assert pane.sheet() is sheet


def test_a_file_that_somebody_else_changed_is_not_written_over_unasked(
    pane: EditorPane, tmp_path: Path, qtbot: Any
) -> None:
    file = tmp_path / "one.py"
    file.write_text("x = 1\n")
    pane.filing.open(str(file))
    qtbot.keyClicks(pane.sheet().editor, "y")
    file.write_text("theirs\n")
    pane.save()
    assert file.read_text() == "theirs\n"
    assert pane._ask.isVisible()
    next(one for one in pane._ask.findChildren(QPushButton) if one.text() == "Write over it").click()
    assert file.read_text() == "yx = 1\n"


def test_what_an_editor_cannot_keep_is_opened_as_a_copy(pane: EditorPane, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes("# a\u2028import os\n".encode())
    pane.filing.open(str(tmp_path / "odd.py"))
    assert pane.sheet().text() == "# a‹U+2028›import os\n"
    assert pane.sheet().file == ""
    fault = pane.filing.open(str(tmp_path / "none.py"))
    assert fault is not None
    assert "not a file" in fault.message


def test_tabs_keep_their_order_and_the_one_in_front(pane: EditorPane, context: Any, qtbot: Any) -> None:
    for name in ("a", "b", "c"):
        pane.open_code(name, name)
    pane.step(1)
    assert pane.sheet().title == "a"
    pane.move_tab(1)
    pane.step(-1)
    assert pane.sheet().title == "b"
    pane.keep()
    again = EditorPane(context)
    qtbot.addWidget(again)
    assert [again._sheet(at).title for at in range(3)] == ["b", "a", "c"]
    assert again.sheet().title == "b"


def test_lines_and_symbols_are_gone_to(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("p", "import os\n\ndef one(): pass\n\nclass Two:\n    def three(self): pass\n")
    pane.deeds.go_to()
    chooser = _chooser(pane, qtbot)
    assert [title.strip() for title in _titles(chooser)] == ["one", "Two", "three"]
    qtbot.keyClicks(chooser.field, "thr")
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    assert pane.sheet().editor.textCursor().blockNumber() == 5
    pane.deeds.go_to()
    chooser = _chooser(pane, qtbot)
    qtbot.keyClicks(chooser.field, "2")
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    assert pane.sheet().editor.textCursor().blockNumber() == 1


def test_a_program_is_compared_with_what_it_was(pane: EditorPane, paper: Any, make: Any, qtbot: Any) -> None:
    paper.run_list["r"] = make.run("r", RunState.DONE)
    pane.open_code("other", "a = 2\n")
    pane.open_code("mine", "a = 1\n")
    qtbot.keyClicks(pane.sheet().editor, "b")
    pane.deeds.compare()
    chooser = _chooser(pane, qtbot)
    assert _titles(chooser) == ["As it was opened or saved last", "other", "Tell the customer"]
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(pane.window().findChildren(DifferenceDialog)))
    (dialog,) = pane.window().findChildren(DifferenceDialog)
    assert dialog.diff.changed_lines() == ("-a = 1", "+ba = 1")
    dialog.close()


def test_the_program_of_an_earlier_run_opens_as_a_tab(pane: EditorPane, paper: Any, make: Any, qtbot: Any) -> None:
    run = make.run("r", RunState.DONE)
    paper.run_list["r"] = run
    pane.deeds.earlier_runs()
    chooser = _chooser(pane, qtbot)
    qtbot.keyClick(chooser.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.sheet() is not None)
    assert pane.sheet().text() == run.proposal.code


def test_what_was_found_before_a_run_is_underlined_and_listed(pane: EditorPane, paper: Any, qtbot: Any) -> None:
    paper.checked = (Finding("unknown.parameter", Risk.MEDIUM, "list_orders has no limits.", Span(1, 4, 1, 10)),)
    pane.open_code("p", "x = limits\n")
    qtbot.waitUntil(lambda: len(pane.sheet().editor.problems()) == 1)
    with qtbot.waitSignal(pane.context.messages.said) as told:
        pane.deeds.problem(1)
    assert "list_orders has no limits." in told.args[0].text
    assert pane.sheet().editor.textCursor().position() == 4
    pane.deeds.all_problems()
    chooser = _chooser(pane, qtbot)
    assert chooser.model.rowCount() == 1
    chooser.reject()


def test_escape_keeps_the_colours_of_before(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("p", "x = 1\n")
    pane.deeds.choose_scheme()
    chooser = _chooser(pane, qtbot)
    qtbot.keyClick(chooser.field, Qt.Key.Key_Down)
    assert pane.sheet().editor.scheme.name != ""
    qtbot.keyClick(chooser.field, Qt.Key.Key_Escape)
    assert pane.sheet().editor.scheme.name == ""


def test_what_is_not_run_is_read_and_says_so(pane: EditorPane, tmp_path: Path, qtbot: Any) -> None:
    (tmp_path / "a.json").write_text('{"a": }')
    pane.filing.open(str(tmp_path / "a.json"))
    qtbot.waitUntil(lambda: "Line 1" in pane.sheet().strip.sentence())
    assert len(pane.sheet().editor.problems()) == 1
    with qtbot.waitSignal(pane.context.messages.said) as told:
        pane.run()
    assert "JSON is not run" in told.args[0].text
