"""The approval dialog: no by default, never by reflex, and only for the text that was shown."""

from __future__ import annotations

import time
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QCloseEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget
from shiboken6 import isValid

from workbench.api.client_texts import confirmation_name
from workbench.api.codec import TextPreview
from workbench.errors import WorkbenchError
from workbench.events import RunChanged
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.approval_page import ApprovalPage
from workbench.gui.runs.review_dialog import ReviewDialog
from workbench.gui.settings.isolation import IsolationDialog
from workbench.gui.shell.navigation import DecideTrust
from workbench.records import (
    Decision,
    Effect,
    EffectKind,
    Fault,
    Finding,
    Gate,
    HeadlinePart,
    Likeness,
    Resemblance,
    Risk,
    Run,
    RunState,
    Span,
    ValueChange,
    Verdict,
)

LONG = "\n".join(["x = 1"] * 150 + ["send_email(to=who)"] + ["y = 2"] * 50)


def told(run: Run, code: str, **verdict: Any) -> Run:
    """The run with another text and verdict."""
    return replace(run, proposal=replace(run.proposal, code=code), verdict=replace(run.verdict, **verdict))


@pytest.fixture
def waiting(fake_core: Any, make: Any) -> Run:
    run: Run = make.run("w", RunState.WAITING)
    fake_core.run_list["w"] = run
    return run


def decisions(fake_core: Any) -> list[Decision]:
    return [words[0] for name, words in fake_core.asked if name == "decide"]


def press(widget: QWidget, key: Qt.Key, *, held: bool = False, release: bool = True) -> None:
    """A key press as the keyboard sends it; a held key repeats without having been pressed here."""
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, key, none, "", held))
    if release and isValid(widget):
        QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyRelease, key, none, "", False))


def test_the_sentence_comes_first_and_the_claim_is_called_one(ask: Any, waiting: Run) -> None:
    dialog = ask(waiting)
    assert dialog.head.sentence.full_text() == waiting.verdict.sentence
    assert dialog.head.purpose.full_text() == "“Tell the customer”"
    assert "claimed" in [label.text() for label in dialog.head.findChildren(QLabel)]
    assert dialog.head.badge.text() == "High risk"
    assert dialog.program.reader.text() == waiting.proposal.code
    assert dialog.facts.full_text() == f"SHA-256 {waiting.proposal.sha[:12]}"
    assert waiting.proposal.sha in dialog.facts.toolTip()


MAIL = 'x = 1\nprint(x); await send_email(to="team@acme.example")\n'
MAILS = "Mails team@acme.example through demo.send_email"


def one_effect(run: Run, **verdict: Any) -> Run:
    """A program whose summary says its only effect."""
    effect = Effect(EffectKind.WILL, MAILS, 2, Risk.MEDIUM, False, subject="demo.send_email")
    finding = Finding("tool.call", Risk.MEDIUM, MAILS, Span(2, 16), "demo.send_email")
    verdict.setdefault("headline", (HeadlinePart(f"{MAILS}.", Risk.MEDIUM, 2, "demo.send_email"),))
    sentence = " ".join(part.text for part in verdict["headline"])
    return told(run, MAIL, sentence=sentence, effects=(effect,), findings=(finding,), **verdict)


def test_the_only_effect_is_said_once_with_its_line(ask: Any, waiting: Run, qtbot: Any) -> None:
    dialog = ask(one_effect(waiting))
    said = [one.full_text() for one in dialog.findChildren(ForeignLabel) if one.isVisible()]
    assert len([text for text in said if MAILS in text]) == 1
    assert "cannot be undone" in said
    assert not dialog.effects.isVisible()
    qtbot.mouseClick(dialog.button("line 2"), Qt.MouseButton.LeftButton)
    cursor = dialog.program.reader.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (1, 16)


def test_each_part_of_the_summary_leads_to_its_place(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    hostile = "Reads <a href='x'>all</a>  & more."
    parts = (HeadlinePart(f"{MAILS}.", Risk.MEDIUM, 2, "demo.send_email"), HeadlinePart(hostile, Risk.LOW, 1))
    dialog = ask(one_effect(waiting, headline=parts))
    sentence = dialog.head.sentence
    assert sentence.full_text() == f"{MAILS}. {hostile}"
    assert dialog.effects.isVisible(), "the summary says more than the effect"
    qtbot.mouseClick(sentence, Qt.MouseButton.LeftButton, pos=QPoint(20, 8))
    cursor = dialog.program.reader.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (1, 16)
    sentence.setFocus(Qt.FocusReason.TabFocusReason)
    sentence.setSelection(0, 0)
    press(sentence, Qt.Key.Key_Return)  # where no link is chosen, Enter does nothing, least of all deny
    for _ in parts:
        press(sentence, Qt.Key.Key_Tab)
    press(sentence, Qt.Key.Key_Return)
    assert dialog.program.reader.textCursor().blockNumber() == 0
    assert decisions(fake_core) == []


def test_nothing_allows_before_things_settled(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.gui.kit.controls.SETTLE_MS", 600_000)
    dialog = ask(waiting, settled=False)
    button = dialog.allow_button
    assert not button.isEnabled()
    button.click()
    press(button, Qt.Key.Key_Return)
    dialog.allow()
    press(dialog, Qt.Key.Key_Return)  # neither does a stray Enter deny at once
    qtbot.wait(30)
    assert decisions(fake_core) == []


def test_a_key_that_is_held_down_cannot_allow(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    button = dialog.allow_button
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        press(button, key, held=True)
    QApplication.sendEvent(button, QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier))
    qtbot.wait(30)
    assert decisions(fake_core) == []


def test_coming_back_to_the_front_makes_it_wait_again(ask: Any, waiting: Run) -> None:
    dialog = ask(waiting)
    assert dialog.allow_button.isEnabled()
    dialog.activateWindow()
    QApplication.sendEvent(dialog, QEvent(QEvent.Type.ActivationChange))
    assert dialog.isActiveWindow()
    assert not dialog.allow_button.isEnabled()


def test_a_press_that_began_here_allows_exactly_this_text(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    with qtbot.waitSignal(dialog.decided):
        press(dialog.allow_button, Qt.Key.Key_Return)
    (decision,) = decisions(fake_core)
    assert decision.allow
    assert decision.sha == waiting.proposal.sha
    assert decision.seconds >= 0.69


def test_enter_that_was_down_before_or_is_held_down_decides_nothing(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    dialog = ask(waiting, settled=False)
    qtbot.keyClick(dialog.deny_button, Qt.Key.Key_Return)
    repeated = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "", True)
    QApplication.sendEvent(dialog.deny_button, repeated)
    qtbot.wait(50)
    assert decisions(fake_core) == []
    assert dialog.isVisible()


def test_enter_presses_deny(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    with qtbot.waitSignal(dialog.decided):
        press(dialog, Qt.Key.Key_Return, release=False)
    assert [decision.allow for decision in decisions(fake_core)] == [False]


@pytest.mark.parametrize("way", ["escape", "button", "close"])
def test_putting_it_away_decides_nothing_and_keeps_what_was_typed(
    ask: Any, waiting: Run, fake_core: Any, context: Any, qtbot: Any, way: str
) -> None:
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    dialog.program.editor.set_text("print('mine')\n")
    if way == "close":
        QApplication.sendEvent(dialog, _spontaneous_close(dialog))
    elif way == "escape":
        dialog.reject()
    else:
        qtbot.mouseClick(dialog.later_button, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    dialog.come_back()
    assert dialog.program.edited_text() == "print('mine')\n"
    assert dialog.focusWidget() is dialog.program.editor
    dialog.put_away()
    context.store.handle(RunChanged(replace(waiting, state=RunState.REFUSED)))
    assert dialog.result() == 0
    assert decisions(fake_core) == []


def test_enter_while_reading_the_code_decides_nothing(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    dialog.program.reader.setFocus()
    qtbot.keyClick(dialog.program.reader, Qt.Key.Key_Return)
    qtbot.wait(20)
    assert decisions(fake_core) == []


def test_enter_presses_the_button_that_has_the_keyboard(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    dialog.edit_button.setFocus()
    qtbot.keyClick(dialog.edit_button, Qt.Key.Key_Return)
    assert dialog.program.editing
    assert decisions(fake_core) == []


def test_a_reason_goes_along_with_the_denial(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Deny with reason…"), Qt.MouseButton.LeftButton)
    qtbot.keyClicks(dialog.reason_row.line, "not on Fridays")
    with qtbot.waitSignal(dialog.decided):
        qtbot.keyClick(dialog.reason_row.line, Qt.Key.Key_Return)
    (decision,) = decisions(fake_core)
    assert (decision.allow, decision.reason) == (False, "not on Fridays")


def double_click(dialog: ApprovalPage, button: QWidget) -> None:
    """Two clicks 0.1 s apart in one place, on the widget that is there at the time."""
    none, left = Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton
    place = button.mapTo(dialog, button.rect().center())
    for at in (100_000, 100_100):
        widget = dialog.childAt(place)
        spot, on_screen = QPointF(widget.mapFrom(dialog, place)), QPointF(dialog.mapToGlobal(place))
        for kind, held in ((QEvent.Type.MouseButtonPress, left), (QEvent.Type.MouseButtonRelease, none)):
            event = QMouseEvent(kind, spot, on_screen, left, held, Qt.KeyboardModifier.NoModifier)
            event.setTimestamp(at)
            QApplication.sendEvent(widget, event)
        QApplication.processEvents()


def places_of(buttons: list[QWidget], dialog: QWidget) -> list[QPoint]:
    """Where the buttons are once the layout has settled: each level of it takes a round of events."""
    places: list[QPoint] = []
    for _ in range(50):
        before, places = places, [button.mapTo(dialog, button.rect().topLeft()) for button in buttons]
        if before == places:
            break
        for _ in range(5):
            QApplication.processEvents()
    return places


@pytest.mark.parametrize("width", [560, 900])
def test_a_double_click_on_deny_with_reason_asks_for_the_reason(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any, width: int
) -> None:
    dialog = ask(replace(waiting, offers_limit="Not for good."))
    dialog.resize(width, 600)
    buttons = [dialog.deny_button, dialog.reason_button, dialog.offers, dialog.allow_button, dialog.later_button]
    places = places_of(buttons, dialog)
    double_click(dialog, dialog.reason_button)
    qtbot.waitUntil(dialog.reason_row.line.hasFocus)
    assert decisions(fake_core) == []
    assert places_of(buttons, dialog) == places
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.mouseClick(dialog.button("Deny with reason…"), Qt.MouseButton.LeftButton)
    assert dialog.reason_row.line.isVisible()


def test_the_second_click_of_a_double_click_presses_no_other_button(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.back_button.isVisible)
    place = dialog.back_button.mapTo(dialog, dialog.back_button.rect().center())
    double_click(dialog, dialog.back_button)
    assert not dialog.program.editing
    assert dialog.childAt(place) is dialog.reason_button, "another button is in its place"
    assert dialog.reason_row.isHidden()
    assert decisions(fake_core) == []


def test_the_worst_line_must_have_been_on_screen(ask: Any, waiting: Run, context: Any, qtbot: Any) -> None:
    finding = Finding("mail", Risk.HIGH, "Sends.", Span(151))
    dialog = ask(told(waiting, LONG, findings=(finding,), effects=()))
    assert dialog.program.reader.shows(151)  # it opens there
    assert dialog.allow_button.isEnabled()
    dialog.put_away()
    like = Resemblance(Likeness.VALUES, time.time(), LONG.replace("who", "me"))
    changed = told(waiting, LONG, findings=(finding,), effects=(), sha="b" * 64)
    proposal = replace(changed.proposal, sha="b" * 64)
    context.store.handle(RunChanged(replace(changed, proposal=proposal, like=like)))
    assert dialog.allow_button.obstacle() == "Look at the marked line first.", "nobody sees a dialog that is put away"
    dialog.come_back()
    qtbot.waitUntil(dialog.allow_button.isEnabled)


def test_a_row_of_the_table_leads_to_its_line(ask: Any, waiting: Run) -> None:
    effects = (
        Effect(EffectKind.WILL, "Sends.", 151, Risk.HIGH, False),
        Effect(EffectKind.REFUSED, "curl", 2, Risk.LOW, False),
    )
    dialog = ask(told(waiting, LONG, effects=effects, not_assessed=("the loop",)))
    words = [label.full_text() for label in dialog.effects.findChildren(ForeignLabel)]
    for expected in (
        "Will happen",
        "Sends.",
        "cannot be undone",
        "The sandbox will refuse",
        "Not assessed",
        "the loop",
    ):
        assert expected in words
    assert words.count("cannot be undone") == 1, "what is refused needs no undoing"
    link = next(link for link in dialog.effects.links() if link.text() == "line 2")
    link.click()
    assert dialog.program.reader.shows(2)


def test_critical_asks_for_the_name(ask: Any, waiting: Run, qtbot: Any) -> None:
    finding = Finding("x", Risk.CRITICAL, "Deletes.", Span(1), "delete_customer")
    dialog = ask(told(waiting, waiting.proposal.code, risk=Risk.CRITICAL, findings=(finding,)))
    assert not dialog.allow_button.isEnabled()
    qtbot.keyClicks(dialog.typing.line, "delete_custome")
    assert not dialog.allow_button.isEnabled()
    qtbot.keyClicks(dialog.typing.line, "r")
    assert dialog.allow_button.isEnabled()


def test_a_name_one_could_not_type_is_not_asked_for() -> None:
    finding = Finding("x", Risk.CRITICAL, "m", Span(1), "del\u200bete")
    assert confirmation_name(Verdict("s", Risk.CRITICAL, Gate.ASK, "x", (finding,))) == "allow"


def test_blocked_code_and_a_verdict_on_another_text_cannot_be_allowed(ask: Any, waiting: Run) -> None:
    dialog = ask(told(waiting, waiting.proposal.code, gate=Gate.BLOCKED))
    assert not dialog.allow_button.isEnabled()
    other = ask(told(waiting, waiting.proposal.code, sha="b" * 64))
    assert not other.allow_button.isEnabled()


def test_an_edit_is_assessed_again_under_a_new_sha(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    async def edit(run_id: str, code: str, base: str) -> Run:
        run = told(waiting, code, sha="b" * 64, sentence="Now harmless.", risk=Risk.LOW, findings=())
        return replace(run, proposal=replace(run.proposal, sha="b" * 64, original=waiting.proposal.code))

    fake_core.edit = edit
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    assert not dialog.allow_button.isEnabled()
    dialog.program.editor.set_text("print('fine')\n")
    press(dialog, Qt.Key.Key_Return)  # Enter belongs to the editor now
    assert decisions(fake_core) == []
    qtbot.mouseClick(dialog.button("Check my changes"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.head.sentence.full_text() == "Now harmless.")
    assert dialog.facts.full_text() == f"SHA-256 {'b' * 12}"
    assert dialog.focusWidget() is dialog.deny_button
    qtbot.mouseClick(dialog.button("Your changes"), Qt.MouseButton.LeftButton)
    assert "+print('fine')" in dialog.program.diff.changed_lines()
    qtbot.waitUntil(dialog.allow_button.settled)
    with qtbot.waitSignal(dialog.decided):
        dialog.allow()
    assert decisions(fake_core)[0].sha == "b" * 64


def test_escape_leaves_an_edit_that_changed_nothing(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    dialog.reject()
    assert not dialog.program.editing
    assert dialog.isVisible()
    assert dialog.focusWidget() is dialog.deny_button
    press(dialog, Qt.Key.Key_Escape, release=False)
    assert not dialog.isVisible()
    assert decisions(fake_core) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"state": RunState.REFUSED, "decision": None}, "Time is up"),
        ({"state": RunState.RUNNING, "decision": Decision("w", "a" * 64, True, "cli")}, "allowed elsewhere by cli"),
        ({"state": RunState.REFUSED, "decision": Decision("w", "a" * 64, False, "cli")}, "denied elsewhere by cli"),
        ({"state": RunState.INTERRUPTED}, "stopped"),
    ],
)
def test_what_was_decided_elsewhere_is_said_and_ends_the_question(
    ask: Any, waiting: Run, fake_core: Any, context: Any, change: dict[str, Any], words: str, qtbot: Any
) -> None:
    dialog = ask(waiting)
    context.store.handle(RunChanged(replace(waiting, **change)))
    assert words in dialog.fault.sentence()
    assert not dialog.allow_button.isVisible()
    dialog.allow()
    dialog.deny()
    qtbot.wait(20)
    assert decisions(fake_core) == []


def test_the_deadline_of_the_wall_clock_ends_nothing_and_the_core_says_how_it_ended(
    ask: Any, waiting: Run, context: Any, qtbot: Any
) -> None:
    dialog = ask(replace(waiting, deadline=time.time() + 600))
    context.store.handle(RunChanged(replace(waiting, deadline=time.time() - 600)))
    dialog.set_deadline(time.time() - 600)  # after a jump of the clock, or a suspend
    qtbot.wait(600)
    assert dialog.countdown.text() == "denied in 0:00"
    assert not dialog.is_over
    assert dialog.allow_button.isEnabled()
    context.store.handle(RunChanged(replace(waiting, state=RunState.REFUSED)))
    assert "Time is up" in dialog.fault.sentence()


def test_a_lost_core_lets_nothing_through(ask: Any, waiting: Run, fake_core: Any) -> None:
    dialog = ask(waiting)
    dialog.core_lost()
    dialog.allow()
    assert "will not run" in dialog.fault.sentence()
    assert decisions(fake_core) == []


def test_an_answer_the_core_does_not_take_can_be_given_again(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    async def decide(decision: Decision) -> Run:
        raise WorkbenchError("The core is not connected.", "Try again in a moment.")

    fake_core.decide = decide
    dialog = ask(waiting)
    dialog.allow()
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "The core is not connected.")
    assert dialog.isVisible()
    assert not dialog.allow_button.isEnabled(), "a second press of the same reflex does not count"
    qtbot.waitUntil(dialog.allow_button.isEnabled)


def test_a_long_program_must_be_here_as_a_whole(ask: Any, waiting: Run, context: Any, qtbot: Any) -> None:
    import asyncio

    gate = asyncio.Event()

    async def fetch(handle: str, offset: int, length: int) -> str:
        await gate.wait()
        return LONG

    run = told(waiting, TextPreview(LONG[:50], "h", len(LONG)), findings=(), effects=())
    dialog = ApprovalPage(replace(context, fetch=fetch), run)
    qtbot.addWidget(dialog, before_close_func=lambda _: dialog.done(0))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.open()
    qtbot.waitUntil(dialog.allow_button.settled)
    assert not dialog.allow_button.isEnabled()
    gate.set()
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    assert dialog.program.reader.text() == LONG


def test_the_changes_of_a_long_edited_program_are_those_against_its_authors_text(
    ask: Any, waiting: Run, context: Any, qtbot: Any
) -> None:
    texts = {"now": LONG.replace("y = 2", "y = 3", 1), "sent": LONG}

    async def fetch(handle: str, offset: int, length: int) -> str:
        return texts[handle]

    code, original = (TextPreview(LONG[:50], handle, len(LONG)) for handle in ("now", "sent"))
    run = told(waiting, code, findings=(), effects=())
    run = replace(run, proposal=replace(run.proposal, original=original))
    dialog = ApprovalPage(replace(context, fetch=fetch), run)
    qtbot.addWidget(dialog, before_close_func=lambda _: dialog.done(0))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.program.reader.text() == texts["now"])
    assert "edited by you" in dialog.program.facts.full_text()
    qtbot.mouseClick(dialog.button("Your changes"), Qt.MouseButton.LeftButton)
    assert sorted(dialog.program.diff.changed_lines()) == ["+y = 3", "-y = 2"]


MINE, THEIRS = "print('mine')\n", "print('theirs')\n"


def changed_elsewhere(waiting: Run, code: str = THEIRS, sha: str = "d" * 64) -> Run:
    run = told(waiting, code, sha=sha, sentence="Changed elsewhere.", findings=(), effects=())
    return replace(run, proposal=replace(run.proposal, sha=sha, original=waiting.proposal.code))


@pytest.fixture
def editing(ask: Any, waiting: Run, context: Any, qtbot: Any) -> ApprovalPage:
    """The user has typed a text, and the program was changed in another window."""
    dialog: ApprovalPage = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    dialog.program.editor.set_text(MINE)
    context.store.handle(RunChanged(changed_elsewhere(waiting)))
    assert dialog.program.edited_text() == MINE
    assert "changed in another window" in dialog.fault.sentence()
    assert not dialog.check_button.isEnabled(), "the user chooses first"
    assert dialog.run is waiting
    return dialog


def test_the_text_of_another_window_is_shown_when_the_user_chooses_it(editing: ApprovalPage, qtbot: Any) -> None:
    qtbot.mouseClick(editing.button("Use the other text"), Qt.MouseButton.LeftButton)
    assert not editing.program.editing
    assert editing.program.reader.text() == THEIRS
    assert editing.head.sentence.full_text() == "Changed elsewhere."
    assert not editing.allow_button.isEnabled(), "a text that has just appeared is not allowed by a reflex"
    assert "this is the new text" in editing.fault.sentence()


def test_the_users_own_text_is_kept_and_replaces_the_other_one_when_it_is_checked(
    editing: ApprovalPage, waiting: Run, fake_core: Any, context: Any, qtbot: Any
) -> None:
    sent: list[str] = []

    async def edit(run_id: str, code: str, base: str) -> Run:
        sent.append(code)
        return changed_elsewhere(waiting, code, "e" * 64)

    fake_core.edit = edit
    context.store.handle(RunChanged(changed_elsewhere(waiting, "print('again')\n", "f" * 64)))
    qtbot.mouseClick(editing.button("Keep my text"), Qt.MouseButton.LeftButton)
    assert editing.program.editing
    assert editing.program.edited_text() == MINE
    assert editing.fault.sentence() == ""
    assert editing.focusWidget() is editing.program.editor
    qtbot.mouseClick(editing.button("Check my changes"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not editing.program.editing)
    assert sent == [MINE]
    assert editing.program.reader.text() == MINE


def test_back_after_keeping_the_own_text_shows_the_text_that_would_run(editing: ApprovalPage, qtbot: Any) -> None:
    qtbot.mouseClick(editing.button("Keep my text"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(editing.button("Back"), Qt.MouseButton.LeftButton)
    assert editing.program.reader.text() == THEIRS
    assert editing.run.proposal.sha == "d" * 64
    assert not editing.allow_button.isEnabled(), "it settles again"


def test_nothing_replaces_the_question_which_text_to_use(
    editing: ApprovalPage, fake_core: Any, context: Any, qtbot: Any
) -> None:
    finding = Finding("text.bidi", Risk.HIGH, "Misleads.", Span(1))
    fake_core.edit_verdict = replace(fake_core.edit_verdict, gate=Gate.BLOCKED, findings=(finding,))
    editing.dry_run_ended(None)
    editing.dry_run_ended(Fault("The dry run ended without a plan."))
    qtbot.keyClicks(editing.program.editor, "#")
    qtbot.waitUntil(lambda: ("assess_edit", (f"#{MINE}",)) in fake_core.asked)
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert "changed in another window" in editing.fault.sentence()
    assert not editing.clean_button.isVisible()
    qtbot.mouseClick(editing.button("Keep my text"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(editing.clean_button.isVisible)
    assert editing.check_button.isEnabled()
    assert editing.program.edited_text() == f"#{MINE}"


def test_a_text_that_is_cleaned_during_a_change_elsewhere_does_not_hide_the_question(
    ask: Any, waiting: Run, fake_core: Any, context: Any, qtbot: Any
) -> None:
    async def clean(code: str) -> str:
        context.store.handle(RunChanged(changed_elsewhere(waiting)))
        return code.replace("\u202e", "")

    fake_core.clean_code = clean
    finding = Finding("text.bidi", Risk.HIGH, "Misleads.", Span(1))
    fake_core.edit_verdict = replace(fake_core.edit_verdict, gate=Gate.BLOCKED, findings=(finding,))
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    dialog.program.editor.set_text("x = '\u202e'\n")
    qtbot.waitUntil(dialog.clean_button.isVisible)
    qtbot.mouseClick(dialog.clean_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert "changed in another window" in dialog.fault.sentence()
    assert not dialog.clean_button.isVisible()
    assert dialog.program.edited_text() == "x = '\u202e'\n"


def test_a_change_elsewhere_replaces_an_editor_without_changes(
    ask: Any, waiting: Run, context: Any, qtbot: Any
) -> None:
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    context.store.handle(RunChanged(changed_elsewhere(waiting)))
    assert not dialog.program.editing
    assert dialog.program.reader.text() == THEIRS


def test_ctrl_enter_checks_the_changes_and_never_decides(ask: Any, waiting: Run, fake_core: Any, qtbot: Any) -> None:
    sent: list[str] = []

    async def edit(run_id: str, code: str, base: str) -> Run:
        sent.append(code)
        return changed_elsewhere(waiting, code, "e" * 64)

    fake_core.edit = edit
    dialog = ask(waiting)
    dialog.activateWindow()
    control = Qt.KeyboardModifier.ControlModifier
    for button in (dialog.allow_button, dialog.deny_button):
        qtbot.waitUntil(button.isEnabled)
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Return, control)
    assert not dialog.program.editing
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    assert "Ctrl+Enter" in dialog.facts.full_text()
    assert "Ctrl+Enter" in dialog.check_button.toolTip()
    dialog.program.editor.set_text(MINE)
    QTest.keyClick(dialog.program.editor, Qt.Key.Key_Return, control)
    qtbot.waitUntil(lambda: not dialog.program.editing)
    assert sent == [MINE]
    for _ in range(3):
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return, control)
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return, control)
    qtbot.wait(20)
    assert decisions(fake_core) == []


def test_the_facts_above_the_code_are_those_of_the_text_on_screen(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    fake_core.edit_verdict = replace(fake_core.edit_verdict, forks=2)
    dialog = ask(told(waiting, LONG, forks=7, findings=(), effects=()))
    facts = dialog.program.facts
    assert facts.full_text() == "201 lines · 7 branches and loops"
    qtbot.mouseClick(dialog.button("Edit"), Qt.MouseButton.LeftButton)
    dialog.program.editor.set_text("if x:\n    y = '\u202e'")
    qtbot.waitUntil(lambda: facts.full_text().startswith("2 lines · 2 branches and loops · edited by you · contains"))
    qtbot.mouseClick(dialog.button("Back"), Qt.MouseButton.LeftButton)
    assert facts.full_text() == "201 lines · 7 branches and loops"


def test_a_dialog_leaves_room_for_the_title_bar_that_it_does_not_have_yet(
    context: Any, waiting: Run, qtbot: Any
) -> None:
    dialog = ApprovalPage(context, waiting)
    qtbot.addWidget(dialog, before_close_func=lambda _: dialog.done(0))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    room = dialog.screen().availableGeometry()
    dialog.resize(room.size() * 2)
    dialog.open()
    assert room.contains(dialog.geometry())
    assert dialog.height() < room.height() - dialog.fontMetrics().height()


def test_hidden_characters_are_drawn_and_lines_keep_their_numbers(ask: Any, waiting: Run) -> None:
    dialog = ask(told(waiting, "a = 1 # \u202e\u2028x\nb = 2", findings=(), effects=()))
    assert dialog.program.reader.text() == "a = 1 # ‹U+202E›‹U+2028›x\nb = 2"
    assert "hidden characters" in dialog.program.facts.full_text()


def test_everything_that_takes_the_keyboard_has_a_name(ask: Any, waiting: Run, qtbot: Any) -> None:
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Deny with reason…"), Qt.MouseButton.LeftButton)
    for widget in dialog.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), f"{type(widget).__name__} has no name"


def test_the_dialog_fits_a_small_screen(ask: Any, waiting: Run) -> None:
    dialog = ask(waiting)
    dialog.resize(500, 420)
    assert dialog.width() <= 520
    assert dialog.allow_button.isVisible()
    for text in ("Deny", "Allow once"):
        button = dialog.button(text)
        assert dialog.rect().contains(button.mapTo(dialog, button.rect().bottomRight())), "no button is cut off"


def test_long_values_that_differ_from_last_time_cut_off_nothing_beside_them(ask: Any, waiting: Run) -> None:
    changes = (ValueChange(1, f"'/srv/{'a' * 70}.txt'", f"'/srv/{'b' * 70}.txt'", destination=True),)
    dialog = ask(replace(waiting, like=Resemblance(Likeness.VALUES, time.time(), "x = 1", changes)))
    dialog.resize(700, 660)
    QApplication.processEvents()
    sentence = dialog.head.sentence
    assert sentence.mapTo(dialog, sentence.rect().topRight()).x() < dialog.width()
    assert all(area.horizontalScrollBar().maximum() == 0 for area in dialog.findChildren(QScrollArea))


def test_on_a_common_small_screen_every_button_keeps_its_text(ask: Any, waiting: Run) -> None:
    dialog = ask(replace(waiting, offers_limit="Not for good."))
    dialog.resize(1024, 660)
    QApplication.processEvents()
    for text in ("Later", "Edit", "Dry run first", "Deny", "Deny with reason…", "Once", "Allow once"):
        button = dialog.button(text)
        assert button.text() == text
        assert dialog.rect().contains(button.mapTo(dialog, button.rect().bottomRight()))


def test_a_dry_run_gives_the_keyboard_back_to_deny(ask: Any, waiting: Run, qtbot: Any) -> None:
    dialog = ask(waiting)
    qtbot.mouseClick(dialog.button("Dry run first"), Qt.MouseButton.LeftButton)
    assert not dialog.dry_run_button.isEnabled(), "a second press starts no second one"
    assert dialog.focusWidget() is dialog.deny_button
    dialog.program.reader.setFocus()
    dialog.dry_run_ended(None)
    assert dialog.dry_run_button.isEnabled()
    assert dialog.focusWidget() is dialog.deny_button


def test_a_second_press_while_the_answer_is_sent_sends_nothing(
    ask: Any, waiting: Run, fake_core: Any, qtbot: Any
) -> None:
    dialog = ask(waiting)
    with qtbot.waitSignal(dialog.decided):
        qtbot.mouseClick(dialog.button("Deny"), Qt.MouseButton.LeftButton)
        qtbot.mouseClick(dialog.button("Deny"), Qt.MouseButton.LeftButton)
        dialog.allow()
    assert [decision.allow for decision in decisions(fake_core)] == [False]


def test_a_long_line_is_wrapped_so_that_nothing_is_hidden_to_the_right(ask: Any, waiting: Run) -> None:
    code = "x = 1;" + " " * 400 + 'await delete_customer(customer_id="CUS-0009")\n'
    dialog = ask(told(waiting, code, findings=(), effects=()))
    assert dialog.program.reader.horizontalScrollBar().maximum() == 0


def test_a_long_claim_is_cut_and_its_tooltip_has_all_of_it(ask: Any, waiting: Run) -> None:
    dialog = ask(replace(waiting, proposal=replace(waiting.proposal, purpose="because " * 125)))
    assert len(dialog.head.purpose.full_text()) < 250
    assert dialog.head.purpose.toolTip().count("because") == 125


def test_the_header_of_the_code_says_how_much_there_is_to_read(ask: Any, waiting: Run) -> None:
    dialog = ask(told(waiting, waiting.proposal.code, forks=1))
    assert dialog.program.facts.full_text() == "4 lines · 1 branch or loop"


class _SpontaneousClose(QCloseEvent):
    """A close as the window system sends it; Qt offers no way to set the mark."""

    def spontaneous(self) -> bool:
        return True


def _spontaneous_close(_dialog: ApprovalPage) -> QCloseEvent:
    return _SpontaneousClose()


def test_running_weaker_than_wanted_is_said_in_one_line_before_it_is_allowed(
    ask: Any, waiting: Run, context: Any
) -> None:
    words = (
        "This program should run in a container, but this machine has none. It runs in the process sandbox at full"
        " strength instead."
    )
    dialog = ask(replace(waiting, isolation=words), settled=False)
    assert [label.text() for label in dialog.findChildren(ForeignLabel) if label.isVisible()].count(words) == 1
    changed = replace(waiting, proposal=replace(waiting.proposal, sha="b" * 64), isolation="")
    context.store.handle(RunChanged(changed))
    assert not dialog.head.isolation.isVisible()


def test_a_weaker_sandbox_is_said_once_in_a_session_with_a_way_to_a_stronger_one(
    window: Any, fake_core: Any, make: Any, qtbot: Any
) -> None:
    words = (
        "This program should run in a container, but this machine has none. It runs in the process sandbox at full"
        " strength instead."
    )
    for name in ("one", "two"):
        fake_core.put_run(make.run(name, RunState.WAITING, isolation=words, level="process", fingerprint=name * 9))
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 2)
    window.commands.do("run.review")
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)))
    (review,) = window.findChildren(ReviewDialog)
    first = review.page()
    assert first.head.isolation.text.full_text() == words
    qtbot.mouseClick(first.button("Set up a stronger sandbox…"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.findChildren(IsolationDialog)))
    window.findChildren(IsolationDialog)[0].close()
    qtbot.keyClick(review.page(), Qt.Key.Key_J)
    qtbot.waitUntil(lambda: review.page() is not first)
    assert not review.page().head.isolation.isVisible()
    assert review.page().facts.full_text().startswith("in the process sandbox · ")
    assert words in review.page().facts.toolTip()


# ── hosts ────────────────────────────────────────────────────────────────────────────────────────
HOSTS = ("api.example.org:443", "files.example.net:8443")


def test_hosts_are_unticked_at_first_and_allowing_opens_none(
    fake_core: Any, ask: Any, waiting: Run, qtbot: Any
) -> None:
    dialog = ask(told(waiting, waiting.proposal.code, hosts=HOSTS))
    assert [box.text() for box in dialog.hosts.boxes] == [f"Allow {host} for this run" for host in HOSTS]
    assert dialog.hosts.ticked() == ()
    qtbot.waitUntil(lambda: not dialog.obstacle())
    dialog.allow()
    qtbot.waitUntil(lambda: bool(decisions(fake_core)))
    assert (decisions(fake_core)[0].allow, decisions(fake_core)[0].hosts) == (True, ())


def test_a_ticked_host_goes_with_the_decision(fake_core: Any, ask: Any, waiting: Run, qtbot: Any) -> None:
    dialog = ask(told(waiting, waiting.proposal.code, hosts=HOSTS))
    dialog.hosts.boxes[1].setFocus()
    qtbot.keyClick(dialog.hosts.boxes[1], Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not dialog.obstacle())
    dialog.allow()
    qtbot.waitUntil(lambda: bool(decisions(fake_core)))
    assert decisions(fake_core)[0].hosts == (HOSTS[1],)


def test_denying_opens_nothing_and_another_text_begins_unticked(
    fake_core: Any, ask: Any, waiting: Run, qtbot: Any
) -> None:
    dialog = ask(told(waiting, waiting.proposal.code, hosts=HOSTS))
    dialog.hosts.boxes[0].setChecked(True)
    dialog.hosts.show_hosts(("other.example.org:443",))
    assert dialog.hosts.ticked() == ()
    dialog.hosts.boxes[0].setChecked(True)
    dialog.deny()
    qtbot.waitUntil(lambda: bool(decisions(fake_core)))
    assert decisions(fake_core)[0].hosts == ()


def test_without_hosts_there_is_nothing_to_tick(ask: Any, waiting: Run) -> None:
    assert ask(waiting).hosts.isHidden()


def test_what_ended_while_an_answer_failed_is_over(
    ask: Any, waiting: Run, fake_core: Any, context: Any, qtbot: Any
) -> None:
    async def broken(decision: Decision) -> Run:
        context.store.handle(RunChanged(replace(waiting, state=RunState.INTERRUPTED)))
        raise ZeroDivisionError

    fake_core.decide = broken
    dialog = ask(waiting)
    with qtbot.waitSignal(context.tasks.failed):
        qtbot.mouseClick(dialog.deny_button, Qt.MouseButton.LeftButton)
    assert dialog.is_over
    assert "stopped" in dialog.fault.sentence()


def test_after_an_unforeseen_fault_the_request_can_still_be_answered(
    ask: Any, waiting: Run, fake_core: Any, context: Any, qtbot: Any
) -> None:
    dialog = ask(waiting)
    decide = fake_core.decide

    async def broken(decision: Decision) -> Run:
        raise ZeroDivisionError

    fake_core.decide = broken
    with qtbot.waitSignal(context.tasks.failed):
        qtbot.mouseClick(dialog.deny_button, Qt.MouseButton.LeftButton)
    fake_core.decide = decide
    with qtbot.waitSignal(dialog.decided):
        qtbot.mouseClick(dialog.deny_button, Qt.MouseButton.LeftButton)
    assert [decision.allow for decision in decisions(fake_core)] == [False]


def test_a_program_that_waits_only_for_trust_in_a_server_leads_to_that_question(
    ask: Any, context: Any, waiting: Run, qtbot: Any
) -> None:
    doubted = told(waiting, waiting.proposal.code, risk=Risk.MEDIUM, waits_for_trust=("files",))
    dialog, asked = ask(doubted), []
    context.messages.requested.connect(asked.append)
    assert (dialog.head.badge.text(), dialog.trust.isVisible()) == ("Unverified", True)
    QTest.mouseClick(dialog.trust.button, Qt.MouseButton.LeftButton)
    assert asked == [DecideTrust("files")]
    assert dialog.isVisible(), "the program still waits"
    context.store.handle(RunChanged(told(waiting, waiting.proposal.code, risk=Risk.HIGH)))
    qtbot.waitUntil(lambda: not dialog.trust.isVisible())
    assert dialog.head.badge.text() == "High risk", "as it was assessed after the decision"
