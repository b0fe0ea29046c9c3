"""Draws the approval dialog in its states: something like it allowed before, flows, a longer reach, an edit, small."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from workbench.events import RunChanged
from workbench.gui.runs.approval_page import ApprovalPage
from workbench.records import (
    Effect,
    EffectKind,
    Finding,
    Flow,
    Gate,
    Likeness,
    Resemblance,
    Risk,
    RuleOffer,
    Run,
    Span,
    ToolUse,
    ValueChange,
    Verdict,
)

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
BEFORE = """\
from servers.web import fetch_page
from servers.mail import send_email

page = await fetch_page(url="https://acme.com/contact")
who = page["mail"]
for number in range(3):
    print(number)
await send_email(to="ada@acme.com", subject="Report 41", body=page["text"])
"""
CODE = BEFORE.replace("ada@acme.com", "eve@elsewhere.org").replace("41", "42")


def asked(make: Any) -> Run:
    """A run with everything a question may have."""
    words = "Sends an e-mail through mail.send_email to eve@elsewhere.org. Reads with web.fetch_page."
    verdict = Verdict(
        "a" * 64,
        Risk.HIGH,
        Gate.ASK,
        words,
        (Finding("tool.call", Risk.HIGH, "Sends e-mail through mail.send_email", Span(8), "mail.send_email"),),
        (
            Effect(EffectKind.WILL, "Sends e-mail through mail.send_email", 8, Risk.HIGH, False),
            Effect(EffectKind.WILL, "Reads with web.fetch_page", 4, Risk.LOW, True),
            Effect(EffectKind.REFUSED, "Opens a connection to elsewhere.org", 8, Risk.MEDIUM),
        ),
        (ToolUse("mail", "send_email", 8), ToolUse("web", "fetch_page", 4)),
        ("Tools whose names are only known at run time.",),
        flows=(
            Flow("untrusted", "web.fetch_page", 4, "mail.send_email.body", 8),
            Flow("private", "web.fetch_page", 4, "mail.send_email.body", 8),
        ),
        asks=("You asked to be asked about mail.send_email.",),
    )
    changes = (
        ValueChange(8, "'ada@acme.com'", "'eve@elsewhere.org'", destination=True),
        ValueChange(8, "'Report 41'", "'Report 42'"),
    )
    run = make.run("w", author="claude-code")
    proposal = replace(run.proposal, code=CODE, purpose="Send this month's report to the team, as always")
    like = Resemblance(Likeness.VALUES, time.time() - 400, BEFORE, changes)
    told = {
        "fingerprint": "5e" * 32,
        "offers": (RuleOffer("s1", "program", "session", "This program runs without asking, in this session."),),
        "offers_limit": "Exactly this program can be allowed for this session at most, because its risk is high.",
    }
    return replace(run, proposal=proposal, verdict=verdict, like=like, deadline=time.time() + 252, **told)


@pytest.fixture
def dialog(context: Any, fake_core: Any, make: Any, qtbot: Any) -> Any:
    """The question, with a second identical one waiting."""
    run = asked(make)
    for waiting in (run, replace(run, id="v")):
        context.store.handle(RunChanged(waiting))
    made = ApprovalPage(context, run)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(made)
    made.open()
    qtbot.waitUntil(lambda: "2 identical" in made.facts.full_text())
    qtbot.waitUntil(made.allow_button.settled)
    yield made
    made.done(0)


def _save(widget: Any, name: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("name", "width", "height"), [("wide", 1200, 760), ("900", 860, 600), ("1280", 1240, 690)])
def test_the_question(dialog: Any, context: Any, qtbot: Any, colours: str, name: str, width: int, height: int) -> None:
    context.theme.choose(colours)
    dialog.resize(width, height)
    qtbot.wait(1)
    assert dialog.width() == width, "nothing in the dialog needs more room"
    assert dialog.allow_button.isVisible()
    _save(dialog, f"approval-{name}-{colours}")


def test_the_reach_of_a_yes_is_chosen_in_a_menu(dialog: Any, context: Any) -> None:
    context.theme.choose("light")
    dialog.resize(1100, 700)
    menu = dialog.offers.menu()
    menu.popup(dialog.mapToGlobal(dialog.rect().center()))
    _save(menu, "approval-offers")
    menu.close()
    dialog.offers.actions_by_offer()["s1"].trigger()
    _save(dialog, "approval-session")


def test_an_edit_is_judged_as_it_is_typed(dialog: Any, context: Any, fake_core: Any, qtbot: Any) -> None:
    context.theme.choose("dark")
    dialog.resize(1100, 700)
    finding = Finding("text.bidi", Risk.HIGH, "A character that reverses the direction of text (U+202E)", Span(2))
    fake_core.edit_verdict = Verdict("c" * 64, Risk.HIGH, Gate.BLOCKED, f"Cannot run: {finding.message}.", (finding,))
    dialog.button("Edit").click()
    dialog.program.editor.set_text("print('fine')\n# \u202e hidden\n")
    qtbot.waitUntil(lambda: dialog.clean_button.isVisible())
    _save(dialog, "approval-edit")
