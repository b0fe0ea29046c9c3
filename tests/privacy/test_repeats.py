"""A text is the same one only if it is the same text of the same server, and was read to its end."""

from __future__ import annotations

import json

import pytest

from workbench.privacy import repeats
from workbench.privacy.repeats import LONGEST, Repeats
from workbench.runs.sessions import Sessions


def test_a_text_counts_as_read_for_its_server_only_and_a_long_one_never():
    read = Repeats()
    read.add(read.key("text", "mail"))
    assert read.has(read.key("text", "mail"))
    assert not read.has(read.key("text", "shop"))
    assert not read.has(read.key("text ", "mail"))
    long = read.key("x" * (LONGEST + 1), "mail")
    read.add(long)
    assert not read.has(long)


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(repeats, "_MOST", 3)
    read = Repeats()
    for number in range(10):
        read.add(read.key(str(number), "mail"))
    assert len(read._read) <= 3
    assert read.has(read.key("9", "mail"))


def test_a_text_that_comes_again_is_not_read_again_and_one_whose_reading_failed_is():
    session, times = Sessions(lambda: True).open("an agent"), []

    def reading(text):
        times.append(text)
        return json.loads(text)

    for text in ('{"email": "ada@example.org"}', '{"email": "ada@example.org"}', "{"):
        if text == "{":
            for _ in range(2):
                with pytest.raises(ValueError, match="Expecting"):
                    session.register(text, "mail", reading)
        else:
            session.register(text, "mail", reading)
    assert times == ['{"email": "ada@example.org"}', "{", "{"]
    assert "ada@" not in session.mask("to ada@example.org")
