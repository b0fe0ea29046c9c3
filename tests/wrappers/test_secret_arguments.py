"""Secrets by the schema's own words leave the arguments, wherever they stand; everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.wrappers.argument_redaction import without_secrets

SECRET = {"type": "string", "format": "password"}


def test_a_password_and_what_is_write_only_are_taken_out():
    schema = {"properties": {"user": {"type": "string"}, "word": SECRET, "key": {"writeOnly": True}}}
    left, taken = without_secrets({"user": "ada", "word": "w", "key": [1], "more": 2}, schema)
    assert (left, taken) == ({"user": "ada", "more": 2}, ("word", "key"))


@pytest.mark.parametrize(
    "secret",
    [
        {"$ref": "#/$defs/s"},
        {"anyOf": [{"type": "null"}, SECRET]},
        {"allOf": [{"$ref": "#/$defs/s"}]},
        {"oneOf": [{"type": "integer"}, {"writeOnly": True}]},
    ],
)
def test_a_secret_is_known_behind_references_and_choices(secret):
    schema = {"properties": {"deep": {"properties": {"s": secret}}}, "$defs": {"s": SECRET}}
    assert without_secrets({"deep": {"s": "x", "t": 1}}, schema) == ({"deep": {"t": 1}}, ("deep.s",))


def test_secrets_in_lists_and_maps():
    schema = {
        "properties": {
            "list": {"items": {"properties": {"p": SECRET}}},
            "words": {"type": "array", "items": SECRET},
            "map": {"additionalProperties": SECRET},
            "pair": {"prefixItems": [{}, SECRET]},
        }
    }
    given = {"list": [{"p": "x", "q": 1}], "words": ["a", "b"], "map": {"a": "x"}, "pair": ["u", "p"]}
    left, taken = without_secrets(given, schema)
    assert left == {"list": [{"q": 1}], "words": [None, None], "map": {}, "pair": ["u", None]}
    assert taken == ("list[0].p", "words[0]", "words[1]", "map.a", "pair[1]")


def test_a_schema_without_end_is_no_loop():
    schema = {"$ref": "#", "properties": {"a": {"$ref": "#"}}}
    assert without_secrets({"a": {"a": 1}}, schema) == ({"a": {"a": 1}}, ())


def test_a_schema_that_branches_without_end_is_no_trap():
    branches = {"anyOf": [{"$ref": "#/$defs/a"}, {"allOf": [{"$ref": "#/$defs/a"}]}] * 8}
    assert without_secrets({"a": {"b": 1}}, {"properties": {"a": branches}, "$defs": {"a": branches}})[1] == ()


def test_the_whole_object_may_be_secret():
    assert without_secrets({"a": 1}, {"writeOnly": True}) == ({}, ("",))


JSON = st.recursive(st.none() | st.integers() | st.text(max_size=4), lambda inner: st.lists(inner, max_size=3) |
                    st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=8)  # fmt: skip


@given(st.dictionaries(st.sampled_from("abc"), JSON))
def test_without_a_word_of_secrets_everything_stays(arguments):
    assert without_secrets(arguments, {"type": "object"}) == (arguments, ())


WORDS = ["properties", "items", "anyOf", "$ref", "additionalProperties", "prefixItems", "patternProperties"]


@given(st.dictionaries(st.sampled_from("abc"), JSON), st.dictionaries(st.sampled_from(WORDS), JSON))
def test_no_schema_breaks_it(arguments, schema):
    without_secrets(arguments, schema)
