"""Prompts are filled, with words, a table and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_a_ticket_is_quoted_in_the_tone_wished(demo: Line) -> None:
    given = {"ticket_id": "TIC-0001", "tone": "formal"}
    filled = demo.ask("prompts/get", name="answer_ticket", arguments=given)["result"]
    words = filled["messages"][0]["content"]["text"]
    assert words.startswith("Write a formal reply")
    assert "Subject:" in words


def test_sales_come_with_a_table_and_a_picture(demo: Line) -> None:
    given = {"product": "Beacon Lamp", "month": "2025-03"}
    filled = demo.ask("prompts/get", name="review_sales", arguments=given)["result"]
    assert [message["content"]["type"] for message in filled["messages"]] == ["text", "resource", "image", "text"]
    assert filled["messages"][-1]["role"] == "assistant"


def test_unknown_names_are_errors_that_say_which(demo: Line) -> None:
    answer = demo.ask("prompts/get", name="answer_ticket", arguments={"ticket_id": "TIC-9999"})
    assert "no ticket TIC-9999" in answer["error"]["message"]
    assert "Beacon Lamp" in demo.ask("prompts/get", name="review_sales", arguments=[])["error"]["message"]
