"""Sampling: what a person is shown, and what may be sent in a model's place."""

from __future__ import annotations

from workbench.asks import sampling

ASKED = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 100}
TOOLS = {**ASKED, "tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
SAID = {"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "a person", "stopReason": "endTurn"}


def test_a_request_of_messages_can_be_shown():
    assert sampling.flaw(ASKED) == ""
    assert sampling.flaw(TOOLS) == ""


def test_what_is_too_much_or_no_request_is_refused():
    assert sampling.flaw({})
    assert sampling.flaw({"messages": ["Hi"]})
    assert sampling.flaw({**ASKED, "tools": [{}]})
    assert "500" in sampling.flaw({"messages": ASKED["messages"] * 501})
    assert "1,000,000" in sampling.flaw({"messages": [{"role": "user", "content": "x" * 1_000_001}]})


def test_text_and_an_offered_tool_may_be_sent():
    assert sampling.faults(ASKED, SAID) == ()
    use = {"type": "tool_use", "id": "1", "name": "look", "input": {"at": "x"}}
    assert sampling.faults(TOOLS, {**SAID, "content": [SAID["content"], use], "stopReason": "toolUse"}) == ()


def test_what_a_model_would_not_say_is_not_sent():
    use = {"type": "tool_use", "id": "1", "name": "delete", "input": {}}
    for wrong in (
        {**SAID, "role": "system"}, {**SAID, "model": " "}, {**SAID, "stopReason": 5}, {**SAID, "content": "Hello"},
        {**SAID, "content": {"type": "text"}}, {**SAID, "content": {"type": "video"}}, "Hello",
        {**SAID, "content": [SAID["content"]]}, {**SAID, "content": use},
        {**SAID, "content": {"type": "text", "text": "x" * 1_000_001}},
    ):  # fmt: skip
        assert sampling.faults(ASKED, wrong), wrong
    assert sampling.faults(TOOLS, {**SAID, "content": use}) == ("The answer uses a tool that was not offered.",)
    assert sampling.faults(TOOLS, {**SAID, "content": {**use, "name": "look", "input": 1}})
