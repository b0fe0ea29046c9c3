"""Arguments are shown masked and short, and as masked as the session knows at that moment."""

from __future__ import annotations

from workbench.broker.call_audit import shown_arguments


async def test_only_the_beginning_of_huge_arguments_is_kept_and_no_half_of_an_address(core):
    session = core.services.sessions.open("agent")
    text = "x" * 3_580 + " anna.muster@example.com" + " tail" * 1_000_000
    cut = "y" * 3_990 + " anna.muster@example.com"
    shown = shown_arguments(session, {"a": text, "b": cut, "c": [[1] * 1000] * 1000, "k" * 9_000: 1})
    assert len(shown) < 4_010
    assert "anna" not in shown_arguments(session, {"a": text})
    assert "anna" not in shown_arguments(session, {"b": cut})
    assert len(shown_arguments(session, {"c": [[1] * 1000] * 1000})) < 4_010
    assert shown_arguments(session, {"a": [1, {"b": None}]}) == '{"a": [1, {"b": null}]}'


async def test_what_was_shown_once_is_masked_anew_when_something_was_learnt_meanwhile(core):
    session = core.services.sessions.open("agent")
    arguments = {"shelf": "Quilling Brothers", "limit": 3}
    before = shown_arguments(session, arguments)
    assert before == '{"shelf": "Quilling Brothers", "limit": 3}'
    assert shown_arguments(session, arguments) is before
    session.vault.learn("NAME", "Quilling Brothers")
    assert "Quilling" not in shown_arguments(session, arguments)
    session.forget()
    assert "Quilling" in shown_arguments(session, arguments)


async def test_megabytes_are_not_held_on_to_for_having_been_shown(core):
    session = core.services.sessions.open("agent")
    for number in range(200):
        shown_arguments(session, {"a": "x" * 5_000, "number": number})
        shown_arguments(session, {"rows": [0] * 600})
        shown_arguments(session, {"number": number})
    assert len(session.shown) <= 64
    assert all(len(str(arguments)) < 100 for arguments, _, _ in session.shown.values())
