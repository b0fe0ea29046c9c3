"""Arguments by position, by name, and by the keys of a dict."""

from __future__ import annotations

from workbench.analysis.interpreter.values import NOTHING, Arguments, Value, ValueSource

FIRST, SECOND = Value(const=1), Value(const=2, taint=frozenset({ValueSource("private", "x", 1)}))


def test_a_position_wins_and_names_follow() -> None:
    given = Arguments((FIRST,), {"url": SECOND})
    assert given.get(0, "url") is FIRST
    assert given.get(1, "host", "url") is SECOND
    assert given.get(2, "host") is NOTHING


def test_origins_of_all_arguments_are_joined() -> None:
    assert Arguments((FIRST,), {"to": SECOND}).taint == SECOND.taint


def test_entries_of_a_dict_count_as_names() -> None:
    assert dict(Arguments((), {"a": FIRST}, {"b": SECOND}).by_name()) == {"a": FIRST, "b": SECOND}
