"""How data lies in JSON: every value finds the name of its column."""

from __future__ import annotations

import pytest

from workbench.privacy.walk import leaves
from workbench.records import JsonValue

PHONE, MAIL = "5550134", "rosa at work"


def named(value: JsonValue) -> dict[JsonValue, str]:
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
    assert named(value) == {"Rosa": "NAME", PHONE: "PHONE"}


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
    assert named(value) == {}
