"""Patterns are tried elsewhere, many at once, and whatever they do, there is an answer."""

from __future__ import annotations

from workbench.recordings.regex_subprocess import fit


def test_many_are_tried_at_once():
    assert fit([("a+", "caat"), ("^b", "ab"), ("(", "x")])[:2] == ["yes", "no"]
    assert fit([]) == []


def test_half_characters_are_no_trouble():
    assert fit([("x", "\ud800x")]) == ["yes"]
