"""How much more other models count: an estimate, or measured on a sample, once."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from workbench.api_handlers import token_report as room
from workbench.api_handlers.token_report import factors

DEFINITIONS = [{"name": f"tool_{at}", "description": "What it does. " * 40} for at in range(500)]


def test_without_ctok_it_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctok", None)
    found = factors(DEFINITIONS)
    assert [one.measured for one in found] == [False, False]
    assert all(1 < one.least < one.most < 2 for one in found)


def test_with_it_a_sample_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def token_count(text: str, version: str) -> int:
        read.append(text)
        return 7 + room.count(text) * {"3.0": 2, "4.8": 3}[version]

    monkeypatch.setitem(sys.modules, "ctok", SimpleNamespace(token_count=token_count))
    monkeypatch.setattr(room, "_measured", {})
    assert [(one.least, one.measured) for one in factors(DEFINITIONS)] == [(2.0, True), (3.0, True)]
    assert sum(map(len, read)) < 3 * room._SAMPLE
    before = len(read)
    assert factors(DEFINITIONS)[0].least == 2.0
    assert len(read) == before
    assert not factors([])[0].measured


def test_ctok_itself_reads_more_tokens_than_o200k() -> None:
    pytest.importorskip("ctok", reason="the extra [tokens] is not installed, or this Python is older than 3.12")
    old, new = factors(DEFINITIONS)
    assert 1 < old.least < new.least < 2
