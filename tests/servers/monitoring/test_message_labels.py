"""What a raw message is, told from its bytes; nothing a stranger sends makes that fail."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.monitoring.message_log import MessageLabel, label


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            '{"id":1,"method":"tools/call","params":{"name":"echo"}}',
            MessageLabel("request", "tools/call", "1", "echo"),
        ),
        ('{"id":"1","method":"ping"}', MessageLabel("request", "ping", '"1"')),
        ('{"method":"notes/message","params":{"level":"info"}}', MessageLabel("notice", "notes/message", "", "info")),
        ('{"id":4,"result":{}}', MessageLabel("answer", "", "4")),
        ('{"id":4,"error":{"code":-32601,"message":"no"}}', MessageLabel("error", "", "4", "-32601 no")),
        ('{"id":4,"result":{"isError":true,"content":[{"text":"bad"}]}}', MessageLabel("error", "", "4", "bad")),
        ('[{"id":1}]', MessageLabel("batch", about="1 messages")),
        ("no json", MessageLabel()),
        ("[" * 100_000, MessageLabel()),
    ],
)  # fmt: skip
def test_a_message_says_what_it_is(text: str, wanted: MessageLabel) -> None:
    assert label(text.encode()) == wanted


def test_long_messages_are_told_by_their_ends() -> None:
    long = "x" * 300_000
    answer = json.dumps({"jsonrpc": "2.0", "id": 9, "result": {"text": long}}).encode()
    late = json.dumps({"jsonrpc": "2.0", "result": {"text": long}, "id": 9}).encode()
    call = json.dumps({"method": "tools/call", "params": {"text": long}, "jsonrpc": "2.0", "id": 3}).encode()
    assert label(answer) == label(late) == MessageLabel("answer", "", "9")
    assert label(call) == MessageLabel("request", "tools/call", "3")


KEYS = st.sampled_from(["id", "method", "params", "result", "error", "isError", "content", "name", "message", "code"])
LEAVES = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)))
def test_no_json_breaks_it(value: object) -> None:
    found = label(json.dumps(value).encode())
    assert len(found.about) < 150


@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    assert isinstance(label(data), MessageLabel)
