"""Messages written by the user are parsed strictly. Above all, every tool call is recognized as one."""

from __future__ import annotations

import json

import pytest

from workbench.errors import WorkbenchError
from workbench.servers.raw_messages import read


def test_a_request_wants_an_answer_and_a_notification_none() -> None:
    assert read('{"id": 7, "method": "ping"}').wants_answer
    assert not read('{"method": "notifications/cancelled", "params": {"requestId": 1}}').wants_answer


WRITTEN = [
    "tools/call",
    "Tools/Call",
    " tools/call ",
    "tools/call\n",
    "tools/\u200bcall",
    "tools//call/",
    "tools /call",
]
WRITTEN += ["\uff54\uff4f\uff4f\uff4c\uff53/\uff43\uff41\uff4c\uff4c", "tools/call\0", "\ufefftools/call"]


@pytest.mark.parametrize("method", WRITTEN)
@pytest.mark.parametrize("number", [{}, {"id": 1}])
def test_a_tool_call_is_known_however_it_is_written(method: str, number: dict[str, int]) -> None:
    message = {"method": method, "params": {"name": "send", "arguments": {"to": "x"}}, **number}
    found = read(json.dumps(message))
    assert (found.tool, found.arguments) == ("send", {"to": "x"})


def test_of_two_methods_the_one_that_counts_is_judged() -> None:
    assert read('{"method": "ping", "method": "tools/call", "params": {"name": "send"}}').tool == "send"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "nested"),
        ('[{"method": "ping"}]', "not a JSON object"),
        ('{"id": 1}', "no method"),
        ('{"method": "ping", "params": [1]}', "params"),
        ('{"method": "ping", "params": {"x": NaN}}', "NaN"),
        ('{"method": "tools/call", "params": {}}', "does not name a tool"),
        ('{"method": "tools/call", "params": {"name": "x", "arguments": 5}}', "arguments"),
        ('{"method": "tools/call", "params": {"name": "x", "task": {}}}', "task would be lost"),
        ('"' + "x" * 5_000_000 + '"', "longer than 4 MB"),
    ],
)
def test_what_cannot_be_sent_is_a_sentence(text: str, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        read(text)


def test_an_old_token_for_progress_is_left_behind() -> None:
    found = read('{"id": 1, "method": "x/y", "params": {"a": 1, "_meta": {"progressToken": 5, "k": 2}}}')
    assert found.params == {"a": 1, "_meta": {"k": 2}}
    assert read('{"id": 1, "method": "x/y", "params": {"_meta": {"progressToken": 5}}}').params == {}
