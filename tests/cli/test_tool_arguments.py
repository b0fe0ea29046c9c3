"""What a person types after --arg becomes what the schema wants, and nothing else."""

from __future__ import annotations

import io
import json
import sys
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.tool_arguments import add_pairs, parse_arguments, parse_value
from workbench.errors import WorkbenchError

SCHEMA = {
    "type": "object",
    "properties": {
        "zip": {"type": "string"},
        "limit": {"type": "integer"},
        "price": {"type": "number"},
        "open": {"type": "boolean"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "ids": {"type": ["array", "null"], "items": {"$ref": "#/$defs/id"}},
        "level": {"enum": [1, 2, "high"]},
        "where": {"type": "object"},
        "either": {"type": ["integer", "string"]},
        "any": {},
        "loop": {"$ref": "#/$defs/loop"},
    },
    "$defs": {"id": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}},
}


def read(*pairs: str, schema=SCHEMA):
    arguments: dict = {}
    add_pairs(arguments, pairs, schema)
    return arguments


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("zip=01234", "01234"),
        ("zip=true", "true"),
        ("zip=", ""),
        ("zip=a=b\n'c'", "a=b\n'c'"),
        ("limit=3", 3),
        ("limit=3.0", 3.0),
        ("price=1e3", 1000.0),
        ("open=True", True),
        ("note=null", None),
        ("note=nullable", "nullable"),
        ("tags=a", ["a"]),
        ('tags=["a","b"]', ["a", "b"]),
        ("ids=7", [7]),
        ("level=2", 2),
        ("level=high", "high"),
        ('where={"a":1}', {"a": 1}),
        ("either=5", 5),
        ("either=five", "five"),
        ("any=5", "5"),
        ("any:=5", 5),
        ("limit:=null", None),
        ("loop=x", "x"),
        ("unheard=x", "x"),
    ],
)
def test_a_pair_becomes_what_the_schema_wants(pair, value):
    (found,) = read(pair).values()
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("pair", ["limit=x", "limit=1.5", "open=yes", "where=[1]", "ids=a", "limit=0x1", "price=nan"])
def test_what_cannot_be_that_type_is_a_sentence_with_a_way_out(pair):
    with pytest.raises(WorkbenchError, match="takes") as caught:
        read(pair)
    assert ":=" in caught.value.hint


def test_a_repeated_key_fills_a_list():
    assert read("tags=a", "tags=b", "limit=1", "limit=2") == {"tags": ["a", "b"], "limit": 2}


def test_pairs_win_over_what_was_there_and_unknown_keys_are_told():
    arguments = {"limit": 1, "tags": ["old"]}
    assert add_pairs(arguments, ["tags=new", "nope=1"], SCHEMA) == ["nope"]
    assert arguments == {"limit": 1, "tags": ["new"], "nope": "1"}
    assert add_pairs({}, ["nope=1"], {"type": "object"}) == []


def test_keys_are_found_in_parts_of_a_schema():
    schema = {"anyOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "boolean"}}}]}
    assert read("a=1", "b=true", schema=schema) == {"a": 1, "b": True}


@pytest.mark.parametrize("pair", ["", "novalue", "=x"])
def test_what_is_no_pair_is_a_sentence(pair):
    with pytest.raises(WorkbenchError, match="is not an argument"):
        read(pair)


def test_raw_json_must_be_json():
    with pytest.raises(WorkbenchError, match=r"--arg any is not valid JSON: line 1"):
        read("any:={'a'}")


def test_all_arguments_come_as_json_from_a_file_or_from_stdin(tmp_path, monkeypatch):
    file = tmp_path / "a.json"
    file.write_text('{"limit": 3}')
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"limit": 4}'))
    assert [parse_arguments(word)["limit"] for word in ('{"limit": 2}', f"@{file}", "-")] == [2, 3, 4]


@pytest.mark.parametrize("text", ["[1]", "{", "@nowhere.json", "1" * 5000, "[" * 100_000])
def test_what_is_no_object_is_a_sentence(text):
    with pytest.raises(WorkbenchError):
        parse_arguments(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_any_json_after_the_raw_sign_arrives_as_it_is(value):
    assert read(f"any:={json.dumps(value)}") == {"any": value}


WORDS = st.sampled_from(
    ["type", "anyOf", "enum", "const", "items", "$ref", "#/properties", "object", "array", "integer"]
)
SCHEMAS = st.recursive(WORDS | st.none(), lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner))


@given(st.text(), SCHEMAS)
def test_no_schema_breaks_the_reading(text, schema):
    with suppress(WorkbenchError):
        parse_value("k", text, schema, {"properties": schema})


@given(st.text())
def test_a_text_stays_the_text(text):
    assert parse_value("k", text, {"type": "string"}, {}) == text
