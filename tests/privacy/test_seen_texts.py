"""A text that was registered to its end is not read again."""

from __future__ import annotations

import json

import pytest

from workbench.broker.agent_sessions import Sessions
from workbench.privacy import seen_texts
from workbench.privacy.seen_texts import SeenTexts


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_texts, "_MOST", 3)
    seen = SeenTexts()
    for number in range(10):
        seen.add(str(number))
    assert "9" in seen
    assert sum(str(number) in seen for number in range(10)) <= 3


def test_each_server_is_read_for_itself_and_a_long_text_always() -> None:
    session, times = Sessions(lambda: True).open("an agent"), []
    long = "x " * 20_000
    for text, server in (("text", "mail"), ("text", "shop"), ("text", "mail"), (long, "mail"), (long, "mail")):
        session.register(text, server, lambda text, server=server: times.append((text, server)) or text)
    assert times == [("text", "mail"), ("text", "shop"), (long, "mail"), (long, "mail")]


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
