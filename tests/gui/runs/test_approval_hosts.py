"""What an answer reaches: identical requests, a longer time, an edit; and what was allowed before."""

from __future__ import annotations

import time
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.runs.test_approval import decisions
from workbench.events import RunChanged
from workbench.gui.kit.text import ForeignLabel
from workbench.records import (
    Decision,
    Effect,
    EffectKind,
    Finding,
    Flow,
    Gate,
    Likeness,
    Resemblance,
    Risk,
    RuleOffer,
    Run,
    RunState,
    Span,
    ValueChange,
    Verdict,
)

SEAL = "5e" * 32
SESSION = RuleOffer("s1", "program", "session", "This program runs without asking, in this session.")
ALWAYS = RuleOffer("a1", "program", "always", "This program runs without asking.")


@pytest.fixture
def waiting(make: Any, fake_core: Any) -> Run:
    run: Run = replace(make.run("w"), fingerprint=SEAL, offers=(SESSION, ALWAYS))
    fake_core.run_list["w"] = run
    return run


def words_in(part: Any) -> list[str]:
    return [label.full_text() for label in part.findChildren(ForeignLabel)]


def test_one_answer_goes_to_every_identical_request_and_to_no_other(
    ask: Any, waiting: Run, fake_core: Any, context: Any, qtbot: Any
) -> None:
    theirs = replace(waiting.proposal, session="session-2")
    for run in (
        replace(waiting, id="same"),
        replace(waiting, id="other", fingerprint="0" * 64),
        replace(waiting, id="theirs", proposal=theirs),
    ):
        context.store.handle(RunChanged(run))
    dialog = ask(waiting)
    context.store.handle(RunChanged(replace(waiting, id="later")))
    context.store.handle(RunChanged(replace(waiting, id="gone")))
    context.store.handle(RunChanged(replace(waiting, id="gone", state=RunState.STOPPED)))
    assert dialog.facts.full_text().startswith("Answers 3 identical requests · SHA-256 5e5e")
    with qtbot.waitSignal(dialog.decided):
        dialog.deny("no")
    (decision,) = decisions(fake_core)
    assert (decision.also, decision.fingerprint, decision.offer) == (("same", "later"), SEAL, "")


def test_a_yes_reaches_further_only_when_that_was_chosen(
    ask: Any, waiting: Run, fake_core: Any, context: Any, qtbot: Any
) -> None:
    dialog = ask(waiting)
    choice = dialog.offers
    assert choice.text() == "Once"
    assert dialog.allow_button.text() == "Allow once"
    choice.actions_by_offer()["a1"].trigger()
    assert (choice.text(), dialog.allow_button.text()) == ("From now on", "Allow")
    other = replace(waiting.proposal, sha="b" * 64)
    verdict = replace(waiting.verdict, sha="b" * 64)
    changed = replace(waiting, proposal=other, verdict=verdict, offers=(SESSION,), offers_limit="Not for good.")
    context.store.handle(RunChanged(changed))
    assert choice.text() == "Once", "another text begins anew"
    assert list(choice.actions_by_offer()) == ["once", "s1"]
    assert "Not for good." in [action.text() for action in choice.menu().actions()]
    choice.actions_by_offer()["s1"].trigger()
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    with qtbot.waitSignal(dialog.decided):
        dialog.allow()
    assert decisions(fake_core)[0].offer == "s1"


def test_a_denial_reaches_no_further_whatever_was_chosen(
    ask: Any, waiting: Run, fake_core: Any, context: Any, qtbot: Any
) -> None:
    dialog = ask(waiting)
    dialog.offers.actions_by_offer()["s1"].trigger()
    with qtbot.waitSignal(dialog.decided):
        dialog.deny()
    assert decisions(fake_core)[0].offer == ""


def test_choosing_the_reach_by_a_held_key_decides_nothing(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    dialog.offers.actions_by_offer()["s1"].trigger()
    for widget in (dialog.allow_button, dialog):
        for _ in range(5):
            none = Qt.KeyboardModifier.NoModifier
            QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, none, "", autorep=True))
    qtbot.wait(20)
    assert decisions(fake_core) == []


@pytest.mark.parametrize(
    ("likeness", "words"),
    [
        (Likeness.TEXT, "You allowed exactly this program 5 min ago."),
        (Likeness.TREE, "You allowed this program 5 min ago: only spacing or comments changed."),
        (Likeness.NEAR, "Most of its lines are those of a program that you allowed 5 min ago."),
    ],
)
def test_what_was_allowed_before_is_said(ask: Any, waiting: Run, likeness: Likeness, words: str) -> None:
    dialog = ask(replace(waiting, like=Resemblance(likeness, time.time() - 310, "print(0)\n")))
    assert dialog.likeness.sentence() == words


@pytest.mark.parametrize(
    ("likeness", "minutes", "words"),
    [
        (None, 0, "You denied exactly this program 2 min ago."),
        (Likeness.TEXT, 15, "You denied exactly this program 2 min ago."),
        (Likeness.TEXT, 1, "You allowed exactly this program 1 min ago."),
        (
            Likeness.TREE,
            15,
            "You denied exactly this program 2 min ago. "
            "You allowed this program 15 min ago: only spacing or comments changed.",
        ),
    ],
)
def test_what_the_user_decided_last_is_said(
    ask: Any, waiting: Run, context: Any, likeness: Likeness | None, minutes: int, words: str
) -> None:
    now = time.time() - 5
    for name, by, allow, at in (
        ("first", "you", False, now - 1200),
        ("second", "you", False, now - 120),
        ("others", "a colleague", False, now - 1),
    ):
        decision = Decision(name, waiting.proposal.sha, allow, by, at=at)
        context.store.handle(RunChanged(replace(waiting, id=name, state=RunState.REFUSED, decision=decision)))
    like = Resemblance(likeness, now - 60 * minutes, "print(0)\n") if likeness else None
    dialog = ask(replace(waiting, like=like))
    assert dialog.likeness.sentence() == words
    assert dialog.likeness.compare.isVisible() == (likeness is Likeness.TREE)


def test_the_denial_of_a_different_text_is_not_told(ask: Any, waiting: Run, context: Any) -> None:
    decision = Decision("old", "b" * 64, False, "you", at=time.time())
    old = replace(waiting, id="old", state=RunState.REFUSED, decision=decision)
    context.store.handle(RunChanged(replace(old, proposal=replace(old.proposal, sha="b" * 64))))
    assert ask(waiting).likeness.isHidden()


def test_only_the_changed_values_are_to_be_read_and_a_new_aim_stands_first(ask: Any, waiting: Run) -> None:
    changes = (ValueChange(3, "20", "30"), ValueChange(2, "'a@x.org'", "'b@y.org'", destination=True))
    before = waiting.proposal.code.replace("20", "10")
    dialog = ask(replace(waiting, like=Resemblance(Likeness.VALUES, time.time(), before, changes)))
    strip = dialog.likeness
    assert (
        strip.sentence() == "You allowed this program just now with other values. It has a different destination now."
    )
    assert words_in(strip)[1:] == ["− 'a@x.org'", "+ 'b@y.org'", "a different destination", "− 20", "+ 30"]
    strip.compare.click()
    assert dialog.program.diff.changed_lines() == (
        "-orders = await list_orders(limit=10)",
        "+orders = await list_orders(limit=20)",
    )
    strip.compare.click()
    assert dialog.program.reader.isVisible()


def test_flows_lead_from_line_to_line(ask: Any, waiting: Run) -> None:
    flows = tuple(Flow(kind, "web.fetch", 1, "demo.send_email.to", 3) for kind in ("untrusted", "private"))
    dialog = ask(replace(waiting, verdict=replace(waiting.verdict, flows=flows)))
    told = words_in(dialog.effects)
    assert told.count("line 1 web.fetch → line 3 demo.send_email.to") == 1
    assert "text from outsiders" in told


def test_a_flow_that_an_effect_tells_is_said_once(ask: Any, waiting: Run) -> None:
    flow = Flow("private", "demo.list_customers", 4, "demo.fetch_page.url", 5)
    text = "Data from demo.list_customers (line 4) goes to demo.fetch_page (url)"
    effects = (Effect(EffectKind.MAY, text, 5, Risk.HIGH),)
    dialog = ask(replace(waiting, verdict=replace(waiting.verdict, flows=(flow,), effects=effects, findings=())))
    told = words_in(dialog.effects)
    assert "Data flows" not in told
    assert sum("demo.list_customers" in words for words in told) == 1
    assert "private data" in told


def test_an_edit_is_judged_as_it_is_typed_and_nothing_is_decided_by_it(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    fake_core.edit_verdict = Verdict(
        "c" * 64, Risk.LOW, Gate.AUTO, "Only computes.", (Finding("x", Risk.LOW, "m", Span(1)),)
    )
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    dialog.program.editor.set_text("print(1)\n")
    dialog.program.editor.set_text("print(2)\n")
    qtbot.waitUntil(lambda: dialog.head.sentence.full_text() == "Only computes.")
    assert ("assess_edit", ("print(1)\n",)) not in fake_core.asked
    assert ("assess_edit", ("print(2)\n",)) in fake_core.asked
    assert dialog.run is waiting
    assert dialog.allow_button.obstacle()
    qtbot.mouseClick(dialog.button("Back"), Qt.MouseButton.LeftButton)
    assert dialog.head.sentence.full_text() == waiting.verdict.sentence
    assert dialog.facts.full_text() == "SHA-256 5e5e5e5e5e5e"


def test_what_only_its_characters_keep_from_running_can_be_cleaned(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    finding = Finding("text.bidi", Risk.HIGH, "Reversed", Span(1))
    fake_core.edit_verdict = Verdict("c" * 64, Risk.HIGH, Gate.BLOCKED, "Cannot run.", (finding,))
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    editor = dialog.program.editor
    editor.set_text("a = 1 # \u202e\n")
    qtbot.waitUntil(dialog.clean_button.isVisible)
    fake_core.edit_verdict = replace(fake_core.edit_verdict, gate=Gate.AUTO, findings=())
    qtbot.mouseClick(dialog.clean_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: editor.text() == "a = 1 # \n")
    qtbot.waitUntil(dialog.clean_button.isHidden)
    editor.undo()
    assert editor.text() == "a = 1 # \u202e\n"


def test_everything_new_that_takes_the_keyboard_has_a_name(ask: Any, waiting: Run) -> None:
    changes = (ValueChange(3, "20", "30"),)
    dialog = ask(replace(waiting, like=Resemblance(Likeness.VALUES, time.time(), "print(0)\n", changes)))
    for part in (dialog.likeness, dialog):
        for widget in part.findChildren(QWidget):
            if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                face = QAccessible.queryAccessibleInterface(widget)
                assert face.text(QAccessible.Text.Name), f"{type(widget).__name__} has no name"
    assert dialog.offers.accessibleName() == "Scope of the approval: Once"


def test_a_lasting_answer_is_shown_as_the_rule_that_it_makes(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    sentence = "Programs may mail to bob@acme.example without asking, in this session."
    dialog = ask(replace(waiting, offers=(RuleOffer("o1", "exact", "session", sentence),)))
    assert list(dialog.offers.actions_by_offer()) == ["once", "o1"]
    dialog.offers.actions_by_offer()["o1"].trigger()
    assert (dialog.offers.text(), dialog.allow_button.text()) == ("This session", "Allow")
    assert dialog.rule.text() == f"Allow makes a rule: {sentence}"
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    with qtbot.waitSignal(dialog.decided):
        dialog.allow()
    assert decisions(fake_core)[0].offer == "o1"
