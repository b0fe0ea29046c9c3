"""The demo's tools that ask back, spoken to line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

ALL = {"elicitation": {"form": {}}, "sampling": {}}


@pytest.fixture
def able(start: Callable[..., Any]) -> Any:
    """A demo server whose client can be asked everything."""
    demo = start()
    demo.ask("initialize", protocolVersion="2025-11-25", capabilities=ALL)
    return demo


def begin(demo: Any, tool: str, **arguments: Any) -> tuple[int, dict[str, Any]]:
    """The call, and the question that came back."""
    request = demo.start("tools/call", name=tool, arguments=arguments)
    while "method" not in (message := demo.receive()) or "id" not in message:
        pass
    return request, message


def reply(demo: Any, request: int, question: dict[str, Any], **answer: Any) -> dict[str, Any]:
    demo.send({"jsonrpc": "2.0", "id": question["id"], **answer})
    found: dict[str, Any] = demo.answer(request)["result"]
    return found


def test_a_visit_is_planned_with_what_the_person_entered(able: Any) -> None:
    request, question = begin(able, "plan_visit", place="the office")
    assert question["method"] == "elicitation/create"
    assert question["params"]["requestedSchema"]["required"] == ["name", "day"]
    content = {"name": "Ada", "day": "2026-05-01", "guests": 2}
    answer = reply(able, request, question, result={"action": "accept", "content": content})
    assert answer["structuredContent"]["plan"] == "Ada visits the office on 2026-05-01, 2 in all."


def test_a_person_who_declines_plans_nothing(able: Any) -> None:
    request, question = begin(able, "plan_visit", place="the office")
    answer = reply(able, request, question, result={"action": "decline"})
    assert answer["isError"] is True
    assert "decline" in answer["content"][0]["text"]


def test_a_model_writes_the_greeting(able: Any) -> None:
    request, question = begin(able, "write_greeting", name="Bo")
    assert "welcomes Bo" in question["params"]["messages"][0]["content"]["text"]
    said = {"role": "assistant", "content": {"type": "text", "text": "Welcome, Bo!"}, "model": "me"}
    answer = reply(able, request, question, result=said)
    assert answer["structuredContent"] == {"greeting": "Welcome, Bo!", "model": "me"}


def test_a_refusal_of_the_client_reaches_whoever_called(able: Any) -> None:
    request, question = begin(able, "write_greeting", name="Bo")
    answer = reply(able, request, question, error={"code": -1, "message": "Not today."})
    assert answer["content"][0]["text"] == "The client refused the request: Not today."


def test_a_cancelled_call_takes_its_question_back(able: Any) -> None:
    request, question = begin(able, "plan_visit", place="the office")
    able.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}})
    while (message := able.receive()).get("method") != "notifications/cancelled":
        pass
    assert message["params"] == {"requestId": question["id"]}


def test_a_client_that_cannot_be_asked_is_told_so(demo: Any) -> None:
    assert demo.refusal("plan_visit", place="the office").startswith("This client does not support elicitation")
