"""Completion in a real editor: names appear while the user types, and keys or a click insert them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QTextCursor
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import Problem
from workbench.gui.code.colour_schemes import EditorAppearance
from workbench.gui.code.completion import CodeCompletion, candidate_rows, rank_candidates
from workbench.gui.code.program_editor import ProgramEditor
from workbench.gui.kit.layouts import column
from workbench.records import CallShape, Candidate, Explanation


@pytest.fixture
def editor(theme: Any, qtbot: Any, tmp_path: Path) -> ProgramEditor:
    made = ProgramEditor(theme, EditorAppearance(theme, tmp_path / "looks"))
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    made.setFocus()
    qtbot.waitUntil(made.hasFocus)
    return made


@pytest.fixture
def completion(context: Any, editor: ProgramEditor, fake_core: Any) -> Any:
    names = ("list_orders", "list_customers", "limit", "send_email")
    fake_core.candidates = tuple(Candidate(name, "function", 0) for name in names)
    made = CodeCompletion(context, editor)
    yield made
    made.close()


def test_letters_bring_names_and_enter_inserts_one(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any
) -> None:
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(lambda: completion.names() == ["list_orders", "list_customers", "limit"])
    qtbot.keyClicks(completion.popup, "st")
    assert completion.names() == ["list_orders", "list_customers"]
    assert editor.text() == "list"
    assert fake_core.completions <= 2  # further letters of the same word need no request
    qtbot.keyClick(completion.popup, Qt.Key.Key_Down)
    qtbot.keyClick(completion.popup, Qt.Key.Key_Return)
    assert editor.text() == "list_customers"
    assert not completion.popup.isVisible()
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert editor.text() == "list_customers\n"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
def test_the_first_name_is_current(completion: CodeCompletion, editor: Any, qtbot: Any, key: Qt.Key) -> None:
    qtbot.keyClicks(editor, "se")
    qtbot.waitUntil(completion.popup.isVisible)
    qtbot.keyClick(completion.popup, key)
    assert editor.text() == "send_email"
    editor.undo()
    assert editor.text() == "se"


def test_parameters_come_first_and_builtins_last() -> None:
    kinds = {"license": "instance", "list": "class", "library": "module", "limit=": "param", "lines": "statement"}
    candidates = [Candidate(name, kind, 2) for name, kind in kinds.items()]
    ranked = [candidate.name for candidate in rank_candidates(candidates, "li")]
    assert ranked == ["limit=", "lines", "library", "license", "list"]
    members = [Candidate(name, "function", 0) for name in ("format", "find")]
    assert [candidate.name for candidate in rank_candidates(members, "f", members=True)] == ["format", "find"]


def test_a_click_inserts_a_name(completion: CodeCompletion, editor: Any, qtbot: Any) -> None:
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(completion.popup.isVisible)
    place = completion.popup.visualRect(completion.popup.model().index(2, 0)).center()
    qtbot.mouseClick(completion.popup.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert editor.text() == "limit"


def test_a_late_answer_opens_no_list_where_the_letters_are_deleted(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any
) -> None:
    answered, candidates = asyncio.Event(), fake_core.candidates

    async def complete_code(code: str, line: int, column: int) -> Any:
        steps.append(code)
        await answered.wait()
        steps.append("answered")
        return candidates

    steps: list[str] = []
    fake_core.complete_code = complete_code
    qtbot.keyClicks(editor, "l")
    qtbot.waitUntil(lambda: steps == ["l"])
    qtbot.keyClick(editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(editor, Qt.Key.Key_Delete)
    answered.set()
    qtbot.waitUntil(lambda: steps == ["l", "answered"])
    QApplication.processEvents()
    assert not completion.is_open()
    qtbot.keyClicks(editor, "l")
    qtbot.waitUntil(completion.is_open)


def test_a_click_on_a_button_beside_the_list_presses_it(theme: Any, context: Any, qtbot: Any, tmp_path: Path) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    editor = ProgramEditor(theme, EditorAppearance(theme, tmp_path / "looks"))
    button, pressed = QPushButton("Run"), []
    button.clicked.connect(lambda: pressed.append(True))
    column(window, button, editor, grows=editor)
    window.resize(700, 400)
    window.show()
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus)
    context.api.candidates = (Candidate("list_orders", "function", 0), Candidate("limit", "function", 0))
    completion = CodeCompletion(context, editor)
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(completion.is_open)
    place = completion.popup.mapFromGlobal(button.mapToGlobal(button.rect().center()))
    qtbot.mousePress(completion.popup, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: pressed == [True])
    assert not completion.is_open()
    completion.close()


def test_escape_closes_and_the_next_tab_is_a_tab(completion: CodeCompletion, editor: Any, qtbot: Any) -> None:
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(completion.popup.isVisible)
    qtbot.keyClick(completion.popup, Qt.Key.Key_Escape)
    assert not completion.popup.isVisible()
    assert editor.text() == "li"
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.text() == "li  "


def test_shortcuts_of_the_window_work_while_the_list_is_open(
    completion: CodeCompletion, editor: Any, qtbot: Any
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(editor)
    action = QAction("Save", window)
    action.setShortcut("Ctrl+S")
    window.addAction(action)
    window.show()
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus)
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(completion.popup.isVisible)
    with qtbot.waitSignal(action.triggered):
        qtbot.keyClick(completion.popup, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "li"
    completion.close()
    window.takeCentralWidget()


def test_tools_say_what_they_do(
    completion: CodeCompletion, editor: Any, context: Any, fake_core: Any, qtbot: Any
) -> None:
    context.store.tools = {"demo": tuple(fake_core.tool_list)}
    fake_core.candidates = (Candidate("list_orders", "module", 0), Candidate("limit", "statement", 0))
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(completion.popup.isVisible)
    tool = {tool.name: tool for tool in fake_core.tool_list}["list_orders"]
    rows = candidate_rows(fake_core.candidates, {"list_orders": tool})
    assert [row.aside for row in rows] == ["tool · reads · Lists orders, newest first.", "statement"]
    spoken = completion.popup.model().index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "list_orders, tool · reads · Lists orders, newest first."
    changed = replace(tool, summary="x" * 200)
    assert len(candidate_rows(fake_core.candidates, {"list_orders": changed})[0].aside) < 60


def test_nothing_is_completed_in_strings_comments_and_other_languages(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any, context: Any
) -> None:
    editor.set_text("# ab")
    editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(editor, "c")
    editor.set_text("")
    editor.set_language("json")
    qtbot.keyClicks(editor, "li")
    completion.complete()
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert fake_core.completions == 0


def test_a_key_with_ctrl_types_nothing_and_completes_nothing(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any, context: Any
) -> None:
    qtbot.keyClick(editor, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert (editor.text(), fake_core.completions) == ("", 0)


def test_typing_goes_on_when_the_core_cannot_complete(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any
) -> None:
    async def complete_code(code: str, line: int, column: int) -> Any:
        raise WorkbenchError("Completion did not finish for this program.")

    fake_core.complete_code = complete_code
    qtbot.keyClicks(editor, "li")
    completion.complete()
    qtbot.waitUntil(lambda: completion.card.text() == "No names fit here.")
    assert editor.text() == "li"


def test_the_call_shows_the_current_parameter(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.shapes = (CallShape("send_email", ("to: str", "body: str"), 1, "Sends an e-mail.\nTo one person."),)
    qtbot.keyClicks(editor, "f(1,")
    qtbot.waitUntil(lambda: "▸body: str◂" in completion.card.text())
    assert "Sends an e-mail." in completion.card.text()
    fake_core.shapes = ()
    qtbot.keyClicks(editor, ")")
    qtbot.waitUntil(lambda: not completion.card.isVisible())


def test_parameter_help_is_above_the_line_and_never_over_the_list(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.shapes = (CallShape("send_email", ("to: str",), 0, "Sends an e-mail.\n" * 6),)
    editor.set_text("\n" * 8 + "f(")
    editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(editor, "li")
    completion.show_call()
    qtbot.waitUntil(lambda: completion.popup.isVisible() and completion.card.isVisible())
    line = editor.viewport().mapTo(editor.window(), editor.cursorRect().topLeft())
    assert completion.card.geometry().bottom() <= line.y()
    top = completion.popup.mapToGlobal(completion.popup.rect().topLeft())
    assert editor.window().mapFromGlobal(top).y() >= line.y()
    assert "li" in editor.text(), "the help does not close the list"


def test_a_name_is_explained_with_the_problems_there(
    completion: CodeCompletion, editor: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.explanation = Explanation("os.system", "system(command)\n\nRuns a command.")
    editor.set_text("os.system('x')\n😀 = 1")
    editor.show_problems([Problem(1, 3, 1, 9, "High risk: Starts a program.", "danger")])
    editor.go_to(1, 5)
    completion.explain()
    qtbot.waitUntil(lambda: "Starts a program." in completion.card.text())
    assert "Runs a command." in completion.card.text()


def test_problems_are_visited_in_turn(editor: ProgramEditor) -> None:
    editor.set_text("a\nb 😀 bad\nc\nd")
    problems = [Problem(2, 4, 2, 7, "second", "danger"), Problem(3, 0, 0, 0, "third", "info")]
    editor.show_problems([*problems, Problem(99, 0, 0, 0, "beyond the end", "info")])
    assert "bad" in [one.cursor.selectedText() for one in editor.extraSelections()]
    forward = ["second", "third", "beyond the end", "second"]
    assert [editor.next_problem(1) for _ in forward] == forward
    back = ["beyond the end", "third", "second"]
    assert [editor.next_problem(-1) for _ in back] == back
    editor.show_problems([])
    assert editor.next_problem(1) == ""


def test_escape_then_tab_leaves_the_editor(editor: ProgramEditor, qtbot: Any) -> None:
    editor.set_text("x")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.text() == "x"


def test_the_context_menu_ends_with_the_actions_of_the_pane(editor: ProgramEditor, qtbot: Any) -> None:
    editor.menu_actions = [QAction("Explain the name", editor)]
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton)
    from PySide6.QtGui import QContextMenuEvent
    from PySide6.QtWidgets import QApplication

    place = editor.viewport().rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, editor.mapToGlobal(place))
    QApplication.sendEvent(editor.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert menu.actions()[-1].text() == "Explain the name"
    menu.close()


def test_font_size_and_scheme_are_stored(theme: Any, tmp_path: Path, qtbot: Any) -> None:
    appearance = EditorAppearance(theme, tmp_path / "looks")
    editor = ProgramEditor(theme, appearance)
    qtbot.addWidget(editor)
    before = editor.font().pointSize()
    appearance.zoom(1)
    appearance.zoom(1)
    appearance.choose_scheme("monokai")
    assert editor.font().pointSize() == before + 2
    assert editor.scheme.name == "monokai"
    again = EditorAppearance(theme, tmp_path / "looks")
    assert (again.zoom_steps, again.scheme_name) == (2, "monokai")
    again.zoom(99)
    assert again.zoom_steps == 20
    again.zoom(0)
    assert again.zoom_steps == 0
