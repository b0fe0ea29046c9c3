"""What a dry run held back: shown line by line, ticked by the person, run once; nothing by a reflex."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from tests.gui.conftest import make_run
from tests.gui.fake_core import make_plan
from tests.gui.screens.test_many_screens import shoot
from workbench.errors import WorkbenchError
from workbench.events import RunChanged
from workbench.gui.runs.approval_page import ApprovalPage
from workbench.gui.runs.dry_run_plan import PlanDialog
from workbench.gui.shell.navigation import StartDryRun
from workbench.records import Fault, Risk, Run, RunState

ENTER, SPACE = Qt.Key.Key_Return, Qt.Key.Key_Space


def choices(fake_core: Any) -> list[Any]:
    return [words[0] for name, words in fake_core.asked if name == "run_plan"]


def finished_dry_run(dry_run_of: str = "", risk: Risk = Risk.HIGH) -> Run:
    run = make_run("dry-run-1", RunState.DONE, risk=risk)
    proposal = replace(run.proposal, dry_run=True, dry_run_of=dry_run_of)
    return replace(run, proposal=proposal, plan=make_plan(), plan_notes=("There was no network in the dry run.",))


def opened(context: Any, fake_core: Any, qtbot: Any, run: Run) -> Any:
    fake_core.dry_run_record = run
    dialog = PlanDialog(context, run)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # the test looks at it afterwards
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def tick(dialog: Any, *numbers: int) -> None:
    for number in numbers:
        dialog.list.topLevelItem(number - 1).setCheckState(0, Qt.CheckState.Checked)


def test_nothing_is_ticked_and_nothing_runs_by_a_reflex(context: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(context, fake_core, qtbot, finished_dry_run())
    assert dialog.list.ticked_ids() == ()
    dialog.restart_settling()  # it was opened this moment
    QTest.keyClick(dialog, ENTER)
    dialog.allow_button.click()
    assert dialog.isVisible(), "a key that comes with the dialog does nothing"
    qtbot.waitUntil(dialog.allow_button.settled)
    assert dialog.allow_button.obstacle() == "Tick what may happen first."
    dialog.list.setFocus()
    QTest.keyClick(dialog.list, SPACE)
    assert dialog.list.ticked_ids() == ("h1",)
    QTest.keyClick(dialog.list, ENTER)
    assert dialog.isVisible(), "Enter in the list decides nothing"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert choices(fake_core) == []


def test_values_out_of_strangers_text_are_looked_at_before_they_go(context: Any, fake_core: Any, qtbot: Any) -> None:
    run = finished_dry_run()
    dialog = opened(context, fake_core, qtbot, replace(run, plan=tuple(reversed(run.plan))))
    dialog.button("Tick all").click()
    assert dialog.allow_button.obstacle().startswith("Look at step 3 first")
    dialog.list.setCurrentItem(dialog.list.topLevelItem(2))
    assert dialog.allow_button.obstacle() == ""
    assert dialog.step.evidence.isVisibleTo(dialog)
    assert "Here they are" in dialog.step.arguments.toPlainText()
    dialog.list.setCurrentItem(dialog.list.topLevelItem(1))
    assert "body: id of call 1" in dialog.step.unknown.text()
    dialog.button("Tick none").click()
    assert dialog.list.ticked_ids() == ()


def test_a_critical_program_wants_its_name_typed_and_a_fault_of_the_core_is_shown(
    context: Any, fake_core: Any, qtbot: Any
) -> None:
    dialog = opened(context, fake_core, qtbot, finished_dry_run(risk=Risk.CRITICAL))
    dialog.button("Tick all").click()
    assert dialog.allow_button.obstacle() == "Type the name first."
    QTest.keyClicks(dialog.typing.line, dialog.typing.name)
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    fake_core.plan_fault = WorkbenchError(
        "A plan can be used for one run only, and this one has been used.", "Start a new dry run."
    )
    dialog.allow_button.click()
    qtbot.waitUntil(lambda: dialog.fault.isVisible())
    assert dialog.isVisible()


def test_a_changed_text_and_a_decision_elsewhere_void_what_is_shown(context: Any, fake_core: Any, qtbot: Any) -> None:
    waits = make_run("run-1")
    edited = replace(waits, proposal=replace(waits.proposal, sha="b" * 64))
    for event in (RunChanged(edited), RunChanged(replace(waits, state=RunState.REFUSED))):
        dialog = opened(context, fake_core, qtbot, finished_dry_run("run-1"))
        context.store.handle(RunChanged(waits))
        assert not dialog.fault.isVisible()
        context.store.handle(event)
        assert dialog.fault.isVisible()
        assert dialog.allow_button.isHidden()
        assert dialog.button("Close").hasFocus() or not dialog.isActiveWindow()


def test_the_list_has_the_keyboard_first_and_the_heading_of_the_evidence_is_there_once(
    context: Any, fake_core: Any, qtbot: Any
) -> None:
    dialog = opened(context, fake_core, qtbot, finished_dry_run("run-1"))
    assert dialog.focusWidget() is dialog.list
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.isVisibleTo(dialog)]
    assert texts.count("Where its values came from") == 1
    assert dialog.step.arguments.y() < dialog.step.evidence.y(), "what would be sent comes first"
    QTest.keyClick(dialog.list, SPACE)
    assert dialog.isVisible()
    assert choices(fake_core) == []


def test_a_plan_that_was_put_away_comes_back_and_no_second_dry_run_starts(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.plan = make_plan()[1:]
    fake_core.put_run(make_run())
    settled()
    window.context.go(StartDryRun("run-1"))
    qtbot.waitUntil(lambda: bool(window.findChildren(PlanDialog)))
    (dialog,) = window.findChildren(PlanDialog)
    tick(dialog, 1)
    qtbot.mouseClick(dialog.button("Back to the approval request"), Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    window.context.go(StartDryRun("run-1"))
    assert dialog.isVisible()
    assert len(dialog.list.ticked_ids()) == 1
    assert [name for name, _ in fake_core.asked].count("dry_run_waiting") == 1
    dialog.done(0)


def test_the_editor_starts_a_dry_run_and_what_is_ticked_goes_to_the_core(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.plan = make_plan()
    window.commands.do("editor.show")
    window.centre.editor.open_code("Send", "print(1)")
    QTest.keyClick(window.centre.editor, ENTER, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: bool(window.findChildren(PlanDialog)))
    assert [words for name, words in fake_core.asked if name in ("dry_run", "submit")] == [("print(1)",)]
    (dialog,) = window.findChildren(PlanDialog)
    tick(dialog, 2)
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    dialog.allow_button.click()
    qtbot.waitUntil(lambda: window.output.run_id == "real-1")
    (choice,) = choices(fake_core)
    assert (choice.dry_run, choice.sha, choice.ticked) == ("dry-run-1", "a" * 64, ("h2",))


def test_a_dry_run_of_an_agents_program_starts_from_its_question_and_goes_on_by_its_plan(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.plan = make_plan()[1:]
    fake_core.put_run(make_run())
    settled()
    window.commands.do("run.review")
    qtbot.waitUntil(lambda: bool(window.findChildren(ApprovalPage)))
    (question,) = window.findChildren(ApprovalPage)
    question.resize(640, 640)
    shoot(question, "plan-question-640")
    fake_core.plan_fault = WorkbenchError("This program no longer waits.", "Start a dry run from the editor.")
    qtbot.mouseClick(question.button("Dry run first"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: question.fault.isVisible())
    assert question.button("Dry run first").isEnabled()
    fake_core.plan_fault = None
    qtbot.mouseClick(question.button("Dry run first"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.findChildren(PlanDialog)))
    (dialog,) = window.findChildren(PlanDialog)
    assert dialog.button("Back to the approval request").isEnabled()
    assert question.isVisible()
    dialog.button("Tick all").click()
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    dialog.allow_button.click()
    qtbot.waitUntil(lambda: not window.findChildren(ApprovalPage))
    assert len(choices(fake_core)) == 1
    assert not any(name == "decide" for name, _ in fake_core.asked)
    shoot(window, "plan-window")


@pytest.mark.parametrize(("colours", "size"), [("light", (1100, 700)), ("dark", (900, 640)), ("light", (640, 640))])
def test_a_plan_can_be_looked_at(context: Any, fake_core: Any, qtbot: Any, colours: str, size: Any) -> None:
    context.theme.choose(colours)
    dialog = opened(context, fake_core, qtbot, finished_dry_run())
    dialog.resize(*size)
    tick(dialog, 1, 3)
    qtbot.waitUntil(dialog.allow_button.settled)
    shoot(dialog, f"plan-{colours}-{size[0]}")


def test_a_program_that_only_reads_is_described_as_one(context: Any, fake_core: Any, qtbot: Any) -> None:
    run = replace(finished_dry_run(), plan=())
    dialog = opened(context, fake_core, qtbot, run)
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.isVisibleTo(dialog)]
    assert "The program only reads. Nothing would change." in texts
    assert dialog.windowTitle() == "This program only reads"
    assert dialog.button("Run").isVisibleTo(dialog)
    broken = opened(context, fake_core, qtbot, replace(run, state=RunState.FAILED, fault=Fault("It failed.")))
    texts = [label.text() for label in broken.findChildren(QLabel) if label.isVisibleTo(broken)]
    assert "0 side effects held back; nothing has happened yet." in texts, "nobody knows what it would have done"
