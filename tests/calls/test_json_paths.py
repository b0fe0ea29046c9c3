"""Paths lead to values, and a wrong one says where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.calls.json_paths import covers, find, steps, written
from workbench.errors import WorkbenchError

VALUE = {"orders": [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}], "odd key": {"a.b": 3}, "total": None}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", [VALUE]),
        ("$", [VALUE]),
        ("$.total", [None]),
        ("orders[0].id", [1]),
        ("orders[-1].id", [2]),
        ("orders[*].id", [1, 2]),
        ("orders.*.id", [1, 2]),
        ("orders[*].tags[*]", ["a"]),
        ('["odd key"]["a.b"]', [3]),
        ("odd key", [{"a.b": 3}]),
        ("orders[9].id", []),
        ("orders.id", []),
        ("total.deeper", []),
        ("nothing", []),
    ],
)
def test_a_path_leads_to_every_value_there(path, found):
    assert find(VALUE, steps(path)) == found


@pytest.mark.parametrize("path", ["a..b", "a[", "a[x]", "[", "a]", "a[1", '["a', "." * 600])
def test_a_wrong_path_is_a_sentence(path):
    with pytest.raises(WorkbenchError):
        steps(path)


@given(st.lists(st.text(min_size=1) | st.integers(-9, 99) | st.none(), max_size=6))
def test_what_is_written_is_read_the_same(path):
    if len(text := written(path)) <= 500:
        assert list(steps(text)) == path


def test_every_one_covers_any():
    assert covers(steps("a[*]"), ("a", 3, "deeper"))
    assert not covers(steps("a[*].b"), ("a", 3, "c"))
    assert not covers(steps("a.b"), ("a",))
