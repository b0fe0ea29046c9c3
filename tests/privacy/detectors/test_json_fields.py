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
        [
            {"question": "What is your mother's maiden name?", "answer": "Rosa"},
            {"label": "What is your phone number?", "value": PHONE},
        ],
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
        {"type": "ORGANIZATION", "value": "FULL"},
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


ROWS = ["55 12 34", "55 12 35", "55 12 36", "55 12 37", "central desk", "n/a", "unknown", "-", "", "true"]


@pytest.mark.parametrize(
    "value",
    [
        [{"telephone": one} for one in ROWS],
        {"telephone": ROWS},
        {"columns": ["id", "telephone"], "rows": [[at, one] for at, one in enumerate(ROWS)]},
        [["id", "telephone"], *([at, one] for at, one in enumerate(ROWS))],
    ],
)
def test_most_values_of_a_column_decide_for_odd_ones(value: JsonValue) -> None:
    found = layout_named(value)
    assert {leaf for leaf, kind in found.items() if kind == "PHONE"} >= {"55 12 34", "central desk"}
    assert not found.keys() & {"n/a", "unknown", "-", "", "true"}


def test_a_column_of_odd_values_decides_for_none() -> None:
    odd = ["see below", "as agreed", "later", "ask first", "55 12 34"]
    assert layout_named([{"telephone": one} for one in odd]) == {"55 12 34": "PHONE"}
    assert layout_named([{"customer_name": one} for one in ["x_1", "x_2", "x_3", "x_4", "Rosa"]]) == {"Rosa": "NAME"}


@pytest.mark.parametrize(
    ("record", "names"),
    [
        ({"nombre": "Rosa", "apellidos": "Lund"}, {"Rosa", "Lund"}),
        ({"nom": "Lund", "prénom": "Rosa", "téléphone": "01 02 03 04 05"}, {"Lund", "Rosa"}),
        ({"名前": "山田太郎", "電話": "03-1234-5678"}, {"山田太郎"}),
        ({"имя": "Роза", "фамилия": "Лунд"}, {"Роза", "Лунд"}),
        ({"Kunden": [{"Name": "Lund"}]}, {"Lund"}),
        ({"clientes": [{"nombre": "Rosa"}]}, {"Rosa"}),
        ({"お客様": {"名前": "花子"}}, {"花子"}),
        ({"nombre": "Mesa Rosa", "precio": 3}, set()),
        ({"productos": [{"nombre": "Rosa Clara"}]}, set()),
        ({"名前": "木製机", "価格": 3}, set()),
        ({"name": "Hello-World", "full_name": "Hello World", "default_branch": "main"}, set()),
    ],
)
def test_a_bare_name_in_other_languages_depends_on_its_record(record: JsonValue, names: set[str]) -> None:
    assert {leaf for leaf, kind in layout_named(record).items() if kind == "NAME"} == names


def test_short_keys_of_postal_codes_need_a_record_about_a_place() -> None:
    assert layout_named({"indirizzo": "Via Roma 5", "cap": "00184"})["00184"] == "ADDRESS"
    assert layout_named({"cap": 50000, "limit": 3}) == {}


def test_lines_below_an_address_are_its_parts() -> None:
    assert layout_named({"address": [{"line": ["Elm Road 9"], "city": "Berlin"}]}) == {"Elm Road 9": "ADDRESS"}
