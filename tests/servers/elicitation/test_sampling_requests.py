"""Sampling: what a person is shown, and what may be sent in a model's place."""

from __future__ import annotations

from workbench.servers.elicitation import request_parsing

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
