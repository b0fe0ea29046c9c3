"""JSON text: exact both ways, and never silently repaired."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.gui.kit.json_text import dump, identical, parse


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1, column 2"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ("NaN", "NaN"),
        ("1e999", "too large"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_exact_json_is_refused(text: str, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        parse(text)


def test_hidden_characters_are_written_as_escapes() -> None:
    assert "\\u202e" in dump("a\u202eb")
    assert "ü" in dump("ü")
    assert parse(dump("a\u202eb")) == "a\u202eb"


def test_kinds_of_numbers_are_told_apart() -> None:
    assert not identical(1, 1.0)
    assert not identical(True, 1)
    assert identical({"a": 1, "b": 2}, {"b": 2, "a": 1})


@pytest.mark.parametrize("text", ["1.0", "1e5", "12345678901234567890", "0.10", "-0", "1E-7", "[1.50, -0.0]"])
def test_the_spelling_of_a_number_survives(text: str) -> None:
    assert dump(parse(text), indent=None) == text


def test_a_spelled_number_still_counts_as_one() -> None:
    value = parse("1e5")
    assert value == 100_000
    assert json.dumps(value) == "100000.0"
    assert not identical(value, parse("100000.0"))
    assert pickle.loads(pickle.dumps(value)).text == "1e5"


def test_text_is_written_as_the_standard_library_does() -> None:
    value = {"a": [1, {"b": None}, [], {}], "c": "ü\n", "d": {"e": True}}
    assert dump(value) == json.dumps(value, indent=2, ensure_ascii=False)
    assert dump(value, indent=None) == json.dumps(value, ensure_ascii=False)


def test_values_nested_a_hundred_thousand_levels_deep_are_written() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert dump(value, indent=None) == "[" * 100_001 + "]" * 100_001
    assert not identical(value, value[:])


def test_a_number_of_too_many_digits_is_a_sentence() -> None:
    with pytest.raises(WorkbenchError, match="too many digits"):
        parse("9" * 5_000)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_what_is_written_is_read_back(value: object) -> None:
    assert identical(parse(dump(value)), value)
