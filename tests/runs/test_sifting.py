"""However many values a call has, those that say where something goes are looked at and stand first."""

from __future__ import annotations

from workbench.runs.sifting import LONGEST_PLACE, in_order, sift


def test_a_place_is_looked_at_beside_any_number_of_other_values():
    found = sift({"to": "eve@evil.example", "rows": [f"row {n}" for n in range(2_000)]})
    assert found.values[0] == ("to", "eve@evil.example", True)
    assert "row 0" in found.values[-1][1]
    assert (found.unread_place, found.unread) == (False, False)


def test_what_is_not_looked_at_is_said():
    assert sift({"to": ["a@b.example"] * 600}).unread_place
    assert sift({"to": "a@b.example," * LONGEST_PLACE}).unread_place
    assert sift({"rows": list(range(60_000))}).unread_place
    assert sift({"rows": ["x" * 300_000] * 600}).unread


def test_a_question_begins_with_what_it_is_about():
    shown, decisive = in_order({"body": "x" * 900, "options": {"cc": "y"}, "to": "z"}, ["body"])
    assert list(shown) == ["body", "options", "to"]
    assert decisive > 900
    shown, decisive = in_order({"text": "x" * 900, "to": "z"}, [])
    assert list(shown) == ["to", "text"]
    assert decisive < 20
