"""Answers are kept for as long and as large as the settings say, and a damaged one was never there."""

from __future__ import annotations

import os
import time

import pytest
from msgspec.structs import replace

from workbench.records import Content, Outcome
from workbench.settings import Settings
from workbench.workspace import answer_cache as module
from workbench.workspace.answer_cache import AnswerCache, key_of


@pytest.fixture
def box():
    return type("Box", (), {"settings": Settings()})()


@pytest.fixture
def cache(tmp_path, box):
    return AnswerCache(tmp_path / "answers", lambda: box.settings)


PARTS = (Content("text", "grün \udc80"), Content("image", data="QQ==", mime="image/png"))
ANSWER = Outcome("c1", True, PARTS, '{"n": 1}', ms=5, bytes=9)


def test_row_139_an_answer_comes_back_as_it_was_and_says_how_old_it_is(cache, tmp_path):
    assert cache.find("docs", "k") is None
    cache.keep("docs", "k", ANSWER)
    found = cache.find("docs", "k")
    assert (found.content, found.structured, found.bytes) == (ANSWER.content, ANSWER.structured, 9)
    assert 0 < found.cached < 60
    assert cache.find("other", "k") is None
    (place,) = (tmp_path / "answers").glob("*/*")
    assert place.stat().st_mode & 0o077 == 0
    place.write_text("{")
    assert cache.find("docs", "k") is None


def test_row_140_age_size_and_wish_end_it(cache, box, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_TIDY", 1)
    for number in range(4):
        cache.keep("docs", f"k{number}", replace(ANSWER, structured="x" * 400_000))
        os.utime(next((tmp_path / "answers").glob(f"*/k{number}")), (time.time() - 100 + number,) * 2)
    box.settings = replace(box.settings, cache_mb=1)
    cache.tidy()
    assert [cache.find("docs", f"k{number}") is not None for number in range(4)] == [False, False, True, True]
    box.settings = replace(box.settings, cache_minutes=1)
    assert cache.find("docs", "k3") is None
    cache.keep("other", "k", ANSWER)
    assert cache.forget("docs") == 2
    assert cache.size()[0] == 1
    assert cache.forget() == 1


def test_no_fault_no_stand_in_and_nothing_huge_is_kept(cache):
    for one in (
        replace(ANSWER, ok=False),
        replace(ANSWER, held=True),
        replace(ANSWER, cached=1.0),
        replace(ANSWER, bytes=module.LARGEST + 1),
    ):
        cache.keep("docs", "k", one)
    assert cache.size() == (0, 0)


def test_another_question_has_another_name():
    base = ("definition", "entry", "tool", {"a": 1, "b": [1, 2]})
    assert key_of(*base) == key_of("definition", "entry", "tool", {"b": [1, 2], "a": 1})
    others = [("d2", *base[1:]), ("definition", "e2", *base[2:]), (*base[:2], "t2", base[3]), (*base[:3], {"a": "1"})]
    assert len({key_of(*one) for one in (base, *others)}) == 5
