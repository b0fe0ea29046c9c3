"""Keeping a skill: a good name, a description, and exactly the text that was shown."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QWidget
from shiboken6 import isValid

from workbench.errors import WorkbenchError
from workbench.gui.skills.keep_skill import KeepDialog
from workbench.gui.skills.new_skill import NewSkillDialog
from workbench.records import Gate, Risk, RunState, Skill, SkillState, ToolUse, Verdict


@pytest.fixture
def asked(fake_core: Any) -> list[tuple[Any, ...]]:
    """What the library was asked, in order."""
    words: list[tuple[Any, ...]] = []

    async def draft_skill(name: str, description: str, code: str, run_id: str) -> Skill:
        words.append(("draft", name, description, code, run_id))
        return Skill(name, description, code, SkillState.DRAFT, sha="d" * 64)

    async def keep_skill(name: str, sha: str) -> Skill:
        words.append(("keep", name, sha))
        return Skill(name, "", "", SkillState.KEPT, 1, sha)

    async def assess(code: str) -> Verdict:
        uses = (ToolUse("demo", "list_orders", 1), ToolUse("demo", "list_orders", 2))
        return Verdict("s", Risk.LOW, Gate.AUTO, "Reads orders.", tools=uses)

    fake_core.draft_skill, fake_core.keep_skill, fake_core.assess = draft_skill, keep_skill, assess
    return words


@pytest.fixture
def keep(context: Any, qtbot: Any, asked: Any) -> Any:
    made: list[KeepDialog] = []

    def show(**words: Any) -> KeepDialog:
        dialog = KeepDialog(context, **words)
        made.append(dialog)
        dialog.open()
        return dialog

    yield show
    for dialog in made:
        if isValid(dialog):
            dialog.done(0)
            dialog.deleteLater()


@pytest.mark.parametrize("name", ["Weekly", "weekly_report", "-a", "a--b", "a-", "a" * 65, "wöchentlich", "a b"])
def test_a_name_that_is_not_an_agent_skills_name_is_refused_while_typing(keep: Any, name: str) -> None:
    dialog = keep(code="print(1)")
    dialog.fields.description.setPlainText("Prints one.")
    dialog.fields.name.setText(name)
    assert dialog.fields.name_problem.isVisible()
    assert not dialog.button("Keep").isEnabled()


def test_a_run_becomes_a_draft_and_then_exactly_that_draft_is_kept(
    keep: Any, asked: Any, make: Any, qtbot: Any
) -> None:
    run = make.run("r", RunState.DONE)
    dialog = keep(run=run)
    dialog.fields.name.setText("weekly-report")
    assert not dialog.button("Keep").isEnabled()
    dialog.fields.description.setPlainText("Sums up the week. ")
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.fields.description.setFocus()
    with qtbot.waitSignal(dialog.kept, timeout=5_000) as kept:
        qtbot.keyClick(dialog.fields.description, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == [
        ("draft", "weekly-report", "Sums up the week.", run.proposal.code, "r"),
        ("keep", "weekly-report", "d" * 64),
    ]
    assert kept.args[0].state is SkillState.KEPT


def test_a_draft_alone_is_not_kept(keep: Any, asked: Any, qtbot: Any) -> None:
    dialog = keep(code="print(1)")
    dialog.fields.name.setText("one")
    dialog.fields.description.setPlainText("Prints one.")
    with qtbot.waitSignal(dialog.kept):
        dialog.button("Save as draft").click()
    assert [words[0] for words in asked] == ["draft"]


def test_a_draft_opens_with_its_words_and_says_its_tools(keep: Any, qtbot: Any) -> None:
    skill = Skill("one", "Prints one.", "print(1)", SkillState.DRAFT, 2, "c" * 64)
    dialog = keep(skill=skill)
    assert (dialog.fields.name.text(), dialog.fields.description_text()) == ("one", "Prints one.")
    assert dialog.program.text() == "print(1)"
    qtbot.waitUntil(lambda: dialog.tools.full_text() == "demo.list_orders")
    assert dialog.assessment.sentence() == "Reads orders."


def test_the_words_that_agents_read_can_be_read_before_they_are_kept(keep: Any) -> None:
    words = {"notes": "# Usage\n\nCall it\u200b daily.", "tags": ("orders", "daily"), "allowed": "Bash"}
    dialog = keep(skill=Skill("one", "Prints one.", "print(1)", SkillState.KEPT, 2, "c" * 64, **words))
    assert dialog.tabs.tabBar().isVisible()
    dialog.tabs.setCurrentIndex(1)
    shown = dialog.card.text()
    assert shown.startswith("tags: orders, daily\nallowed-tools: Bash\n\n# Usage")
    assert "\u200b" not in shown  # shown as a chip
    dialog.assessment.line_wanted.emit(1)
    assert dialog.tabs.currentIndex() == 0
    assert not keep(code="print(1)").tabs.tabBar().isVisible()


def test_a_fault_is_said_and_nothing_typed_is_lost(keep: Any, fake_core: Any, qtbot: Any) -> None:
    async def draft_skill(*words: str) -> Skill:
        raise WorkbenchError("The project is not writable.", "Check its folder.")

    fake_core.draft_skill = draft_skill
    dialog = keep(code="print(1)")
    dialog.fields.name.setText("one")
    dialog.fields.description.setPlainText("Prints one.")
    dialog.button("Keep").click()
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "The project is not writable.")
    assert dialog.isVisible()
    assert dialog.fields.name.text() == "one"
    assert dialog.button("Keep").isEnabled()


def test_everything_that_takes_the_keyboard_has_a_name(keep: Any) -> None:
    dialog = keep(code="print(1)")
    for widget in dialog.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), f"{type(widget).__name__} has no name"


def test_a_program_with_a_token_of_one_conversation_says_that_it_will_fail_in_others(context: Any, qtbot: Any) -> None:
    dialog = KeepDialog(context, code='await send_email(to="[EMAIL_1.31zw]")\n')
    qtbot.addWidget(dialog)
    dialog.show()
    assert "[EMAIL_1.31zw]: these tokens have a value in one session only" in dialog.token_warning.full_text()
    assert dialog.token_warning.isVisible()
    plain = KeepDialog(context, code="print(1)\n")
    qtbot.addWidget(plain)
    plain.show()
    assert not plain.token_warning.isVisible()


def test_what_was_typed_is_shown_again_after_escape_and_forgotten_once_it_is_saved(
    keep: Any, make: Any, asked: Any, qtbot: Any
) -> None:
    run = make.run("r", RunState.DONE)
    dialog = keep(run=run)
    qtbot.keyClicks(dialog.fields.name, "weekly-report")
    qtbot.keyClicks(dialog.fields.description, "Sums up.")
    qtbot.keyClick(dialog.fields.description, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert keep(code="print(1)").fields.texts() == ("", ""), "another program"
    again = keep(run=run)
    assert again.fields.texts() == ("weekly-report", "Sums up.")
    intro = [label.text() for label in again.findChildren(QLabel) if "you typed before" in label.text()]
    assert len(intro) == 1
    assert "Keep makes this version 1" in intro[0]
    again.button("Save as draft").click()
    qtbot.waitUntil(lambda: not isValid(again) or not again.isVisible())
    assert keep(run=run).fields.texts() == ("", "")


def test_a_skill_that_was_not_edited_is_not_taken_for_typed_text(keep: Any) -> None:
    skill = Skill("weekly-report", "Sums up.", "print(1)", SkillState.KEPT, 1)
    keep(skill=skill).reject()
    newer = Skill("weekly-report", "Sums up the week.", "print(1)", SkillState.KEPT, 2)
    assert keep(skill=newer).fields.texts() == ("weekly-report", "Sums up the week.")


def test_a_new_skill_keeps_what_was_typed_after_escape(window: Any, settled: Any, qtbot: Any) -> None:
    window.commands.do("skill.new")
    dialog = window.findChild(NewSkillDialog)
    qtbot.keyClicks(dialog.fields.name, "late-mails")
    qtbot.keyClick(dialog.fields.name, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    window.commands.do("skill.new")
    again = next(one for one in window.findChildren(NewSkillDialog) if one.isVisible())
    assert again.fields.texts() == ("late-mails", "")
    again.fields.name.clear()
    again.reject()
    window.commands.do("skill.new")
    empty = next(one for one in window.findChildren(NewSkillDialog) if one.isVisible())
    assert empty.fields.texts() == ("", "")
    empty.reject()
