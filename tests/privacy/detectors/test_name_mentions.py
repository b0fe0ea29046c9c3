"""Names in greetings, farewells and before addresses."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.name_mentions import find_name_mentions


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in find_name_mentions(text)]


@pytest.mark.parametrize(
    "text",
    [
        "From: Rosa Lund <rosa@example.org>",
        'To: "Rosa Lund" <rosa@example.org>',
        "Co-authored-by: Rosa Lund <rosa@example.org>",
        "Organizer: Rosa Lund (rosa@example.org)",
        "- Rosa Lund <rosa@example.org> (admin)",
        "Dear Rosa Lund,\nthe parcel is here.",
        "Hallo Frau Rosa Lund, danke",
        "See you then.\n\nBest regards,\nRosa Lund\n",
        "Nothing new. Thanks, Rosa Lund",
        "ATTENDEE;CN=Rosa Lund;PARTSTAT=ACCEPTED:mailto:x",
        "a1b2c3d4 (Rosa Lund 2025-03-04 10:12:07 +0100 11) def load(path):",
        "[10:12] Rosa Lund: did it finish?",
        "2. **Rosa Lund**\n   - Email: none\n",
        "hello <@U024BE7LH|Rosa Lund>!",
    ],
)
def test_the_form_around_it_tells_that_it_is_a_name(text: str) -> None:
    assert found(text) == ["Rosa Lund"]


def test_a_family_name_before_a_comma_and_an_apostrophe_belong_to_it() -> None:
    assert found('"Lund, Rosa" <r@example.org>, Ann O\'Brien <a@example.org>') == ["Lund, Rosa", "Ann O'Brien"]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Customer,\nHi all, hello team!",
        "Support Team <help@example.org>",
        "CN=example.com,O=Acme",
        "thanks for the fix, merged",
        "[10:12] Build Server: ready",
        "call f(a, b) <x@y>",
        "3. Opening Hours\n   - Email: see below",
        "(see Section 4 2025-03-04 )",
    ],
)
def test_teams_titles_and_code_are_nobody(text: str) -> None:
    assert found(text) == []
