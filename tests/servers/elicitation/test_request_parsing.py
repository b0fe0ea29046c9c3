"""Parsing a server's request into a record, and the user's answer into a response."""

from __future__ import annotations

import json

import pytest

from workbench.errors import WorkbenchError
from workbench.servers.elicitation import request_parsing
from workbench.servers.elicitation.request_parsing import ElicitationRefusal

HELLO = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 5, "_meta": {"x": 1}}


def read(method: str, **params: object):
    return request_parsing.read("1", "inn", method, params)


def test_a_form_keeps_its_message_and_schema(booking):
    ask = read("elicitation/create", **booking)
    assert (ask.kind, ask.message, json.loads(ask.schema)) == ("form", "Who comes?", booking["requestedSchema"])


def test_a_long_message_is_cut_and_says_so(booking):
    ask = read("elicitation/create", **{**booking, "message": "x" * 9_000})
    assert ask.message.endswith("… (1,000 more characters)")


def test_a_page_is_looked_at_before_anybody_sees_it():
    ask = read("elicitation/create", mode="url", message="Sign in", url="https://bank.example@evil.example/")
    assert (ask.kind, ask.host) == ("url", "evil.example")
    assert ask.warnings


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("elicitation/create", {"requestedSchema": {}}, -32602),
        ("elicitation/create", {"message": "x", "requestedSchema": 5}, -32602),
        ("elicitation/create", {"mode": "url", "message": "x", "url": "javascript:x"}, -32602),
        ("sampling/createMessage", {"messages": 5}, -32602),
        ("roots/list", {}, -32601),
    ],
)
def test_what_is_no_question_is_refused(method, params, code):
    with pytest.raises(ElicitationRefusal) as refused:
        read(method, **params)
    assert refused.value.code == code


def test_a_form_is_answered_as_the_protocol_says(booking):
    ask = read("elicitation/create", **booking)
    assert request_parsing.response_to(ask, "accept", '{"name": "Ada", "seats": 2}') == {
        "action": "accept", "content": {"name": "Ada", "seats": 2},
    }  # fmt: skip
    assert request_parsing.response_to(ask, "decline", "") == {"action": "decline"}
    assert request_parsing.response_to(ask, "cancel", "") == {"action": "cancel"}
    assert request_parsing.response_without_answer(ask) == {"action": "cancel"}


@pytest.mark.parametrize("content", ['{"name": "Ada"}', "[1]", "{", '{"name": "Ada", "seats": NaN}'])
def test_an_answer_that_does_not_fit_is_not_sent(booking, content):
    with pytest.raises(WorkbenchError):
        request_parsing.response_to(read("elicitation/create", **booking), "accept", content)
    with pytest.raises(WorkbenchError):
        request_parsing.response_to(read("elicitation/create", **booking), "perhaps", "")


def test_a_refused_model_gives_the_reason():
    ask = read("sampling/createMessage", **HELLO)
    assert "_meta" not in json.loads(ask.request)
    said = {"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "me"}
    assert request_parsing.response_to(ask, "accept", json.dumps(said)) == said
    refused = request_parsing.response_to(ask, "decline", '{"reason": "Not today."}')
    assert isinstance(refused, ElicitationRefusal)
    assert (refused.code, refused.message) == (-1, "Not today.")
    assert isinstance(request_parsing.response_to(ask, "cancel", ""), ElicitationRefusal)
    assert isinstance(request_parsing.response_without_answer(ask), ElicitationRefusal)


ASKED = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 100}
TOOLS = {**ASKED, "tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
SAID = {"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "a person", "stopReason": "endTurn"}


def test_a_request_of_messages_can_be_shown():
    assert request_parsing.sampling_request_flaw(ASKED) == ""
    assert request_parsing.sampling_request_flaw(TOOLS) == ""


def test_what_is_too_much_or_no_request_is_refused():
    assert request_parsing.sampling_request_flaw({})
    assert request_parsing.sampling_request_flaw({"messages": ["Hi"]})
    assert request_parsing.sampling_request_flaw({**ASKED, "tools": [{}]})
    assert "500" in request_parsing.sampling_request_flaw({"messages": ASKED["messages"] * 501})
    assert "1,000,000" in request_parsing.sampling_request_flaw(
        {"messages": [{"role": "user", "content": "x" * 1_000_001}]}
    )


def test_text_and_an_offered_tool_may_be_sent():
    assert request_parsing.sampling_answer_faults(ASKED, SAID) == ()
    use = {"type": "tool_use", "id": "1", "name": "look", "input": {"at": "x"}}
    assert (
        request_parsing.sampling_answer_faults(
            TOOLS, {**SAID, "content": [SAID["content"], use], "stopReason": "toolUse"}
        )
        == ()
    )


def test_what_a_model_would_not_say_is_not_sent():
    use = {"type": "tool_use", "id": "1", "name": "delete", "input": {}}
    for wrong in (
        {**SAID, "role": "system"}, {**SAID, "model": " "}, {**SAID, "stopReason": 5}, {**SAID, "content": "Hello"},
        {**SAID, "content": {"type": "text"}}, {**SAID, "content": {"type": "video"}}, "Hello",
        {**SAID, "content": [SAID["content"]]}, {**SAID, "content": use},
        {**SAID, "content": {"type": "text", "text": "x" * 1_000_001}},
    ):  # fmt: skip
        assert request_parsing.sampling_answer_faults(ASKED, wrong), wrong
    assert request_parsing.sampling_answer_faults(TOOLS, {**SAID, "content": use}) == (
        "The answer uses a tool that was not offered.",
    )
    assert request_parsing.sampling_answer_faults(TOOLS, {**SAID, "content": {**use, "name": "look", "input": 1}})
