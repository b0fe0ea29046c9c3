"""The search for many words in one pass finds what a search for each word alone finds."""

from __future__ import annotations

import random

from workbench.privacy.detectors.keyword_search import KeywordFinder

WORDS = ["tel", "phone", "телефон", "電話", "卡", "rue", "ruelle", "p.o. box", " ext"]


def alone(text: str) -> set[tuple[int, str]]:
    return {(at, word) for word in WORDS for at in range(len(text)) if text.startswith(word, at)}


def test_long_and_short_texts_give_the_same_words() -> None:
    choose = random.Random(3)
    finder = KeywordFinder(WORDS, "1a \n")
    for size in (0, 2, 5, 100, 2_000, 30_000):
        text = "".join(choose.choice([*WORDS, "1", "a", " ", "x\n", "é"]) for _ in range(size))
        assert set(finder.find(text)) == alone(text)


def test_words_at_the_border_of_pieces_are_found_once() -> None:
    text = "1" * 199_998 + "phone" + "1" * 200_000 + "ruelle1"
    assert sorted(KeywordFinder(WORDS).find(text)) == [(199_998, "phone"), (400_003, "rue"), (400_003, "ruelle")]


def test_a_long_text_without_signs_near_the_words_gives_nothing() -> None:
    assert list(KeywordFinder(["phone"]).find("phone " * 1_000)) == []
    assert len(list(KeywordFinder(["phone"], ",").find("phone, " * 1_000))) == 1_000
