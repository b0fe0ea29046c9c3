"""Patterns are tried elsewhere, many at once, and whatever they do, there is an answer."""

from __future__ import annotations

from workbench.recordings.regex_subprocess import match_patterns


def test_many_are_tried_at_once():
    assert match_patterns([("a+", "caat"), ("^b", "ab"), ("(", "x")])[:2] == ["yes", "no"]
    assert match_patterns([]) == []


def test_half_characters_are_no_trouble():
    assert match_patterns([("x", "\ud800x")]) == ["yes"]
