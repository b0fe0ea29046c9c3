"""However many values a call has, those that say where something goes are looked at and stand first."""

from __future__ import annotations

from workbench.broker.argument_values import LONGEST_PLACE, collect_values, in_order


def test_a_place_is_looked_at_beside_any_number_of_other_values():
    found = collect_values({"to": "eve@evil.example", "rows": [f"row {n}" for n in range(2_000)]})
    assert found.values[0] == ("to", "eve@evil.example", True)
    assert "row 0" in found.values[-1][1]
    assert (found.unread_place, found.unread) == (False, False)


def test_what_is_not_looked_at_is_said():
    assert collect_values({"to": ["a@b.example"] * 600}).unread_place
    assert collect_values({"to": "a@b.example," * LONGEST_PLACE}).unread_place
    assert collect_values({"rows": list(range(60_000))}).unread_place
    assert collect_values({"rows": ["x" * 300_000] * 600}).unread


def test_a_question_begins_with_what_it_is_about():
    shown, decisive = in_order({"body": "x" * 900, "options": {"cc": "y"}, "to": "z"}, ["body"])
    assert list(shown) == ["body", "options", "to"]
    assert decisive > 900
    shown, decisive = in_order({"text": "x" * 900, "to": "z"}, [])
    assert list(shown) == ["to", "text"]
    assert decisive < 20
