"""Combines lexical and semantic scores, also of several indexes that were asked the same question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.search.embedding_index import Floats

_NEAR = 0.2  # cosine below which nothing is meant
_CLOSE = 0.8  # of the best cosine; what is farther is found by its words or not at all
_ALIKE = 2.0  # what a name that nearly is the question counts, beside words


@dataclass(frozen=True, slots=True)
class RankingSignals:
    """What one index says of a question, by position in it."""

    said: Mapping[int, float]  # by the words that are used
    alike: Mapping[int, float]  # names that share most of their letters with it
    exact: Mapping[int, int]  # 0: its name; 1: the last part of its name
    near: Floats | None  # the cosine of every position; None where meaning is not looked at
    weight: tuple[float, float] = (0.45, 0.75)  # how much meaning counts beside words: in a short question, and at most


def fuse(query: str, heard: Sequence[RankingSignals]) -> list[dict[int, float]]:
    """What is said and what is meant, each as a part of its best; meaning weighs more in a long question.
    What shares no word with it must be close to the best to count at all."""
    scores = _worded(heard)
    words = len(query.split())
    near = [one.near for one in heard if one.near is not None]
    best = max((float(one.max()) for one in near), default=0.0)
    typing = words == 1 and any(one.alike for one in heard)  # one word that is nearly a name
    if typing or best < _NEAR:
        return scores
    most = max((score for one in scores for score in one.values()), default=0.0) or 1
    least, highest = max(one.weight for one in heard if one.near is not None)
    share = min(highest, least + 0.01 * words)
    return [_joined(said, one.near, most, best, share) for said, one in zip(scores, heard, strict=True)]


def _worded(heard: Sequence[RankingSignals]) -> list[dict[int, float]]:
    top = max((score for one in heard for score in one.said.values()), default=0.0)
    found = []
    for one in heard:
        scores = {at: score / top for at, score in one.said.items()} if top else {}
        for at, likeness in one.alike.items():
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
