"""JSON with comments is read as it is meant, and a change touches nothing but its own member."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client_configs.jsonc_editor import parse, set_member
from workbench.errors import WorkbenchError

COMMENTED = """{
  // my servers, "quoted" in a remark
  "servers": {
    "one": { "command": "npx", /* why */ "args": ["-y", "x // no comment"] }, // the first
    // "two": { "command": "old" },
  },
  "inputs": [],
}
"""


def test_comments_and_trailing_commas_are_read() -> None:
    found = parse(COMMENTED, "mcp.json")
    assert found == {"servers": {"one": {"command": "npx", "args": ["-y", "x // no comment"]}}, "inputs": []}


def test_a_member_is_added_and_every_remark_stays() -> None:
    after = set_member(COMMENTED, ("servers", "three"), {"command": "uvx"})
    assert parse(after, "x")["servers"]["three"] == {"command": "uvx"}
    for line in COMMENTED.splitlines():
        assert line in after.splitlines()


def test_a_remark_behind_the_last_member_stays_beside_it() -> None:
    after = set_member('{\n  "a": 1 // one\n}', ("b",), 2)
    assert after == '{\n  "a": 1, // one\n  "b": 2\n}'


def test_a_member_is_replaced_in_its_place() -> None:
    after = set_member('{\n\t"a": {"x": 1},\n\t"b": 2\n}\n', ("a",), {"y": [2]})
    assert after == '{\n\t"a": {\n\t\t"y": [\n\t\t\t2\n\t\t]\n\t},\n\t"b": 2\n}\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"z": 1}', '{"z": 1, "a": {"b": 1}}'),
        ('{"a": {}}', '{"a": {\n  "b": 1\n}}'),
        ('{\r\n  "z": 1\r\n}\r\n', '{\r\n  "z": 1,\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n'),
    ],
)
def test_what_is_missing_on_the_way_is_made(before: str, after: str) -> None:
    assert set_member(before, ("a", "b"), 1) == after


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "JSON object"),
        ("{", "line 1"),
        ('{"a": 1 "b": 2}', "line 1, column 9"),
        ("[" * 200_000, "deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "digits"),
        ("/* never closed", "line 1"),
    ],
)
def test_what_is_broken_is_said_with_its_place(text: str, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        parse(text, "mcp.json")


def test_a_hostile_text_does_not_take_long() -> None:
    for text in ('"\\"' * 100_000, "/*" * 100_000, '{"' * 100_000, "//" * 100_000, '{"a":' * 100_000):
        with pytest.raises(WorkbenchError):
            parse(text, "x")


@pytest.mark.parametrize("text", ["/* " * 200_000, '{"a": /*' + "/ * " * 200_000, "/**" * 200_000])
def test_a_remark_that_is_never_closed_does_not_take_long_either(text: str) -> None:
    with pytest.raises(WorkbenchError, match="cannot be read"):
        parse(text, "x.json")


def test_a_value_in_the_place_of_an_object_is_not_overwritten() -> None:
    with pytest.raises(WorkbenchError, match="not an object"):
        set_member('{"servers": []}', ("servers", "a"), {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(
    document=st.dictionaries(st.text(max_size=6), JSON, max_size=5),
    indent=st.sampled_from([None, 2, 4, "\t"]),
    name=st.text(max_size=6),
    value=JSON,
)
def test_nothing_else_is_changed_whatever_the_file_holds(
    document: dict[str, Any], indent: Any, name: str, value: Any
) -> None:
    document.pop("servers", None)
    for before in (document, {**document, "servers": {"a": 1, "b": {"c": []}}}):
        text = json.dumps(before, indent=indent, ensure_ascii=False)
        expected = json.loads(text)
        expected.setdefault("servers", {})[name] = value
        after = set_member(text, ("servers", name), value)
        assert json.loads(after) == expected
        assert list(json.loads(after)) == list(expected)


@given(st.text(alphabet='{}[]",:/*\\ \n\ra1', max_size=60))
def test_no_text_whatever_breaks_the_reader(text: str) -> None:
    try:
        found = parse(text, "x")
    except WorkbenchError:
        return
    after = (
        set_member(text, ("s", "n"), {"command": "x"}) if not isinstance(found.get("s", {}), list | str | int) else ""
    )
    if after and found.get("s", {}) is not None:
        assert parse(after, "x")["s"]["n"] == {"command": "x"}
