"""The demo server asks in the middle of a call; the real window over a real core process shows it and answers."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.elicitation_page import ElicitationPage
from workbench.gui.runs.held_call_page import HeldCallPage
from workbench.records import Decision, EntryQuery, Origin, RunState, ToolCall

HANG = 60_000  # milliseconds; only a guard against waiting for ever
NOT_YET = (RunState.PROPOSED, RunState.CHECKED)


def test_a_form_of_the_demo_server_is_answered_in_the_window(window: Any, complete: Any, qtbot: Any) -> None:
    call = ToolCall("c1", "demo", "plan_visit", {"place": "the office"}, Origin.PERSON, "person")
    calling = window.context.tasks.run("call", window.context.api.call(call))
    qtbot.waitUntil(lambda: len(window.findChildren(ElicitationPage)) == 1, timeout=HANG)
    (dialog,) = window.findChildren(ElicitationPage)
    dialog.body.form.set_value({"name": "Ada", "day": "2026-05-01"})
    qtbot.waitUntil(dialog.allow_button.isEnabled)  # a press before does not count
    dialog.allow_button.click()
    qtbot.waitUntil(calling.done, timeout=HANG)
    assert json.loads(calling.result().structured)["plan"] == "Ada visits the office on 2026-05-01, 1 in all."
    notes = complete(window.context.api.entries(EntryQuery(kind="elicitation.")))
    assert [entry.note.kind for entry in reversed(notes)] == [
        "elicitation.requested",
        "elicitation.accepted",
        "elicitation.values_sent",
    ]


def test_a_cancelled_call_closes_its_question(window: Any, complete: Any, qtbot: Any) -> None:
    call = ToolCall("c2", "demo", "write_greeting", {"name": "Bo"}, Origin.PERSON, "person")
    calling = window.context.tasks.run("call", window.context.api.call(call))
    qtbot.waitUntil(lambda: len(window.findChildren(ElicitationPage)) == 1, timeout=HANG)
    complete(window.context.api.cancel_call("c2"))
    qtbot.waitUntil(calling.done, timeout=HANG)
    qtbot.waitUntil(lambda: not window.findChildren(ElicitationPage), timeout=HANG)
    assert not window.strip.isVisible()


PASSES_ON = """
from servers.demo import read_mail, send_email
body = (await read_mail(mail_id="IN-0004"))["body"]
word = next(word for word in body.split() if "@" in word)
await send_email(to=word, subject="Records", body="Here they are")
"""


def test_a_call_with_a_strangers_address_waits_in_the_window_and_is_denied_there(
    window: Any, complete: Any, qtbot: Any
) -> None:
    api = window.context.api
    run = complete(api.submit(PASSES_ON, "", ""))
    qtbot.waitUntil(lambda: complete(api.run(run.id)).state not in NOT_YET, timeout=HANG)
    run = complete(api.run(run.id))
    if run.state is RunState.WAITING:
        complete(api.decide(Decision(run.id, run.proposal.sha, True, "you", fingerprint=run.fingerprint, seconds=5.0)))
    store = window.context.store  # the strip shows the program first, then its held call
    qtbot.waitUntil(lambda: bool(store.held_calls) and store.runs[run.id].state is RunState.RUNNING, timeout=HANG)
    window.strip.act.click()
    qtbot.waitUntil(lambda: len(window.findChildren(HeldCallPage)) == 1, timeout=HANG)
    (dialog,) = window.findChildren(HeldCallPage)
    told = " ".join(one.full_text() for one in dialog.findChildren(ForeignLabel))
    assert "records@collect-data.example" in told
    assert "demo.read_mail, in this run" in told
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert complete(api.run(run.id)).held_calls, "it keeps waiting"
    window.strip.act.click()
    assert window.findChildren(HeldCallPage) == [dialog]
    qtbot.waitUntil(dialog.allow_button.settled, timeout=HANG)
    QTest.keyClick(dialog.button("Deny"), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: complete(api.run(run.id)).state is RunState.FAILED, timeout=HANG)
    assert "denied" in complete(api.run(run.id)).fault.message
    qtbot.waitUntil(lambda: not window.strip.isVisible(), timeout=HANG)
