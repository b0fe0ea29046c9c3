from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.runs.run_head import RunLinks
from workbench.records import Finding, Gate, Risk, RunState, Span, Verdict


@pytest.fixture
def texts(context: Any, qtbot: Any) -> RunLinks:
    made = RunLinks(context)
    qtbot.addWidget(made)
    return made


def opened(texts: RunLinks, qtbot: Any) -> DifferenceDialog:
    qtbot.waitUntil(lambda: bool(texts.window().findChildren(DifferenceDialog)))
    return texts.window().findChildren(DifferenceDialog)[-1]


def test_what_a_person_changed_is_shown_afterwards(texts: RunLinks, make: Any, qtbot: Any) -> None:
    run = make.run("r", RunState.DONE)
    texts.show_run(run)
    assert texts.isHidden()
    texts.show_run(replace(run, proposal=replace(run.proposal, original="print(1)\n", code="print(2)\n")))
    texts.changes.click()
    dialog = opened(texts, qtbot)
    assert dialog.diff.changed_lines() == ("-print(1)", "+print(2)")
    dialog.done(0)


def test_a_text_that_its_characters_stopped_is_offered_clean_and_judged(
    texts: RunLinks, make: Any, context: Any, qtbot: Any
) -> None:
    run = make.run("r", RunState.REFUSED)
    finding = Finding("text.bidi", Risk.HIGH, "Reversed", Span(1))
    blocked = Verdict("a" * 64, Risk.HIGH, Gate.BLOCKED, "Cannot run.", (finding,))
    texts.show_run(replace(run, verdict=replace(blocked, findings=(replace(finding, rule="syntax"),))))
    assert texts.clean.isHidden(), "cleaning mends no syntax"
    texts.show_run(replace(run, verdict=blocked, proposal=replace(run.proposal, code="a = 1 # \u202e\n")))
    texts.clean.click()
    dialog = opened(texts, qtbot)
    assert dialog.diff.changed_lines() == ("-a = 1 # ‹U+202E›", "+a = 1 # ")
    with qtbot.waitSignal(context.messages.requested) as said:
        dialog.button("Open the clean text in the editor").click()
    assert said.args[0].code == "a = 1 # \n"
