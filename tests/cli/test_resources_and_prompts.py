"""Resources and prompts from a script."""

from __future__ import annotations

import json

URI, PROMPT, ARGUMENT = "demo://company/about", "answer_ticket", "ticket_id=TIC-0007"


def test_a_resource_is_printed(command):
    code, out, err = command("read", "demo", URI)
    assert (code, err) == (0, "")
    assert out.strip()


def test_a_resource_as_json(command):
    _, out, _ = command("read", "demo", URI, "--json")
    assert json.loads(out)["content"][0]["uri"] == URI


def test_a_resource_that_is_not_there_is_a_fault(command):
    code, out, err = command("read", "demo", "demo://nowhere")
    assert (code, out) == (1, "")
    assert err.startswith("mcp-workbench: ")


def test_a_prompt_is_filled_and_printed(command):
    code, out, _ = command("prompt", "demo", PROMPT, "--arg", ARGUMENT)
    assert code == 0
    assert out.startswith("user: ")


def test_a_prompt_as_json_is_what_the_server_sent(command):
    _, out, _ = command("prompt", "demo", PROMPT, "--arg", ARGUMENT, "--json")
    assert json.loads(out)["messages"][0]["role"] == "user"


def test_a_prompt_that_is_not_there_is_a_fault_and_half_a_pair_wrong_usage(command):
    assert command("prompt", "demo", "no_such_prompt")[0] == 1
    code, _, err = command("prompt", "demo", PROMPT, "--arg", "half")
    assert code == 2
    assert "is not an argument" in err


def test_a_server_nobody_allowed_is_not_started(command):
    assert command("read", "strange", "x")[0] == 6
    assert command("prompt", "strange", "x")[0] == 6
