"""Files of saved calls: one order of keys, nothing lost, and a line for what cannot be understood."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.calls.saved_call_format import Misread, read, write
from workbench.errors import WorkbenchError
from workbench.records import Expect, Expectation, SavedCall

CALL = SavedCall(
    "shop",
    "late",
    "demo",
    "list_orders",
    {"limit": 3, "city": "Köln"},
    "Orders that are late.",
    ("smoke",),
    (
        Expectation(Expect.OK),
        Expectation(Expect.COUNT, 1, "orders"),
        Expectation(Expect.KEPT, ignore=("orders[*].placed",)),
    ),
    {"orders": []},
    ("word",),
    {"owner": "ada"},
    "calls/shop/late.json",
)


def again(text: str) -> SavedCall:
    return read(text, "shop", "late", "calls/shop/late.json")


def test_a_file_reads_like_prose_and_comes_back_whole():
    text = write(CALL)
    assert again(text) == CALL
    assert list(json.loads(text)) == [
        "server", "tool", "note", "tags", "arguments", "expect", "kept", "secret", "owner",
    ]  # fmt: skip
    assert '"city": "Köln"' in text
    assert '{\n      "path": "orders",\n      "count": 1\n    }' in text
    assert write(again(text)) == text


def test_what_is_empty_is_not_written():
    text = write(SavedCall("", "a", "demo", "t"))
    assert json.loads(text) == {"server": "demo", "tool": "t", "arguments": {}}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{\n "server": "a",\n}', 3, "line 3, column 1"),
        ("", 1, "line 1"),
        ("[]", 1, "no JSON object"),
        ('{"server": "a"}', 1, "which tool"),
        ('{\n"server": 1}', 2, "which server"),
        ('{"server": "a", "tool": "b",\n"arguments": [1]}', 2, "arguments is not an object"),
        ('{"server": "a", "tool": "b",\n\n"tags": "x"}', 3, "tags is not a list of texts"),
        ('{"server": "a", "tool": "b",\n"expect": [{}]}', 2, "expectation 1 does not say"),
        ('{"server": "a", "tool": "b",\n"expect": [{"ok": true, "text": "a"}]}', 2, "expectation 1 does not say"),
        ('{"server": "a", "tool": "b",\n"expect": [{"ok": false}]}', 2, "ok takes true"),
        ('{"server": "a", "tool": "b",\n"expect": [{"type": "date"}]}', 2, "type takes one of string"),
        ('{"server": "a", "tool": "b",\n"expect": [{"count": true}]}', 2, "count takes a whole number"),
        ('{"server": "a", "tool": "b",\n"expect": [{"exists": true, "path": "a["}]}', 2, "cannot be read"),
        ('{"server": "a", "tool": "b",\n"expect": [{"exists": true, "path": 3}]}', 2, "is not a text"),
    ],
)
def test_what_cannot_be_understood_has_a_line(text, line, words):
    with pytest.raises(Misread, match=words) as caught:
        again(text)
    assert caught.value.line == line
    assert "calls/shop/late.json" in caught.value.message


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) |
                    st.dictionaries(st.text(), inner), max_leaves=6)  # fmt: skip


@given(st.dictionaries(st.text(), JSON), st.text(), JSON)
def test_any_arguments_note_and_answer_come_back(arguments, note, kept):
    call = SavedCall("shop", "late", "demo", "t", arguments, note, kept=kept, file="calls/shop/late.json")
    assert again(write(call)) == call


@given(st.text() | JSON.map(json.dumps))
def test_no_file_breaks_the_reading(text):
    try:
        again(text)
    except WorkbenchError as fault:
        assert fault.message.endswith(".")  # noqa: PT017
