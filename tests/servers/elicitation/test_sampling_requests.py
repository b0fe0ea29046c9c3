"""Sampling: what a person is shown, and what may be sent in a model's place."""

from __future__ import annotations

from workbench.servers.elicitation import sampling_requests

ASKED = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 100}
TOOLS = {**ASKED, "tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
SAID = {"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "a person", "stopReason": "endTurn"}


def test_a_request_of_messages_can_be_shown():
    assert sampling_requests.flaw(ASKED) == ""
    assert sampling_requests.flaw(TOOLS) == ""


def test_what_is_too_much_or_no_request_is_refused():
    assert sampling_requests.flaw({})
    assert sampling_requests.flaw({"messages": ["Hi"]})
    assert sampling_requests.flaw({**ASKED, "tools": [{}]})
    assert "500" in sampling_requests.flaw({"messages": ASKED["messages"] * 501})
    assert "1,000,000" in sampling_requests.flaw({"messages": [{"role": "user", "content": "x" * 1_000_001}]})


def test_text_and_an_offered_tool_may_be_sent():
    assert sampling_requests.faults(ASKED, SAID) == ()
    use = {"type": "tool_use", "id": "1", "name": "look", "input": {"at": "x"}}
    assert sampling_requests.faults(TOOLS, {**SAID, "content": [SAID["content"], use], "stopReason": "toolUse"}) == ()


def test_what_a_model_would_not_say_is_not_sent():
    use = {"type": "tool_use", "id": "1", "name": "delete", "input": {}}
    for wrong in (
        {**SAID, "role": "system"}, {**SAID, "model": " "}, {**SAID, "stopReason": 5}, {**SAID, "content": "Hello"},
        {**SAID, "content": {"type": "text"}}, {**SAID, "content": {"type": "video"}}, "Hello",
        {**SAID, "content": [SAID["content"]]}, {**SAID, "content": use},
        {**SAID, "content": {"type": "text", "text": "x" * 1_000_001}},
    ):  # fmt: skip
        assert sampling_requests.faults(ASKED, wrong), wrong
    assert sampling_requests.faults(TOOLS, {**SAID, "content": use}) == (
        "The answer uses a tool that was not offered.",
    )
    assert sampling_requests.faults(TOOLS, {**SAID, "content": {**use, "name": "look", "input": 1}})
