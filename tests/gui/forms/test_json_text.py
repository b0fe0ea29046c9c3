"""JSON text: exact both ways, and never silently repaired."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.gui.forms.json_text import dump, identical, parse


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
