"""What a model would read is shown word for word."""

from __future__ import annotations

from typing import Any

from workbench.gui.runs.elicitation_bodies import Transcript, request_facts, request_parts

ASKED = {
    "systemPrompt": "Be brief.",
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "Hi <b>you</b>\u202e"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        ]},
        {"role": "assistant", "content": {"type": "tool_use", "id": "1", "name": "look", "input": {}}},
    ],
    "tools": [{"name": "look", "description": "Looks."}],
    "maxTokens": 9, "temperature": 0.5, "stopSequences": ["END"], "includeContext": "none",
    "modelPreferences": {"hints": [{"name": "small"}], "costPriority": 1}, "toolChoice": {"mode": "required"},
}  # fmt: skip


def test_everything_in_it_has_its_heading() -> None:
    assert [heading for heading, _ in request_parts(ASKED)] == ["System prompt", "user", "assistant", "Tool look"]


def test_foreign_text_stays_text_and_hidden_letters_are_seen(theme: Any, qtbot: Any) -> None:
    shown = Transcript(theme, ASKED)
    qtbot.addWidget(shown)
    text = shown.toPlainText()
    assert "Hi <b>you</b>‹U+202E›" in text
    assert "[image image/png, 3 B]" in text
    assert shown.isReadOnly()


def test_a_flood_of_text_is_cut_and_counted(theme: Any, qtbot: Any) -> None:
    shown = Transcript(theme, {"messages": [{"role": "user", "content": {"type": "text", "text": "x" * 300_000}}] * 2})
    qtbot.addWidget(shown)
    assert "… (100,000 more)" in shown.toPlainText()
    assert len(shown.toPlainText()) < 210_000


def test_limits_and_wishes_stand_in_one_line() -> None:
    assert request_facts(ASKED) == (
        'at most 9 tokens · temperature 0.5 · stops at ["END"] · prefers small · cost 1 · tools: required · '
        "context: none"
    )
    assert request_facts({"maxTokens": 5, "modelPreferences": "x", "tools": []}) == "at most 5 tokens"
