"""A newcomer's first five minutes in the real window, on a real core process: every press is a press, nothing is fake.

Pictures of each step go to ./screenshots, so that they can be looked at.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton, QWidget

from tests.flows.conftest import end_core
from workbench.events import spawn
from workbench.gui.app import live, open_window
from workbench.gui.main_window import MainWindow
from workbench.gui.shell.bridge import LinkState
from workbench.gui.shell.navigation import ShowTool
from workbench.paths import Paths
from workbench.records import EntryQuery, RunState, SkillState

PICTURES = Path(__file__).resolve().parents[2] / "screenshots"
HANG = 60_000  # milliseconds; only a guard against waiting for ever


class Hands:
    """What a person does with a window: look, press, type, wait until something is seen."""

    def __init__(self, window: MainWindow, qtbot: Any, complete: Callable[..., Any], colours: str) -> None:
        self.window = window
        self.api = window.context.api
        self._qtbot = qtbot
        self._complete = complete
        self._colours = colours

    def wait(self, seen: Callable[[], object]) -> None:
        try:
            self._qtbot.waitUntil(lambda: bool(seen()), timeout=HANG)
        except Exception:
            self.look("stuck")
            raise

    def ask(self, coro: Any) -> Any:
        return self._complete(coro)

    def press(self, words: str, inside: QWidget | None = None) -> None:
        """Press the button with these words, once it is there and can be pressed."""
        self.wait(lambda: self._button(words, inside))
        button = self._button(words, inside)
        assert button is not None
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def sees(self, words: str, inside: QWidget | None = None) -> bool:
        place = inside or self.window
        return any(words in label.text() for label in place.findChildren(QLabel) if label.isVisible())

    def dialog(self, kind: str) -> QWidget:
        def found() -> list[QWidget]:
            widgets = (one for top in QApplication.topLevelWidgets() for one in (top, *top.findChildren(QDialog)))
            return [one for one in widgets if type(one).__name__ == kind and one.isVisible()]

        self.wait(found)
        return found()[0]

    def look(self, name: str, widget: QWidget | None = None) -> None:
        QTest.qWait(300)
        PICTURES.mkdir(exist_ok=True)
        assert (widget or self.window).grab().save(str(PICTURES / f"road-{name}-{self._colours}.png"))

    def _button(self, words: str, inside: QWidget | None) -> QPushButton | None:
        buttons = (inside or self.window).findChildren(QPushButton)
        return next((b for b in buttons if words in b.text() and b.isVisible() and b.isEnabled()), None)


@pytest.fixture(params=["light", pytest.param("dark", marks=pytest.mark.slow)])
def hands(
    request: Any, qapp: QApplication, loop: Any, complete: Any, qtbot: Any, paths: Paths, monkeypatch: Any
) -> Iterator[Hands]:
    """The real window, opened as `mcp-workbench FOLDER` does; its core is a process of its own."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    window = open_window(qapp, paths)
    window.context.theme.choose(request.param)
    window.resize(1440, 900)
    window.show()
    living = spawn("window", live(window))
    yield Hands(window, qtbot, complete, request.param)
    window.close()
    qtbot.waitUntil(living.done, timeout=HANG)
    complete(end_core(paths))
    window.deleteLater()
    QTest.qWait(50)


def test_a_newcomer_walks_all_three_roads(hands: Hands) -> None:
    window = hands.window
    # Road one: connect the demo, call a tool from its form.
    hands.press("Connect the demo server")
    hands.wait(lambda: window.servers.findChildren(QLabel) and hands.sees("demo is connected"))
    hands.look("1-welcome")
    wish_tool(window, "list_orders")
    hands.wait(lambda: window.centre.tool.page() is not None)
    sheet = window.centre.tool.page()
    assert sheet is not None
    QTest.qWait(200)
    window.centre.tool.run()
    hands.wait(lambda: hands.ask(hands.api.entries(EntryQuery(tool="list_orders", kind="call.done"))))
    hands.look("2-called")

    # Road two: a real agent proposes a program; it waits, is read, allowed and runs.
    hands.ask(hands.api.start_example_agent())
    hands.wait(lambda: waiting(hands))
    hands.press("Review")
    dialog = hands.dialog("ApprovalPage")
    hands.look("3-approval", dialog)
    run = waiting(hands)[0]
    QTest.qWait(900)  # nothing can be allowed in the first 0.7 s
    see_everything(dialog)
    hands.press("Allow once", dialog)
    hands.wait(lambda: hands.ask(hands.api.run(run.id)).state is RunState.DONE)
    hands.look("4-ran")
    done = hands.ask(hands.api.run(run.id))
    assert "@" in done.result
    assert "[EMAIL_1." in done.model_view

    # Road three: it becomes a skill.
    hands.press("Keep as skill", window.output)
    keep = hands.dialog("KeepDialog")
    name = next(field for field in keep.findChildren(QLineEdit) if field.isVisible())
    name.clear()
    QTest.keyClicks(name, "write-to-pending")
    hands.look("5-keep", keep)
    fill_description(keep)
    hands.press("Keep", keep)
    hands.wait(lambda: "write-to-pending" in kept(hands))
    window.docks["skills"].come()
    hands.look("6-kept")


def test_a_killed_core_is_said_and_comes_back_and_what_was_typed_stays(hands: Hands) -> None:
    window = hands.window
    hands.wait(lambda: window.bridge.link.state is LinkState.LINKED)
    window.centre.make_all()
    window.centre.editor.open_code("draft", "print('not lost')\n")
    pid = hands.ask(hands.api.status()).pid
    os.kill(pid, signal.SIGKILL)
    hands.wait(lambda: window.bridge.link.restarted and window.bridge.link.state is LinkState.LINKED)
    assert hands.ask(hands.api.status()).pid != pid
    sheet = window.centre.editor.current_tab()
    assert sheet is not None
    assert "not lost" in sheet.text()
    hands.look("7-core-back")


def test_a_core_that_was_stopped_stays_stopped_until_a_person_wants_it_back(hands: Hands) -> None:
    window = hands.window
    hands.wait(lambda: window.bridge.link.state is LinkState.LINKED)
    hands.wait(lambda: window.servers.model.states())
    hands.wait(lambda: window.context.store.secrets is not None)  # the last answer that the store asks for
    hands.wait(lambda: not window.context.tasks.running())  # open requests may reset the connection before it is read
    hands.ask(hands.api.shut_down())
    hands.wait(lambda: window.bridge.link.state is LinkState.BROKEN)
    QTest.qWait(500)
    assert window.bridge.link.state is LinkState.BROKEN
    assert hands.sees("The core was stopped.")
    hands.press("Try again")
    hands.wait(lambda: window.bridge.link.state is LinkState.LINKED)


def test_an_open_question_ends_with_its_core(hands: Hands) -> None:
    window = hands.window
    hands.press("Connect the demo server")
    hands.wait(lambda: hands.sees("demo is connected"))
    hands.ask(hands.api.start_example_agent())
    hands.wait(lambda: waiting(hands))
    hands.press("Review")
    dialog = hands.dialog("ApprovalPage")
    os.kill(hands.ask(hands.api.status()).pid, signal.SIGKILL)
    hands.wait(lambda: window.bridge.link.restarted and window.bridge.link.state is LinkState.LINKED)
    assert hands._button("Allow once", dialog) is None, "nothing is left to allow"
    hands.look("8-question-over", dialog)
    hands.wait(lambda: bool(waiting(hands)))  # the next core asks again
    (run,) = waiting(hands)
    dialog.close()
    hands.ask(hands.api.stop_run(run.id))


def wish_tool(window: MainWindow, tool: str) -> None:
    window.context.go(ShowTool("demo", tool))


def waiting(hands: Hands) -> list[Any]:
    return [run for run in hands.ask(hands.api.runs()) if run.state is RunState.WAITING]


def kept(hands: Hands) -> list[str]:
    return [skill.name for skill in hands.ask(hands.api.skills()) if skill.state is SkillState.KEPT]


def see_everything(dialog: QWidget) -> None:
    """Scroll the program to its end, as one who reads it."""
    for area in dialog.findChildren(QWidget):
        bar = getattr(area, "verticalScrollBar", None)
        if bar is not None:
            bar().setValue(bar().maximum())
            QTest.qWait(30)


def fill_description(keep: QWidget) -> None:
    field = keep.fields.description  # type: ignore[attr-defined]
    field.setFocus()
    QTest.keyClicks(field, "Write to customers whose order is pending.")
