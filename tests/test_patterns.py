"""A pattern that is compiled later is the same pattern, and every one of ours can be compiled."""

from __future__ import annotations

import re

import pytest

import workbench.core  # noqa: F401  # all rooms
from workbench.patterns import Later, later


def test_it_finds_what_the_expression_finds():
    text, words = "One two\nThree", r"(?P<big>[a-z]+)$"
    soon, now = later(words, re.IGNORECASE | re.MULTILINE), re.compile(words, re.IGNORECASE | re.MULTILINE)
    assert soon.findall(text) == now.findall(text) == ["two", "Three"]
    assert [m.span("big") for m in soon.finditer(text, 5)] == [m.span("big") for m in now.finditer(text, 5)]
    assert (soon.match(text), soon.pattern, soon.flags, soon.groups) == (None, now.pattern, now.flags, now.groups)
    assert soon.sub("-", text) == now.sub("-", text)


def test_it_is_compiled_once_and_only_when_it_is_asked(monkeypatch):
    compiled = []
    monkeypatch.setattr(re, "compile", lambda *words: compiled.append(words) or re._compiler.compile(*words))
    soon = later("a+")
    assert compiled == []
    assert soon.search("baa")
    assert soon.fullmatch("b") is None
    assert compiled == [("a+", 0)]


def test_what_an_expression_has_not_is_no_reason_to_compile():
    wrong = later("(")
    assert not hasattr(wrong, "shape")
    with pytest.raises(re.error):
        wrong.search("")


def test_every_pattern_of_the_rooms_can_be_compiled(monkeypatch):
    import sys

    rooms = [vars(module) for name, module in tuple(sys.modules.items()) if name.startswith("workbench.")]
    ours = {id(one): one for room in rooms for one in room.values() if isinstance(one, Later)}
    assert len(ours) > 200
    for one in ours.values():
        re.compile(one._text, one._flags)
