"""Any value is converted to JSON text. No value of a program is lost or breaks the run."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sandbox.inside.json_output import json_text


@dataclasses.dataclass
class Point:
    x: int
    tags: set[str]


class Colour(enum.Enum):
    RED = "red"


class Broken:
    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Point(1, {"b", "a"}), {"x": 1, "tags": ["a", "b"]}),
        (collections.namedtuple("Pair", "a b")(1, Colour.RED), [1, "red"]),
        (
            {(1, 2): Path("/x"), None: b"\xff", 3: decimal.Decimal("1.10")},
            {"[1, 2]": "/x", "null": "\\xff", "3": "1.10"},
        ),
        ([math.inf, math.nan], [None, None]),
        (datetime.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
        ({1, "a"}, ["a", 1]),
        (Broken(), "<Broken: ValueError in its repr>"),
        (object, "<class 'object'>"),
    ],
)
def test_odd_values_have_a_form(value: object, expected: object) -> None:
    found = json.loads(json_text(value))
    assert found == expected or (isinstance(value, set) and sorted(found, key=str) == sorted(expected, key=str))  # type: ignore[call-overload]


def test_a_circle_is_cut() -> None:
    circle: list[Any] = [1]
    circle.append(circle)
    assert json_text(circle).startswith("[1, [1, ")


@given(
    st.recursive(
        st.none() | st.floats() | st.binary() | st.text() | st.dates(), lambda inner: st.lists(inner) | st.tuples(inner)
    )
)
def test_whatever_comes_is_json(value: object) -> None:
    json.loads(json_text(value), parse_constant=lambda name: pytest.fail(name))
