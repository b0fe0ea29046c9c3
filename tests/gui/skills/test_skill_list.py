from __future__ import annotations

import hashlib
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QToolButton

from workbench.events import SkillsChanged, ToolsChanged
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.rows import ROW
from workbench.gui.shell.navigation import KeepSkill, ShowSkill
from workbench.gui.skills.keep_skill import KeepDialog
from workbench.gui.skills.new_skill import NewSkillDialog
from workbench.records import SkillState


@pytest.fixture
def requests(window: Any) -> list[Any]:
    found: list[Any] = []
    requested = window.context.messages.requested
    requested.disconnect()  # only the request is looked at here, not what the window does with it
    requested.connect(found.append)
    return found


def choose(window: Any, name: str) -> None:
    window.docks["skills"].come()
    window.skills.list.setCurrentIndex(window.skills.model.find(name))


def test_a_draft_can_be_kept_and_a_kept_skill_retired(window: Any, requests: list[Any]) -> None:
    choose(window, "first_try")
    assert window.commands["skill.keep"].isEnabled()
    assert window.commands["skill.discard"].isEnabled()
    assert not window.commands["skill.retire"].isEnabled()
    window.commands.do("skill.keep")
    choose(window, "weekly_report")
    assert not window.commands["skill.keep"].isEnabled()
    assert window.commands["skill.retire"].isEnabled()
    assert not window.commands["skill.discard"].isEnabled()
    window.commands.do("skill.open")
    assert requests == [KeepSkill("first_try"), ShowSkill("weekly_report", "code")]


def test_retiring_asks_first_and_hides_the_skill(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    window.commands.do("skill.retire")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    buttons = window.findChild(Question).findChildren(QPushButton)
    next(button for button in buttons if button.text() == "Retire").click()
    qtbot.waitUntil(lambda: not window.skills.model.find("weekly_report").isValid())
    window.commands.do("skills.retired")
    assert window.skills.model.find("weekly_report").isValid()


def test_a_draft_is_discarded_from_its_menu_after_a_question(
    window: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    choose(window, "first_try")
    skills = window.skills.list
    skills.customContextMenuRequested.emit(skills.visualRect(window.skills.model.find("first_try")).center())
    menu = next(menu for menu in window.skills.rows.findChildren(QMenu) if menu.isVisible())
    next(action for action in menu.actions() if action.text() == "Discard draft…").trigger()
    menu.close()
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    labels = window.findChild(Question).findChildren(QLabel)
    texts = [label.text().replace("\u200b", "") for label in labels]  # without marks where a path may be broken
    assert any("drafts/.retired" in text for text in texts), texts
    press(window.findChild(Question), "Discard")
    qtbot.waitUntil(lambda: not window.skills.model.find("first_try").isValid())
    assert ("discard_draft", ("first_try",)) in fake_core.asked


def test_the_draft_of_a_kept_skill_is_discarded_and_the_skill_stays(
    window: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    kept = fake_core.skill_list["weekly_report"]
    fake_core.draft_list["weekly_report"] = replace(kept, state=SkillState.DRAFT, sha="f" * 64)
    fake_core.bus.tell(SkillsChanged("weekly_report"))
    qtbot.waitUntil(lambda: choose(window, "weekly_report") or window.commands["skill.discard"].isEnabled())
    window.commands.do("skill.discard")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    press(window.findChild(Question), "Discard")
    qtbot.waitUntil(lambda: not window.commands["skill.discard"].isEnabled())
    assert window.commands["skill.retire"].isEnabled()


def test_the_page_of_a_draft_offers_to_discard_it(window: Any, qtbot: Any, settled: Any, press: Any) -> None:
    window.context.go(ShowSkill("first_try"))
    settled()
    buttons = window.centre.skill.findChildren(QToolButton)
    button = next(one for one in buttons if one.accessibleName() == "Discard draft…")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    assert window.findChild(Question).windowTitle() == "Discard the draft first_try?"
    window.findChild(Question).reject()


@pytest.mark.parametrize(("height", "shown"), [(520, (False, False)), (640, (True, False)), (900, (True, True))])
def test_the_page_of_a_skill_fits_a_low_window(
    window: Any, fake_core: Any, settled: Any, make: Any, height: int, shown: tuple[bool, bool]
) -> None:
    fake_core.put_run(make.run("waits"))
    skill = fake_core.skill_list["weekly_report"]
    changed = replace(
        skill, description="Sums up the week for everybody. " * 30, missing=("demo.a",), tools=("demo.b",)
    )
    fake_core.skill_list["weekly_report"] = changed
    window.reset_layout()
    window.resize(960 if height < 900 else 1440, height)
    window.context.go(ShowSkill("weekly_report"))
    settled()
    page = window.centre.skill
    assert window.height() == height
    assert (page.facts.parentWidget().isVisible(), page.facts.isVisible()) == shown
    assert page.tabs.mapTo(page, page.tabs.rect().bottomLeft()).y() < page.height()
    assert page.about.height() > 60


def test_a_missing_tool_is_missing_only_until_its_server_is_connected(
    window: Any, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    skill = fake_core.skill_list["weekly_report"]
    fake_core.skill_list["weekly_report"] = replace(skill, missing=("demo.a",))
    fake_core.bus.tell(SkillsChanged("weekly_report"))

    def badges() -> str:
        return str(window.skills.model.find("weekly_report").data(ROW).badges)

    qtbot.waitUntil(lambda: "tool missing" in badges())
    fake_core.skill_list["weekly_report"] = skill
    fake_core.bus.tell(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: "tool missing" not in badges())


def test_opening_a_skill_shows_its_program_in_the_editor(window: Any, fake_core: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    window.commands.do("skill.open")
    settled()
    assert window.centre.currentWidget() is window.centre.editor
    assert window.centre.editor.current_tab().text() == fake_core.skill_list["weekly_report"].code


def test_a_click_on_a_skill_is_enough_to_retire_it(window: Any, requests: list[Any], qtbot: Any) -> None:
    window.docks["skills"].come()
    skills = window.skills.list
    place = skills.visualRect(window.skills.model.find("weekly_report")).center()
    qtbot.mouseClick(skills.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.commands["skill.retire"].isEnabled()


def test_enter_presses_the_answer_that_has_the_keyboard(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    window.commands.do("skill.retire")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    buttons = window.findChild(Question).findChildren(QPushButton)
    yes = next(button for button in buttons if button.text() == "Retire")
    yes.setFocus()
    qtbot.keyClick(yes, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.skills.model.find("weekly_report").isValid())


def test_a_skill_is_begun_by_its_name_checked_as_typed_and_opens_in_the_editor(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    window.commands.do("skill.new")
    dialog = window.findChild(NewSkillDialog)
    settled()
    QTest.keyClicks(dialog.fields.name, "Late Orders")
    assert "lowercase" in dialog.fields.name_problem.text()
    dialog.fields.name.setText("weekly_report".replace("_", "-"))
    assert not dialog.fields.name_problem.text()
    fake_core.skill_list["late-orders"] = replace(fake_core.skill_list["first_try"], name="late-orders")
    window.context.store.handle(SkillsChanged("late-orders"))
    qtbot.waitUntil(lambda: "late-orders" in {skill.name for skill in window.context.store.skills})
    dialog.fields.name.setText("late-orders")
    assert "already" in dialog.fields.name_problem.text()
    assert not dialog.button("Create draft").isEnabled()
    dialog.fields.name.setText("late-mails")
    QTest.keyClick(dialog.fields.name, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.fields.description, "Finds late mails.")
    assert dialog.button("Create draft").isEnabled()
    dialog.button("Create draft").click()
    qtbot.waitUntil(lambda: window.centre.currentWidget() is window.centre.editor)
    assert ("new_skill", ("late-mails", "Finds late mails.")) in fake_core.asked
    assert window.centre.editor.current_tab().skill == "late-mails"
    window.centre.editor.keep_as_skill()
    qtbot.waitUntil(lambda: window.findChild(KeepDialog) is not None)
    keep = window.findChild(KeepDialog)
    assert (keep.fields.name.text(), keep.fields.description_text()) == ("late-mails", "Finds late mails.")
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


def test_a_draft_of_an_agent_is_announced_with_its_author(window: Any, fake_core: Any, settled: Any) -> None:
    messages: list[str] = []
    window.context.messages.said.connect(lambda message: messages.append(message.text))
    draft = replace(fake_core.skill_list["first_try"], name="mail-report", author="Claude Code", sha="f" * 64)
    fake_core.skill_list["mail-report"] = draft
    window.context.store.handle(SkillsChanged("mail-report"))
    settled()
    assert messages == ["Claude Code saved mail-report as a draft. Review it in Skills."]
    row = window.skills.model.find("mail-report").data(ROW)
    assert ("by Claude Code", "info") in row.badges
    assert window.docks["skills"].windowTitle() == "Skills · 1"
    window.context.store.handle(SkillsChanged("mail-report"))
    settled()
    assert len(messages) == 1


def test_a_row_says_the_risk_while_the_list_is_visible(window: Any, qtbot: Any) -> None:
    window.docks["skills"].come()
    model = window.skills.model
    qtbot.waitUntil(lambda: ("Low risk", "success") in model.find("weekly_report").data(ROW).badges)
    assert model.find("weekly_report").data(ROW).detail == "Sums up the week."


def test_the_menu_of_a_skill_has_the_actions_of_its_state(window: Any, requests: list[Any], qtbot: Any) -> None:
    choose(window, "weekly_report")
    skills = window.skills.list
    place = skills.visualRect(window.skills.model.find("weekly_report")).center()
    skills.customContextMenuRequested.emit(place)
    menu = next(menu for menu in window.skills.rows.findChildren(QMenu) if menu.isVisible())
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert {"Run skill…", "Test skill", "Show versions", "Export skill…", "Retire skill…"} <= actions.keys()
    assert "Keep draft…" not in actions
    actions["Show versions"].trigger()
    assert requests == [ShowSkill("weekly_report", "versions")]
    menu.close()


def test_an_earlier_version_is_kept_again_as_a_new_one(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    kept, code = fake_core.skill_list["weekly_report"], "print('first')\n"
    sha = hashlib.sha256(code.encode()).hexdigest()
    fake_core.skill_versions = (replace(kept, version=1, code=code, sha=sha),)
    window.context.go(ShowSkill("weekly_report", "versions"))
    settled()
    page = window.centre.skill
    assert page.tabs.currentWidget() is page.versions
    qtbot.waitUntil(lambda: bool(page.versions.diff.changed_lines()))
    assert page.versions.restore.text() == "Restore version 1…"
    qtbot.mouseClick(page.versions.restore, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(KeepDialog) is not None)
    dialog = window.findChild(KeepDialog)
    assert dialog.program.text() == "print('first')\n"
    qtbot.waitUntil(lambda: dialog.windowTitle() == "Restore version 1 of weekly_report")
    dialog.done(0)


def test_restoring_a_version_asks_before_it_replaces_a_draft(
    window: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    kept = fake_core.skill_list["weekly_report"]
    fake_core.skill_versions = (replace(kept, version=1, code="print('first')\n", sha="a" * 64),)
    fake_core.draft_list["weekly_report"] = replace(kept, state=SkillState.DRAFT, version=0, sha="9" * 64)
    window.context.go(ShowSkill("weekly_report", "versions"))
    settled()
    page = window.centre.skill.versions
    page.before.setCurrentIndex(0)
    qtbot.waitUntil(page.restore.isEnabled)
    qtbot.mouseClick(page.restore, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    question = window.findChild(Question)
    assert window.findChild(KeepDialog) is None
    press(question, "Replace the draft")
    qtbot.waitUntil(lambda: window.findChild(KeepDialog) is not None)
    window.findChild(KeepDialog).done(0)


def test_a_page_whose_skill_is_filtered_out_selects_it(window: Any, fake_core: Any, settled: Any) -> None:
    window.skills.finder.setText("nothing like it")
    settled()
    window.context.go(ShowSkill("old_one"))
    settled()
    assert window.skills.selected_name() == "old_one"
    assert window.commands["skill.back"].isEnabled()


def test_the_tests_of_a_skill_that_is_not_open_yet_are_played(window: Any, fake_core: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    window.commands.do("skill.test")
    settled()
    assert window.centre.skill.tabs.currentWidget() is window.centre.skill.tests
    assert ("test_skill", ("weekly_report", False)) in fake_core.asked


@pytest.fixture
def redrafted(window: Any, fake_core: Any, qtbot: Any) -> Any:
    """A kept skill that an agent drafted the next version of."""
    kept = fake_core.skill_list["weekly_report"]
    draft = replace(kept, state=SkillState.DRAFT, version=0, code="print('next')\n", sha="9" * 64, author="Claude Code")
    fake_core.draft_list["weekly_report"] = draft
    window.context.store.handle(SkillsChanged("weekly_report"))
    qtbot.waitUntil(lambda: draft in window.context.store.skills)
    return draft


def test_a_kept_skill_with_a_draft_is_listed_once_as_kept_with_a_mark(window: Any, redrafted: Any) -> None:
    rows = [window.skills.model.index(row).data(ROW) for row in range(window.skills.model.rowCount())]
    assert [(row.key, row.aside) for row in rows if row.section] == [("section:draft", "1"), ("section:kept", "1")]
    assert [row.key for row in rows if not row.section] == ["first_try", "weekly_report"]
    assert {("draft", "warning"), ("by Claude Code", "info")} <= set(rows[-1].badges)
    assert window.docks["skills"].windowTitle() == "Skills · 1"


def test_the_draft_of_a_kept_skill_is_edited_and_kept(window: Any, redrafted: Any, qtbot: Any, settled: Any) -> None:
    choose(window, "weekly_report")
    assert window.commands["skill.keep"].isEnabled()
    assert window.commands["skill.retire"].isEnabled()
    window.commands.do("skill.open")
    qtbot.waitUntil(lambda: window.centre.currentWidget() is window.centre.editor)
    assert window.centre.editor.current_tab().text() == redrafted.code
    window.commands.do("skill.keep")
    qtbot.waitUntil(lambda: window.findChild(KeepDialog) is not None)
    dialog = window.findChild(KeepDialog)
    qtbot.waitUntil(lambda: dialog.program.text() == redrafted.code)
    assert "Nothing has changed" not in dialog.button("Keep").toolTip()
    dialog.done(0)


def test_a_retired_skill_stays_in_the_list_beside_a_new_draft_of_its_name(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.draft_list["old_one"] = replace(fake_core.skill_list["old_one"], state=SkillState.DRAFT, sha="8" * 64)
    window.context.store.handle(SkillsChanged("old_one"))
    window.commands.do("skills.retired")
    qtbot.waitUntil(lambda: window.skills.model.find("retired:old_one").isValid())
    choose(window, "old_one")
    assert window.skills.selected().state is SkillState.DRAFT
    choose(window, "retired:old_one")
    assert window.skills.selected().state is SkillState.RETIRED
    assert window.commands["skill.back"].isEnabled()
    assert not window.commands["skill.keep"].isEnabled()


def test_keeping_is_off_while_nothing_has_changed(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    code = fake_core.skill_list["weekly_report"].code
    kept = replace(fake_core.skill_list["weekly_report"], sha=hashlib.sha256(code.encode()).hexdigest())
    fake_core.skill_list["weekly_report"] = kept
    window.context.store.handle(SkillsChanged("weekly_report"))
    qtbot.waitUntil(lambda: kept in window.context.store.skills)
    choose(window, "weekly_report")
    window.commands.do("skill.open")
    qtbot.waitUntil(lambda: window.centre.currentWidget() is window.centre.editor)
    editor = window.centre.editor
    (keep,) = [button for button in editor.findChildren(QToolButton) if button.text() == "Keep version 3…"]
    assert not keep.isEnabled()
    assert keep.toolTip() == "Nothing has changed since version 2."
    editor.keep_as_skill()
    qtbot.waitUntil(lambda: window.findChild(KeepDialog) is not None)
    dialog = window.findChild(KeepDialog)
    qtbot.waitUntil(lambda: dialog.program.text() == code)
    dialog.fields.name.setText("weekly-report")
    assert dialog.button("Keep").isEnabled()
    dialog.fields.name.setText("weekly_report")
    assert not dialog.button("Keep").isEnabled()
    assert dialog.button("Keep").toolTip() == "Nothing has changed since version 2."
    dialog.done(0)
    QTest.keyClicks(editor.current_tab().editor, "# more ")
    qtbot.waitUntil(keep.isEnabled)


def test_the_current_version_is_not_offered_for_restoring(
    window: Any, fake_core: Any, redrafted: Any, qtbot: Any
) -> None:
    window.context.go(ShowSkill("weekly_report", "versions"))
    page = window.centre.skill.versions
    qtbot.waitUntil(lambda: page.restore.isVisible())
    assert page.before.currentText() == "version 2"
    assert not page.restore.isEnabled()
    assert "has not changed since version 2" in page.restore.toolTip()
