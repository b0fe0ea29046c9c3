"""Proposals come while one types, late ones are of no use, and typing never waits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt

from workbench.gui.servers.template_arguments import SuggestingLine
from workbench.records import Completion


class Script:
    """Answers with what was typed, when the gate is open."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, typed: str) -> Completion:
        self.asked.append(typed)
        await self.gate.wait()
        return Completion((f"{typed}1", f"{typed}2", "hid\u202eden"))


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def line(context: Any, qtbot: Any, script: Script) -> SuggestingLine:
    made = SuggestingLine("ticket", context.tasks, script)
    qtbot.addWidget(made)
    made.show()
    made.setFocus()
    qtbot.waitUntil(made.hasFocus)
    return made


def test_letters_of_a_moment_are_one_question_and_hidden_text_is_not_proposed(
    line: SuggestingLine, script: Script, qtbot: Any
) -> None:
    qtbot.keyClicks(line, "TIC")
    qtbot.waitUntil(lambda: line.suggestions() == ("TIC1", "TIC2"))
    assert script.asked == ["TIC"]


def test_typing_goes_on_while_a_server_thinks_and_its_late_answer_is_forgotten(
    line: SuggestingLine, script: Script, qtbot: Any
) -> None:
    script.gate.clear()
    qtbot.keyClicks(line, "a")
    qtbot.waitUntil(lambda: script.asked == ["a"])
    qtbot.keyClicks(line, "b")
    assert line.text() == "ab"
    qtbot.waitUntil(lambda: script.asked == ["a", "ab"])
    script.gate.set()
    qtbot.waitUntil(lambda: line.suggestions() == ("ab1", "ab2"))


def test_proposals_can_be_asked_for_without_typing(line: SuggestingLine, script: Script, qtbot: Any) -> None:
    qtbot.keyClick(line, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: line.suggestions() == ("1", "2"))
    assert script.asked == [""]
