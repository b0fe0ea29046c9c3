"""Writes pictures of the editor at work, so that a person can look at them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.gui.screens.test_screens import shoot
from workbench.gui.code.chooser import Chooser
from workbench.gui.results.result_view import ResultView
from workbench.records import CallShape, Candidate, Effect, EffectKind, Finding, Gate, Risk, Span, Verdict

PROGRAM = '''from servers.demo import list_orders, send_email

LIMIT = 20  # orders that are looked at


async def late_orders(days: int = 3) -> list[dict[str, object]]:
    """Orders that are late; hidden text: ‹U+2028›."""
    orders = await list_orders(limit=LIMIT)
    return [order for order in orders if order["status"] == "late"]


for order in await late_orders():
    await send_email(to=order["customer"], subject="Sorry", body=f"Order {order['id']} is late.")
'''
FOUND = (
    Finding("mail.send", Risk.HIGH, "Sends an e-mail in a loop, to an address out of an answer.", Span(13, 10, 13, 20)),
    Finding("tool.loop", Risk.MEDIUM, "Calls a tool any number of times.", Span(12, 0, 12, 33)),
)


@pytest.fixture
def pane(window: Any, paper: Any, qtbot: Any, settled: Any) -> Any:
    async def assess(code: str, language: str = "python", profile: str = "") -> Verdict:
        effects = (Effect(EffectKind.WILL, "Sends e-mails.", 13, Risk.HIGH),)
        return Verdict("a" * 64, Risk.HIGH, Gate.ASK, "Sends e-mails in a loop.", FOUND, effects)

    paper.assess = assess
    paper.candidates = tuple(
        Candidate(name, kind, 0)
        for name, kind in (("list_orders", "function"), ("list_customers", "function"), ("limit", "statement"))
    )
    window.centre.setCurrentWidget(window.centre.editor)
    made = window.centre.editor
    made.open_code("Notes", "# Notes\n\n* buy milk\n")
    made.open_code("Tell customers of late orders", PROGRAM)
    qtbot.waitUntil(lambda: len(made.sheet().editor.problems()) == 2)
    return made


@pytest.mark.parametrize(("size", "mode"), [((1440, 900), "dark"), ((1440, 900), "light"), ((900, 700), "light")])
def test_the_editor_while_one_writes(
    window: Any, pane: Any, paper: Any, qtbot: Any, theme: Any, settled: Any, size: tuple[int, int], mode: str
) -> None:
    theme.choose(mode)
    window.resize(*size)
    settled()  # a layout that comes later scrolls the editor, which closes the list
    sheet = pane.sheet()
    sheet.editor.go_to(9)
    sheet.editor.setFocus()
    window.activateWindow()
    qtbot.waitUntil(sheet.editor.hasFocus)
    qtbot.keyClicks(sheet.editor, "li")
    qtbot.waitUntil(sheet.completing.list.isVisible)
    shoot(window, f"editor-writing-{mode}-{size[0]}")
    sheet.completing.leave()
    paper.shapes = (CallShape("send_email", ("to: str", "subject: str", "body: str"), 1, "Sends an e-mail."),)
    sheet.completing.show_call()
    qtbot.waitUntil(sheet.completing.card.isVisible)
    sheet.finder.open_bar(replacing=True)
    sheet.finder.words.setText("order")
    qtbot.waitUntil(lambda: "of" in sheet.finder.words_said())
    shoot(window, f"editor-finding-{mode}-{size[0]}")
    sheet.finder.close_bar()
    pane.deeds.go_to()
    (chooser,) = [one for one in pane.findChildren(Chooser) if one.isVisible()]
    assert chooser.model.rowCount() == 1
    shoot(chooser, f"editor-go-to-{mode}-{size[0]}")
    chooser.reject()


def test_a_scheme_of_pygments(window: Any, pane: Any, theme: Any) -> None:
    theme.choose("dark")
    pane.looks.choose("dracula")
    pane.looks.zoom(3)
    assert pane.sheet().editor.scheme.name == "dracula"
    shoot(window, "editor-dracula")
    pane.looks.choose("")
    pane.looks.zoom(0)


@pytest.mark.parametrize("mode", ["dark", "light"])
def test_a_plot(context: Any, theme: Any, qtbot: Any, mode: str) -> None:
    theme.choose(mode)
    view = ResultView(context)
    qtbot.addWidget(view)
    view.resize(720, 420)
    rows = [{"month": f"2026-{at:02}", "sold": 20 + (at * 37) % 50, "returned": at % 5 * 6} for at in range(1, 13)]
    view.show_json(json.dumps(rows))
    view.look("Plot")
    view.show()
    shoot(view, f"result-plot-bars-{mode}")
    view.page()._as_bars.setChecked(False)
    shoot(view, f"result-plot-lines-{mode}")
