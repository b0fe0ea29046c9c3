"""Lays a masked text beside the real one: which stretch of it each token stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from workbench.privacy.kinds import LITERAL
from workbench.privacy.marks import LOOKALIKE
from workbench.records import Hidden, KindCount


def beside(masked: str, restore: Callable[[str], str]) -> tuple[str, tuple[Hidden, ...]]:
    """The text with the values back in their places, and where they stand in it."""
    parts: list[str] = []
    spans: list[Hidden] = []
    at = last = 0
    for match in LOOKALIKE.finditer(masked):
        between, value = masked[last : match.start()], restore(match.group())
        at += len(between)
        if value != match.group():
            spans.append(Hidden(at, at + len(value), kind_of(match.group()), match.group()))
        parts += [between, value]
        at += len(value)
        last = match.end()
    return "".join([*parts, masked[last:]]), tuple(spans)


def tokens_in(text: str) -> Iterator[str]:
    """Everything in a text that is written as a token; whether it is one, its session knows."""
    return (match.group() for match in LOOKALIKE.finditer(text)) if "_" in text else iter(())


def counts_in(masked: str) -> tuple[KindCount, ...]:
    """How many different values of each kind a text has tokens for."""
    kinds = Counter(kind_of(token) for token in {one.upper() for one in tokens_in(masked)})
    return tuple(KindCount(kind, count) for kind, count in sorted(kinds.items()) if kind != LITERAL)


def kind_of(token: str) -> str:
    """The kind that a token names."""
    return token.removeprefix("[").removeprefix("%5B").removeprefix("%5b").rpartition("_")[0].upper()
