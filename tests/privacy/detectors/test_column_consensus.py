"""Columns whose values agree on a kind."""

from __future__ import annotations

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.column_consensus import agreed, majority_kind
from workbench.records import JsonValue

NUMBERS = ["+49 30 901820", "+49 30 901821", "+49 30 901822", "55 01 34"]


def rows(key: str, values: list[str]) -> list[JsonValue]:
    return [{"id": at, key: value} for at, value in enumerate(values)]


def test_the_odd_value_is_what_most_are() -> None:
    assert [(key, kind.name) for key, kind in agreed(rows("reach", NUMBERS), DEFAULT_RULES)] == [("reach", "PHONE")]


def test_few_rows_or_few_of_a_kind_agree_on_nothing() -> None:
    assert agreed(rows("reach", NUMBERS[:3]), DEFAULT_RULES) == ()
    assert agreed(rows("reach", [*NUMBERS[:2], "a", "b", "c"]), DEFAULT_RULES) == ()
    assert agreed(rows("reach", NUMBERS), DetectionRules(off=frozenset({"PHONE"}))) == ()


def test_names_agree_only_under_a_key_for_names() -> None:
    people = ["Rosa Lund", "Kofi Mensah", "Ayaka", "Femke Bakker", "Noor Jansen"]
    assert (kind := majority_kind(people, True, DEFAULT_RULES)) is not None
    assert kind.name == "NAME"
    assert kind.accepts("Ayaka")
    assert majority_kind(people, False, DEFAULT_RULES) is None
    assert majority_kind(["Walnut Desk", "Desk Lamp", "Office Chair", "Blue Sofa"], True, DEFAULT_RULES) is None
