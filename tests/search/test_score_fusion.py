"""What several indexes say of one question, weighed so that it can stand in one order."""

from __future__ import annotations

import numpy
import pytest

from workbench.records import Tool
from workbench.search.bm25_ranking import Bm25Ranking, SearchedTool
from workbench.search.score_fusion import RankingSignals, fuse


def test_words_count_as_parts_of_the_best_of_all_indexes() -> None:
    one = RankingSignals({0: 4.0, 1: 2.0}, {}, {}, None)
    other = RankingSignals({0: 1.0}, {}, {}, None)
    assert fuse("some words", [one, other]) == [{0: 1.0, 1: 0.5}, {0: 0.25}]


def test_what_is_meant_is_found_without_a_word_and_weighs_more_in_a_long_question() -> None:
    signals = RankingSignals({0: 1.0}, {}, {}, numpy.array([0.1, 0.9], numpy.float32))
    short, long = fuse("two words", [signals])[0], fuse("word " * 30, [signals])[0]
    assert long[1] > short[1] > 0.4
    assert short[0] > long[0]


@pytest.mark.parametrize(
    ("query", "alike", "cosine"), [("ordrs", {0: 0.4}, 0.9), ("orders", {}, 0.1)], ids=["typing a name", "nothing near"]
)
def test_meaning_is_left_out_while_a_name_is_typed_and_where_nothing_is_near(
    query: str, alike: dict[int, float], cosine: float
) -> None:
    near = numpy.array([0.0, cosine], numpy.float32)
    assert 1 not in fuse(query, [RankingSignals({0: 1.0}, alike, {}, near)])[0]


def test_an_index_beside_a_larger_one_judges_words_as_that_one_does() -> None:
    def entry(name: str, told: str) -> SearchedTool:
        return SearchedTool(Tool("shop", name, description=told), name, "")

    large = Bm25Ranking([entry(f"tool_{at}", "Something about orders.") for at in range(50)])
    small = Bm25Ranking([entry("rare", "A zebra."), entry("common", "Some orders.")], large)
    alone = Bm25Ranking([entry("rare", "A zebra."), entry("common", "Some orders.")])
    assert small.look("zebra").lexical_scores[0] > 2 * small.look("orders").lexical_scores[1]
    assert alone.look("zebra").lexical_scores[0] < 2 * alone.look("orders").lexical_scores[1]
