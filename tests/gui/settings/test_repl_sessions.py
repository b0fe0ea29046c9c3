"""The dialog REPL sessions: whose variables are kept, and ending a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from shiboken6 import isValid

from tests.gui.fake_core import make_state
from workbench.errors import WorkbenchError
from workbench.gui.kit.dialogs import Question
from workbench.gui.runs.run_head import RunHead
from workbench.gui.settings.repl_sessions import ReplSessionsDialog, session_row

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


@pytest.fixture
def dialog(window: Any, fake_core: Any, settled: Any) -> Any:
    fake_core.put_states(make_state("analysis"), make_state("editor", "you", busy=True, expires=0.0, programs=1))
    window.commands.do("states.open")
    settled()
    (found,) = window.findChildren(ReplSessionsDialog)
    yield found
    if isValid(found):
        found.reject()


def titles(dialog: Any) -> list[str]:
    return [dialog.list.model.index(row).data() for row in range(dialog.list.model.rowCount())]


def answer(dialog: Any, qtbot: Any, words: str) -> None:
    def asked() -> list[Any]:
        return [found for found in dialog.findChildren(Question) if found.isVisible()]

    qtbot.waitUntil(lambda: bool(asked()))
    button = asked()[0].button(words)
    qtbot.waitUntil(button.isEnabled)
    button.click()


def test_a_row_says_who_keeps_what_how_large_it_is_and_how_long_it_stays() -> None:
    state = make_state("analysis")
    row = session_row(state, state.used + 120)
    assert (row.title, row.aside) == ("analysis", "8:00")
    assert row.detail == "Claude Code · 4 programs · 61 MB · started 1 h ago · last used 2 min ago"
    assert "the process sandbox (native)" in row.tip
    busy = session_row(make_state("x\u202ey", "a\nb", busy=True, programs=1), state.used)
    assert busy.aside == "running"
    assert "\n" not in busy.detail
    assert "\u202e" not in busy.title


@pytest.mark.parametrize("key", [Qt.Key.Key_Down, Qt.Key.Key_Return])
def test_the_only_state_is_reached_with_the_keyboard_alone(dialog: Any, fake_core: Any, qtbot: Any, key: Any) -> None:
    fake_core.put_states(make_state("analysis"))
    qtbot.waitUntil(lambda: dialog.list.model.rowCount() == 1)
    dialog.activateWindow()
    view = dialog.list.view
    view.setFocus()
    view.selectionModel().setCurrentIndex(dialog.list.model.index(0), QItemSelectionModel.SelectionFlag.NoUpdate)
    assert not dialog.button("End…").isEnabled()
    QTest.keyClick(view, key)
    assert dialog.button("End…").isEnabled()
    if key == Qt.Key.Key_Return:
        answer(dialog, qtbot, "Cancel")


def test_ending_a_state_asks_first_and_says_what_is_lost(dialog: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    assert titles(dialog) == ["analysis", "editor"]
    dialog.list.view.setCurrentIndex(dialog.list.model.index(0))
    qtbot.mouseClick(dialog.button("End…"), Qt.MouseButton.LeftButton)
    answer(dialog, qtbot, "Cancel")
    settled()
    assert not [name for name, _ in fake_core.asked if name == "end_state"]
    qtbot.mouseClick(dialog.button("End…"), Qt.MouseButton.LeftButton)
    answer(dialog, qtbot, "End session")
    settled()
    assert ("end_state", ("agent-Cla", "analysis")) in fake_core.asked
    assert titles(dialog) == ["editor"]


def test_a_state_that_is_gone_meanwhile_is_said(dialog: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    async def end_state(session: str, name: str) -> Any:
        raise WorkbenchError("This REPL session has already ended.", "Look at the list again.")

    fake_core.end_state = end_state
    dialog.list.view.setCurrentIndex(dialog.list.model.index(0))
    qtbot.keyClick(dialog.list.view, Qt.Key.Key_Return)
    answer(dialog, qtbot, "End session")
    settled()
    assert "already ended" in dialog.fault.sentence()


def test_what_begins_and_ends_is_seen_at_once(dialog: Any, fake_core: Any, settled: Any) -> None:
    fake_core.put_states()
    settled()
    assert titles(dialog) == []
    assert not dialog.button("End…").isEnabled()
    fake_core.put_states(make_state("later"))
    settled()
    assert titles(dialog) == ["later"]


def test_the_status_bar_counts_them_and_leads_there(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    assert not window.status.states.isVisible()
    fake_core.put_states(make_state("analysis"))
    qtbot.waitUntil(window.status.states.isVisible)
    assert window.status.states.text().strip() == "1 REPL session"
    window.status.states.click()
    settled()
    (found,) = window.findChildren(ReplSessionsDialog)
    found.reject()


def test_a_run_says_which_state_it_goes_on_in(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    window.commands.do("agent.example")
    settled()
    run = fake_core.run_list["run-example"]
    head = RunHead(window.context.theme)
    qtbot.addWidget(head)
    head.show_run(replace(run, proposal=replace(run.proposal, state="analysis")))
    assert "continues “analysis”" in head.facts.text()


def test_the_editor_runs_where_it_stopped(window: Any, fake_core: Any, settled: Any) -> None:
    sent: list[tuple[str, ...]] = []

    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = "", **_: Any
    ) -> Any:
        sent.append((code, state))
        raise WorkbenchError("Not now.", "Later.")

    fake_core.submit = submit
    window.commands.do("editor.go_on")
    settled()
    assert sent == []
    window.centre.editor.current_tab().editor.setPlainText("x = 1")
    window.commands.do("editor.go_on")
    settled()
    window.commands.do("front.start")
    settled()
    assert sent == [("x = 1", "editor"), ("x = 1", "")]
    window.centre.editor.current_tab().run_id = "r7"  # one that waits for an answer
    window.commands.do("editor.go_on")
    settled()
    assert len(sent) == 2
    assert "running already" in window.status.message()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_can_be_looked_at(dialog: Any, window: Any, fake_core: Any, settled: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    fake_core.put_states(
        *fake_core.state_list, make_state("a long name of a state that somebody chose", "Cursor", programs=31)
    )
    settled()
    FOLDER.mkdir(exist_ok=True)
    QTest.qWait(200)
    assert dialog.grab().save(str(FOLDER / f"states-{colours}.png"))
    fake_core.put_states()
    settled()
    QTest.qWait(200)
    assert dialog.grab().save(str(FOLDER / f"states-none-{colours}.png"))
