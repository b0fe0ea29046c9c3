"""Writes pictures of the editor, to be looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from tests.gui.screens.test_screens import shoot
from workbench.gui.kit.picker import Picker
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
def pane(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> Any:
    async def assess(code: str, language: str = "python", profile: str = "") -> Verdict:
        effects = (Effect(EffectKind.WILL, "Sends e-mails.", 13, Risk.HIGH),)
        return Verdict("a" * 64, Risk.HIGH, Gate.ASK, "Sends e-mails in a loop.", FOUND, effects)

    fake_core.assess = assess
    window.context.store.tools = {"demo": tuple(fake_core.tool_list)}
    fake_core.candidates = tuple(
        Candidate(name, kind, 0)
        for name, kind in (("list_orders", "module"), ("list_customers", "function"), ("limit", "statement"))
    )
    window.centre.setCurrentWidget(window.centre.editor)
    made = window.centre.editor
    made.open_code("Notes", "# Notes\n\n* buy milk\n")
    made.open_code("Tell customers of late orders", PROGRAM)
    qtbot.waitUntil(lambda: len(made.current_tab().editor.problems()) == 2)
    return made


@pytest.mark.parametrize(("size", "mode"), [((1440, 900), "dark"), ((1440, 900), "light"), ((900, 700), "light")])
def test_the_editor_in_use(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, theme: Any, settled: Any, size: tuple[int, int], mode: str
) -> None:
    theme.choose(mode)
    window.resize(*size)
    settled()  # a later layout scrolls the editor, which closes the list
    tab = pane.current_tab()
    tab.editor.go_to(9)
    tab.editor.setFocus()
    window.activateWindow()
    qtbot.waitUntil(tab.editor.hasFocus)
    qtbot.keyClicks(tab.editor, "li")
    qtbot.waitUntil(tab.completion.popup.isVisible)
    shoot(tab.completion.popup, f"editor-completion-{mode}-{size[0]}")
    tab.completion.hide()
    shoot(window, f"editor-writing-{mode}-{size[0]}")
    fake_core.shapes = (CallShape("send_email", ("to: str", "subject: str", "body: str"), 1, "Sends an e-mail."),)
    tab.completion.show_call()
    qtbot.waitUntil(tab.completion.card.isVisible)
    tab.find_bar.open_bar(replacing=True)
    tab.find_bar.text.setText("order")
    qtbot.waitUntil(lambda: "of" in tab.find_bar.status_text())
    shoot(window, f"editor-finding-{mode}-{size[0]}")
    tab.find_bar.close_bar()
    pane.pickers.go_to_symbol()
    (picker,) = [one for one in pane.findChildren(Picker) if one.isVisible()]
    assert picker.model.rowCount() == 1
    shoot(picker, f"editor-go-to-{mode}-{size[0]}")
    picker.reject()


@pytest.mark.parametrize("mode", ["dark", "light"])
def test_an_editor_without_programs(window: Any, theme: Any, settled: Any, mode: str) -> None:
    theme.choose(mode)
    window.centre.setCurrentWidget(window.centre.editor)
    settled()
    assert window.centre.editor.tabs() == []
    shoot(window, f"editor-empty-{mode}")


def test_a_scheme_of_pygments(window: Any, pane: Any, theme: Any) -> None:
    theme.choose("dark")
    pane.appearance.choose_scheme("dracula")
    pane.appearance.zoom(3)
    assert pane.current_tab().editor.scheme.name == "dracula"
    shoot(window, "editor-dracula")
    pane.appearance.choose_scheme("")
    pane.appearance.zoom(0)


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
    next(one for one in view.page().findChildren(QPushButton) if one.text() == "Bars").click()
    shoot(view, f"result-plot-lines-{mode}")
