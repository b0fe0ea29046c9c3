from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.gui.shell.actions import ACTIONS, LINKED, WAITING
from workbench.gui.shell.commands import Commands


@pytest.fixture
def commands(context: Any, qtbot: Any) -> Iterator[Commands]:
    widget = QWidget()
    qtbot.addWidget(widget)
    commands = Commands(context.tasks, widget)
    commands.set_condition(LINKED, True)
    yield commands
    widget.deleteLater()


def test_an_action_that_is_still_running_cannot_start_again(commands: Commands, qtbot: Any) -> None:
    gate, starts = asyncio.Event(), []

    async def work() -> None:
        starts.append(1)
        await gate.wait()

    commands.bind("agent.example", work)
    commands.do("agent.example")
    assert not commands["agent.example"].isEnabled()
    commands.do("agent.example")
    qtbot.waitUntil(lambda: len(starts) == 1)
    gate.set()
    qtbot.waitUntil(lambda: commands["agent.example"].isEnabled())
    assert starts == [1]


def test_a_fault_is_told_in_one_place_and_the_action_is_free_again(
    commands: Commands, context: Any, qtbot: Any
) -> None:
    async def work() -> None:
        raise WorkbenchError("It did not work.", "Try another way.")

    commands.bind("agent.example", work)
    with qtbot.waitSignal(context.tasks.failed) as failed:
        commands.do("agent.example")
    assert failed.args[0].message == "It did not work."
    assert failed.args[0].hint == "Try another way."
    qtbot.waitUntil(lambda: commands["agent.example"].isEnabled())


def test_an_action_waits_for_all_its_conditions(commands: Commands) -> None:
    assert not commands["run.review"].isEnabled()
    commands.set_condition(WAITING, True)
    assert commands["run.review"].isEnabled()
    commands.set_condition(LINKED, False)
    assert not commands["run.review"].isEnabled()


def test_a_shortcut_before_anything_is_bound_is_done_as_soon_as_it_can_be(commands: Commands, qtbot: Any) -> None:
    done: list[int] = []
    commands["palette.open"].trigger()
    assert done == []
    commands.bind("palette.open", lambda: done.append(1))
    qtbot.waitUntil(lambda: done == [1])
    commands["palette.open"].trigger()
    assert done == [1, 1]


def test_a_held_key_runs_nothing_twice(commands: Commands) -> None:
    repeating = {entry.id for entry in ACTIONS if commands[entry.id].autoRepeat()}
    assert "front.start" not in repeating
    assert {"editor.find_next", "tab.next", "edit.undo"} <= repeating
