from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from workbench.gui.kit.faults import Question
from workbench.gui.shell.navigation import KeepSkill, ShowSkill
from workbench.gui.skills.keep_skill import KeepDialog
from workbench.gui.skills.new_skill import NewSkillDialog


@pytest.fixture
def wishes(window: Any) -> list[Any]:
    found: list[Any] = []
    requested = window.context.messages.requested
    requested.disconnect()  # only the request is looked at here, not what the window does with it
    requested.connect(found.append)
    return found


def choose(window: Any, name: str) -> None:
    window.docks["skills"].come()
    window.skills.list.setCurrentIndex(window.skills.model.find(name))


def test_a_draft_can_be_kept_and_a_kept_skill_retired(window: Any, wishes: list[Any]) -> None:
    choose(window, "first_try")
    assert window.commands["skill.keep"].isEnabled()
    assert not window.commands["skill.retire"].isEnabled()
    window.commands.do("skill.keep")
    choose(window, "weekly_report")
    assert not window.commands["skill.keep"].isEnabled()
    assert window.commands["skill.retire"].isEnabled()
    window.commands.do("skill.open")
    assert wishes == [KeepSkill("first_try"), ShowSkill("weekly_report")]


def test_retiring_asks_first_and_hides_the_skill(window: Any, paper: Any, qtbot: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    window.commands.do("skill.retire")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    buttons = window.findChild(Question).findChildren(QPushButton)
    next(button for button in buttons if button.text() == "Retire the skill").click()
    qtbot.waitUntil(lambda: not window.skills.model.find("weekly_report").isValid())
    window.commands.do("skills.retired")
    assert window.skills.model.find("weekly_report").isValid()


def test_opening_a_skill_shows_its_program_in_the_editor(window: Any, paper: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    window.commands.do("skill.open")
    settled()
    assert window.centre.currentWidget() is window.centre.editor
    assert window.centre.editor.sheet().text() == paper.skill_list["weekly_report"].code


def test_a_click_on_a_skill_is_enough_to_retire_it(window: Any, wishes: list[Any], qtbot: Any) -> None:
    window.docks["skills"].come()
    skills = window.skills.list
    place = skills.visualRect(window.skills.model.find("weekly_report")).center()
    qtbot.mouseClick(skills.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.commands["skill.retire"].isEnabled()


def test_enter_presses_the_answer_that_has_the_keyboard(window: Any, paper: Any, qtbot: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    window.commands.do("skill.retire")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    buttons = window.findChild(Question).findChildren(QPushButton)
    yes = next(button for button in buttons if button.text() == "Retire the skill")
    yes.setFocus()
    qtbot.keyClick(yes, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.skills.model.find("weekly_report").isValid())


def test_a_skill_is_begun_by_its_name_checked_as_typed_and_opens_in_the_editor(
    window: Any, paper: Any, qtbot: Any, settled: Any
) -> None:
    window.commands.do("skill.new")
    dialog = window.findChild(NewSkillDialog)
    settled()
    QTest.keyClicks(dialog.name, "Late Orders")
    assert "Small letters" in dialog._name_fault.text()
    dialog.name.setText("weekly_report".replace("_", "-"))
    assert not dialog._name_fault.text()
    paper.skill_list["late-orders"] = paper.skill_list["first_try"]
    dialog._know((replace(paper.skill_list["first_try"], name="late-orders"),))
    dialog.name.setText("late-orders")
    assert "already" in dialog._name_fault.text()
    assert not dialog.button.isEnabled()
    dialog.name.setText("late-mails")
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.description, "Finds late mails.")
    assert dialog.button.isEnabled()
    dialog.button.click()
    qtbot.waitUntil(lambda: window.centre.currentWidget() is window.centre.editor)
    assert ("new_skill", ("late-mails", "Finds late mails.")) in paper.asked
    assert window.centre.editor.sheet().skill == "late-mails"
    window.centre.editor.keep_as_skill()
    qtbot.waitUntil(lambda: window.findChild(KeepDialog) is not None)
    keep = window.findChild(KeepDialog)
    assert (keep.name.text(), keep.words()) == ("late-mails", "Finds late mails.")
    keep.done(0)


def test_the_filter_leads_into_the_list_by_keyboard(window: Any, qtbot: Any, settled: Any) -> None:
    window.docks["skills"].come()
    settled()
    pane = window.skills
    pane.finder.setFocus()
    qtbot.keyClick(pane.finder, Qt.Key.Key_Down)
    assert pane.list.hasFocus()
    first = pane.list.key()
    assert first
    pane.finder.setFocus()
    qtbot.keyClicks(pane.finder, "weekly")
    settled()
    qtbot.keyClick(pane.finder, Qt.Key.Key_Return)
    settled()
    assert window.centre.tabText(window.centre.currentIndex()) == "weekly_report"
    qtbot.keyClick(pane.finder, Qt.Key.Key_Escape)
    assert not pane.finder.text()
