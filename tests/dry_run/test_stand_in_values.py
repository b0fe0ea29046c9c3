"""Invented answers have the shape their schema asks for, and are known again wherever they turn up."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.dry_run.stand_in_values import StandIns, places

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "mail": {"type": "string", "format": "email"},
        "count": {"type": "integer"},
        "few": {"type": "integer", "maximum": 5},
        "state": {"enum": ["sent", "failed"]},
        "when": {"type": "string", "format": "date-time"},
        "maybe": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Box"}]},
        "items": {"type": "array", "items": {"$ref": "#/$defs/Box"}},
    },
    "$defs": {"Box": {"type": "object", "properties": {"key": {"type": "string", "format": "uuid"}}}},
}


def test_each_value_has_its_type_and_is_found_again_with_its_place():
    made = StandIns()
    answer = made.invent(3, SCHEMA)
    assert (answer["id"], answer["mail"]) == ("[held-3-1-id]", "held-3-2@placeholder.invalid")
    assert (answer["few"], answer["state"], answer["when"]) == (5, "sent", "2000-01-01T00:00:00Z")
    assert made.find(f"see {answer['id']} and {answer['items'][0]['key']}") == {
        answer["id"]: (3, "id"),
        answer["items"][0]["key"]: (3, "items[0].key"),
    }
    assert made.find(f"{answer['count']}") == {str(answer["count"]): (3, "count")}
    assert dict(places(answer))["maybe.key"] == answer["maybe"]["key"]
    assert made.find("[held-9-9-id] 7399999999") == {}


def test_a_schema_that_refers_to_itself_ends():
    box = {"type": "object", "properties": {name: {"$ref": "#"} for name in "abcdef"}}
    assert len(json.dumps(StandIns().invent(1, box))) < 100_000


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["object", "string", "#/x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "properties", "items", "enum", "const", "$ref", "anyOf", "maxLength", "maximum"]),
        inner, max_size=4),
    max_leaves=20,
))  # fmt: skip
def test_no_foreign_schema_breaks_it(schema):
    json.dumps(StandIns().invent(1, schema if isinstance(schema, dict) else {"type": "object", "properties": schema}))
