from __future__ import annotations

import asyncio
from typing import Any

from PySide6.QtWidgets import QLabel
from shiboken6 import delete

from workbench.errors import WorkbenchError
from workbench.gui.shell.tasks import Tasks
from workbench.records import Fault


def test_a_result_goes_to_whoever_waits_for_it(loop: Any, complete: Any) -> None:
    tasks, got = Tasks(), []

    async def answer() -> int:
        return 42

    assert complete(asyncio.wait_for(tasks.run("answer", answer(), got.append), 60)) == 42
    assert got == [42]


def test_what_nobody_foresaw_is_told_with_its_traceback(loop: Any, complete: Any, qtbot: Any) -> None:
    tasks = Tasks()

    async def stumble() -> None:
        raise ValueError("seven")

    with qtbot.waitSignal(tasks.failed) as failed:
        complete(asyncio.wait_for(tasks.run("stumble", stumble()), 60))
    assert "seven" in failed.args[0].message
    assert "ValueError" in failed.args[0].detail


def test_a_fault_in_what_follows_a_result_is_told_too(loop: Any, complete: Any, qtbot: Any) -> None:
    tasks = Tasks()

    async def answer() -> int:
        return 1

    def stumble(_: int) -> None:
        raise KeyError("follow-up")

    with qtbot.waitSignal(tasks.failed) as failed:
        complete(asyncio.wait_for(tasks.run("answer", answer(), stumble), 60))
    assert "follow-up" in failed.args[0].message


def test_a_dialog_that_was_closed_meanwhile_is_no_fault_but_what_it_could_not_show_is(
    qapp: Any, loop: Any, complete: Any
) -> None:
    tasks, told = Tasks(), list[Fault]()
    tasks.failed.connect(told.append)
    gone = QLabel()
    delete(gone)

    async def draw() -> None:
        gone.setText("done")

    async def refused() -> None:
        try:
            raise WorkbenchError("It was refused.")
        except WorkbenchError as fault:
            gone.setText(fault.message)

    complete(asyncio.wait_for(tasks.run("draw", draw()), 60))
    assert not told
    complete(asyncio.wait_for(tasks.run("ask", refused()), 60))
    assert [fault.message for fault in told] == ["It was refused."]


def test_closing_ends_everything_and_nothing_begins_afterwards(loop: Any, complete: Any) -> None:
    tasks, began = Tasks(), []

    async def work() -> None:
        began.append(1)
        await asyncio.Event().wait()

    first = tasks.run("work", work())
    complete(asyncio.sleep(0))
    complete(tasks.close())
    assert first.cancelled()
    late = tasks.run("late", work())
    complete(asyncio.wait([late]))
    assert began == [1]
    assert tasks.running() == 0


def test_a_timer_that_fires_after_the_loop_is_gone_harms_nobody(qapp: Any) -> None:
    tasks = Tasks()
    asyncio.run(tasks.close())

    async def work() -> None:
        raise AssertionError("began after the end")

    assert tasks.run("late", work()).cancelled()
