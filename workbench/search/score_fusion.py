"""Combines lexical and semantic scores, also of several indexes with the same question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.search.embedding_index import Floats

_NEAR = 0.2  # minimum cosine of a semantic match
_CLOSE = 0.8  # minimum share of the best cosine; other entries are found by their words only
_ALIKE = 2.0  # weight of a name that is similar to the question, compared with words


@dataclass(frozen=True, slots=True)
class RankingSignals:
    """Scores of one index for a question, by position."""

    lexical_scores: Mapping[int, float]  # lexical scores
    trigram_matches: Mapping[int, float]  # names that share most of their trigrams with the question
    exact: Mapping[int, int]  # 0: the name equals the question; 1: its last part does
    similarities: Floats | None  # cosine of every position; None without a semantic index
    weight: tuple[float, float] = (0.45, 0.75)  # weight of semantic similarity: minimum (short questions) and maximum


def fuse(query: str, signals: Sequence[RankingSignals]) -> list[dict[int, float]]:
    """Combine lexical and semantic scores, each as a share of its best.

    Semantic similarity has a higher weight in longer questions. An entry without any word of the question only counts
    if its similarity is close to the best."""
    scores = _worded(signals)
    words = len(query.split())
    near = [one.similarities for one in signals if one.similarities is not None]
    best = max((float(one.max()) for one in near), default=0.0)
    typing = words == 1 and any(one.trigram_matches for one in signals)  # one word that is similar to a name
    if typing or best < _NEAR:
        return scores
    most = max((score for one in scores for score in one.values()), default=0.0) or 1
    least, highest = max(one.weight for one in signals if one.similarities is not None)
    share = min(highest, least + 0.01 * words)
    return [_joined(said, one.similarities, most, best, share) for said, one in zip(scores, signals, strict=True)]


def _worded(heard: Sequence[RankingSignals]) -> list[dict[int, float]]:
    top = max((score for one in heard for score in one.lexical_scores.values()), default=0.0)
    found = []
    for one in heard:
        scores = {at: score / top for at, score in one.lexical_scores.items()} if top else {}
        for at, likeness in one.trigram_matches.items():
            scores[at] = scores.get(at, 0.0) + _ALIKE * likeness
        found.append(scores)
    return found


def _joined(said: dict[int, float], near: Floats | None, most: float, best: float, share: float) -> dict[int, float]:
    if near is None:
        return {at: (1 - share) * score / most for at, score in said.items()}
    close = (near >= max(_NEAR, _CLOSE * best)).nonzero()[0].tolist()
    return {
        at: (1 - share) * said.get(at, 0.0) / most + share * max(0.0, float(near[at])) / best
        for at in said.keys() | set(close)
    }
