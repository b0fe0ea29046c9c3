"""Rows agree on what a key holds that says nothing itself."""

from __future__ import annotations

from workbench.privacy.consensus import agreed, majority
from workbench.privacy.rules import PLAIN, Rules
from workbench.records import JsonValue

NUMBERS = ["+49 30 901820", "+49 30 901821", "+49 30 901822", "55 01 34"]


def rows(key: str, values: list[str]) -> list[JsonValue]:
    return [{"id": at, key: value} for at, value in enumerate(values)]


def test_the_odd_value_is_what_most_are() -> None:
    assert [(key, kind.name) for key, kind in agreed(rows("reach", NUMBERS), PLAIN)] == [("reach", "PHONE")]


def test_few_rows_or_few_of_a_kind_agree_on_nothing() -> None:
    assert agreed(rows("reach", NUMBERS[:3]), PLAIN) == ()
    assert agreed(rows("reach", [*NUMBERS[:2], "a", "b", "c"]), PLAIN) == ()
    assert agreed(rows("reach", NUMBERS), Rules(off=frozenset({"PHONE"}))) == ()


def test_names_agree_only_under_a_key_for_names() -> None:
    people = ["Rosa Lund", "Kofi Mensah", "Ayaka", "Femke Bakker", "Noor Jansen"]
    assert (kind := majority(people, True, PLAIN)) is not None
    assert kind.name == "NAME"
    assert kind.accepts("Ayaka")
    assert majority(people, False, PLAIN) is None
    assert majority(["Walnut Desk", "Desk Lamp", "Office Chair", "Blue Sofa"], True, PLAIN) is None
