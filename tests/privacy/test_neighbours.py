"""The record that a key in a text belongs to."""

from __future__ import annotations

import pytest

from workbench.privacy.neighbours import around


@pytest.mark.parametrize(
    ("text", "keys", "above"),
    [
        ('{"a": 1, "customer": {"name": "x", "email": "y"}, "b": 2}', {"name", "email"}, "customer"),
        ("tenant:\n  name: x\n  email: y\nrent: 5", {"email"}, "tenant"),
        ("- name: x\n  email: y\n- name: z\n  phone: w", {"email"}, ""),
        ("one: 1\n\nname: x\nphone: y\n\ntwo: 2", {"phone"}, ""),
        ('<user name="x" email="y"/> <b c="1"/>', {"name", "email"}, "user"),
        ("id=7; name=x; email=y", {"id", "name", "email"}, ""),
    ],
)
def test_a_record_ends_with_its_bracket_its_tag_or_its_indentation(text: str, keys: set[str], above: str) -> None:
    found, outside = around(text, text.index("name"))
    assert set(found) == keys
    assert outside == above
