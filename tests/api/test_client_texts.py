"""Texts that clients show about programs."""

from __future__ import annotations

from workbench.api.client_texts import confirmation_name
from workbench.records import Finding, Gate, Risk, Span, Verdict


def test_the_name_to_type_is_what_makes_a_program_risky_and_not_a_text_that_occurred_before() -> None:
    line = Span(1, 0, 1, 0)
    copied = Finding("flow.copied", Risk.HIGH, "It occurs in an earlier answer", line, subject="notes/today.md")
    sends = Finding("tool.call", Risk.MEDIUM, "Mails through demo.send_email", line, subject="demo.send_email")
    assert confirmation_name(Verdict("s", Risk.HIGH, Gate.ASK, "x", (copied, sends))) == "demo.send_email"
    assert confirmation_name(Verdict("s", Risk.HIGH, Gate.ASK, "x", (copied,))) == "notes/today.md"
