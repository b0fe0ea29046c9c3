"""The demo server asks in the middle of a call; the real window over a real core process shows it and answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.events import spawn
from workbench.gui.app import live, open_window
from workbench.gui.asks.dialog import SETTLE_SECONDS, AskDialog
from workbench.gui.bridge import LinkState
from workbench.paths import Paths
from workbench.records import EntryQuery, Origin, ToolCall
from workbench.wire.client import connect

HANG = 30_000  # milliseconds; only a guard against waiting for ever


@pytest.fixture
def window(qapp: QApplication, loop: Any, complete: Any, qtbot: Any, paths: Paths, monkeypatch: Any) -> Iterator[Any]:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    made = open_window(qapp, paths)
    made.show()
    living = spawn("window", live(made))
    qtbot.waitUntil(lambda: made.bridge.link.state is LinkState.LINKED, timeout=HANG)
    complete(made.context.questions.connect("demo"))
    yield made
    made.close()
    qtbot.waitUntil(living.done, timeout=HANG)
    complete(_end_core(paths))
    made.deleteLater()
    QTest.qWait(50)


async def _end_core(paths: Paths) -> None:
    connection = await connect(paths)
    await connection.questions.shut_down()
    await connection.closed.wait()
    await connection.close()


def test_a_form_of_the_demo_server_is_answered_in_the_window(window: Any, complete: Any, qtbot: Any) -> None:
    call = ToolCall("c1", "demo", "plan_visit", {"place": "the office"}, Origin.PERSON, "person")
    calling = window.context.tasks.run("call", window.context.questions.call(call))
    qtbot.waitUntil(lambda: len(window.findChildren(AskDialog)) == 1, timeout=HANG)
    (dialog,) = window.findChildren(AskDialog)
    dialog.body.form.set_value({"name": "Ada", "day": "2026-05-01"})
    QTest.qWait(round(SETTLE_SECONDS * 1000) + 100)  # a press before does not count
    dialog.send.click()
    qtbot.waitUntil(calling.done, timeout=HANG)
    assert json.loads(calling.result().structured)["plan"] == "Ada visits the office on 2026-05-01, 1 in all."
    notes = complete(window.context.questions.entries(EntryQuery(kind="ask.")))
    assert [entry.note.kind for entry in reversed(notes)] == ["ask.arrived", "ask.accept", "ask.given"]


def test_a_cancelled_call_closes_its_question(window: Any, complete: Any, qtbot: Any) -> None:
    call = ToolCall("c2", "demo", "write_greeting", {"name": "Bo"}, Origin.PERSON, "person")
    calling = window.context.tasks.run("call", window.context.questions.call(call))
    qtbot.waitUntil(lambda: len(window.findChildren(AskDialog)) == 1, timeout=HANG)
    complete(window.context.questions.cancel_call("c2"))
    qtbot.waitUntil(calling.done, timeout=HANG)
    qtbot.waitUntil(lambda: not window.findChildren(AskDialog), timeout=HANG)
    assert not window.asks.isVisible()
