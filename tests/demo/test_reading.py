"""What can be read besides tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_resource_and_prompt_can_be_read(demo: Line) -> None:
    (resource,) = demo.ask("resources/list")["result"]["resources"]
    (content,) = demo.ask("resources/read", uri=resource["uri"])["result"]["contents"]
    assert "10,000 orders" in content["text"]
    (prompt,) = demo.ask("prompts/list")["result"]["prompts"]
    filled = demo.ask("prompts/get", name=prompt["name"], arguments={"ticket_id": "TIC-0001"})["result"]
    assert "Subject:" in filled["messages"][0]["content"]["text"]


def test_a_prompt_about_an_unknown_ticket_is_an_error(demo: Line) -> None:
    answer = demo.ask("prompts/get", name="answer_ticket", arguments={"ticket_id": "TIC-9999"})
    assert "no ticket TIC-9999" in answer["error"]["message"]
