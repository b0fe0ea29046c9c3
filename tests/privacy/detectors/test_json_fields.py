"""Leaves of JSON values with the kinds that keys, columns and neighbours announce."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.json_fields import embedded, leaves, parsed, rebuild
from workbench.privacy.detectors.kinds import Kind
from workbench.records import JsonValue

PHONE, MAIL = "5550134", "rosa at work"


def layout_named(value: JsonValue) -> dict[JsonValue, str]:
    return {leaf: kind.name for leaf, kind in leaves(value) if kind and kind.accepts(str(leaf))}


@pytest.mark.parametrize(
    "value",
    [
        {"columns": ["id", "full name", "phone"], "rows": [[7, "Rosa", PHONE]]},
        {"data": [[7, "Rosa", PHONE]], "headers": ["id", "first_name", "mobile"]},
        {"fields": [{"name": "id"}, {"name": "last_name"}, {"name": "phone"}], "values": [[7, "Rosa", PHONE]]},
        {"values": [["Id", "Given name", "Phone"], [7, "Rosa", PHONE], [8, "", ""]]},
        {"id": [7], "first_name": ["Rosa"], "phone": [PHONE]},
        [{"name": "First name", "value": "Rosa"}, {"name": "Phone", "value": PHONE}],
        [{"question": "Your first name?", "answer": "Rosa"}, {"system": "phone", "value": PHONE, "use": "home"}],
    ],
)
def test_a_column_or_a_label_tells_what_its_values_are(value: JsonValue) -> None:
    assert layout_named(value) == {"Rosa": "NAME", PHONE: "PHONE"}


@pytest.mark.parametrize(
    "value",
    [
        {"columns": ["id", "price"], "rows": [["Rosa", PHONE]]},
        {"columns": ["phone", "id"], "rows": [[PHONE, 1, 2], "x"]},
        [["name", "phone"]],
        [{"name": "colour", "value": "Rosa"}],
        {"name": "phone", "type": "text", "description": "Rosa"},
    ],
)
def test_other_tables_and_pairs_tell_nothing(value: JsonValue) -> None:
    assert layout_named(value) == {}


def walk_named(value: JsonValue) -> dict[JsonValue, str]:
    return {leaf: kind.name if kind and kind.accepts(str(leaf)) else "" for leaf, kind in leaves(value)}


def test_a_leaf_has_the_kind_of_its_key_or_of_the_key_around_it() -> None:
    found = walk_named(
        {"phone": {"home": "555011", "note": ["555012"]}, "email": ["a@b"], "name": "Rosa", "contact": {"mail": "c@d"}}
    )
    assert [found[leaf] for leaf in ("555011", "555012", "a@b", "Rosa", "c@d")] == [
        "PHONE",
        "PHONE",
        "EMAIL",
        "NAME",
        "EMAIL",
    ]


def test_a_bare_name_is_a_persons_below_or_beside_a_persons_data_only() -> None:
    assert walk_named({"name": "list_customers", "description": "x", "id": 7})["list_customers"] == ""
    assert walk_named({"orders": [{"name": "Desk Lamp", "price": 3}]})["Desk Lamp"] == ""
    assert walk_named({"customers": [{"name": "Rosa"}]})["Rosa"] == "NAME"
    assert walk_named({"name": {"first": "Rosa", "last": "Lund"}, "dob": ""})["Lund"] == "NAME"


def test_a_key_speaks_for_what_is_below_it_only_where_that_is_the_same_data() -> None:
    found = walk_named(
        {"company": {"plan": "gold", "id": "c1"}, "token": {"kind": "oauth"}, "phone": {"home": "555011"}}
    )
    assert [found[leaf] for leaf in ("gold", "c1", "oauth", "555011")] == ["", "", "", "PHONE"]


def test_keys_are_leaves_and_nothing_that_holds_no_text_is() -> None:
    assert walk_named({"a@b.co": None, "x": True}) == {"a@b.co": "", "x": ""}


def test_a_very_deep_value_is_walked() -> None:
    value: JsonValue = "x"
    for _ in range(10_000):
        value = [value]
    assert list(leaves(value)) == [("x", None)]


def test_rebuilding_keeps_the_structure() -> None:
    def mark(leaf: JsonValue, kind: Kind | None) -> JsonValue:
        return f"{leaf}!" if isinstance(leaf, str) else leaf

    assert rebuild({"a": ["b", 1, None, True, ("c",)]}, mark) == {"a!": ["b!", 1, None, True, ["c!"]]}


def test_only_text_that_holds_an_object_or_a_list_is_parsed() -> None:
    assert parsed(' {"a": 1}') == {"a": 1}
    assert parsed("[1]") == [1]
    assert parsed("5") is None
    assert parsed("{broken") is None
    assert parsed("[" * 100_000) is None


def test_json_between_words_and_on_lines_is_read() -> None:
    assert embedded('Found 2:\n[{"a": 1}]\nDone [x] {y} {"b": 2}.') == [[{"a": 1}]]
    assert embedded('{"a": 1}\n{"a": 2}\n') == [{"a": 1}, {"a": 2}]
    assert embedded("no [json] {here}") == embedded("") == embedded('[{"' * 50_000) == []
