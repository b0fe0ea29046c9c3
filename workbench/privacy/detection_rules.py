"""Detection rules: disabled kinds, thresholds, the user's keys and patterns, and exceptions; rejects slow patterns."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.errors import WorkbenchError

THRESHOLD = 0.5  # default for the lowest score of a finding in prose
RECALL_FIRST = 0.2  # default with `recall_first`, which masks too much rather than too little
NEVER = 2.0  # a score that no finding has


@dataclass(frozen=True, slots=True)
class UserPattern:
    """A pattern of the user; its matches are values of a kind."""

    name: str  # shown as the reason of a finding
    kind: str
    regex: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class DetectionRules:
    """How personal data is detected; by default every kind."""

    off: frozenset[str] = frozenset()  # kinds that are not detected
    recall_first: bool = False  # mask too much rather than too little: lower thresholds
    prose: bool = True  # find names and addresses in sentences
    thresholds: tuple[tuple[str, float], ...] = ()  # the lowest score of a kind in prose
    patterns: tuple[UserPattern, ...] = ()
    keys: tuple[
        tuple[str, str], ...
    ] = ()  # the user's key names as `field_names.spelling` writes them, with their kinds
    never: frozenset[str] = frozenset()  # values in lower case and key names that the user marked as harmless
    passing: tuple[re.Pattern[str], ...] = ()  # patterns of values that the user marked as harmless
    servers: tuple[tuple[str, DetectionRules], ...] = ()  # other rules for the answers of single servers
    _by_key: dict[str, str] = field(init=False, repr=False, compare=False, hash=False, default_factory=dict)
    _hash: int = field(init=False, repr=False, compare=False, hash=False, default=0)

    def __post_init__(self) -> None:
        self._by_key.update(self.keys)
        searched = (self.off, self.recall_first, self.prose, self.thresholds, self.patterns, self.keys)
        object.__setattr__(self, "_hash", hash((*searched, self.never, self.passing, self.servers)))

    def __hash__(self) -> int:
        """Computed once: rules are a cache key for every text."""
        return self._hash

    def threshold(self, kind: str) -> float:
        """The lowest score of a finding in prose; more than 1 if prose is not searched."""
        if not self.prose:
            return NEVER
        return dict(self.thresholds).get(kind, RECALL_FIRST if self.recall_first else THRESHOLD)

    def lets_pass(self, value: str) -> bool:
        """Whether the user marked this value or key name as harmless."""
        bare = value.strip()
        return bare.lower() in self.never or any(one.fullmatch(bare) for one in self.passing)

    def for_server(self, server: str) -> DetectionRules:
        """The rules for the answers of a server."""
        return next((rules for name, rules in self.servers if name == server), self)

    def of_key(self, spelling: str) -> str | None:
        """The kind that the user assigned to a key; None if there is none."""
        return self._by_key.get(spelling)


DEFAULT_RULES = DetectionRules()


LONGEST: Final = 200  # characters of a pattern
MOST_WAYS: Final = 2_000  # ways in which a pattern may match at one position
WIDEST: Final = 400  # characters of a match; other detectors have the same limit
_HINT: Final = r"Limit each repetition, for example \d{4,12} instead of \d+, and do not nest repetitions."
_parser = importlib.import_module("re._parser")  # the standard library's parser, which has no public name


def compile_bounded(text: str) -> re.Pattern[str]:
    """Compile a pattern of the user. Rejects invalid patterns, patterns that match an empty text, and slow ones.

    The number of ways in which it can match at one position is bounded: each repetition needs an upper limit, and
    nested repetitions soon exceed the bound.
    """
    if not 0 < len(text) <= LONGEST:
        raise WorkbenchError(f"A pattern must have 1 to {LONGEST} characters.")
    try:
        with warnings.catch_warnings(action="error"):
            made, tree = re.compile(text), _parser.parse(text)
    except (re.error, OverflowError, RecursionError, Warning) as fault:
        raise WorkbenchError(f"This is not a valid regular expression: {fault}.", _HINT) from None
    if tree.getwidth()[1] > WIDEST or _count_ways(tree) > MOST_WAYS:
        raise WorkbenchError("Matching this pattern may take very long on a long text.", _HINT)
    if tree.getwidth()[0] < 1:
        raise WorkbenchError("This pattern also matches an empty text.", "Add at least one character that must occur.")
    return made


def _count_ways(nodes: Iterable[Any]) -> int:  # Any: the parser's tree
    """The number of ways in which a sequence can match at one position, at most one more than allowed."""
    product = 1
    for operation, about in nodes:
        product = min(product * _count_ways_of_node(str(operation), about), MOST_WAYS + 1)
    return product


def _count_ways_of_node(operation: str, about: Any) -> int:  # Any: the operation's arguments
    match operation:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, body = about
            return _count_repeated_ways(_count_ways(body), int(least), int(most))
        case "BRANCH":
            return sum(map(_count_ways, about[1]))
        case "SUBPATTERN":
            return _count_ways(about[3])
        case "ATOMIC_GROUP":
            return _count_ways(about)
        case "ASSERT" | "ASSERT_NOT":
            return _count_ways(about[1])
        case "GROUPREF_EXISTS":
            return _count_ways(about[1]) + (_count_ways(about[2]) if about[2] is not None else 1)
    return 1


def _count_repeated_ways(ways: int, least: int, most: int) -> int:
    if most - least > MOST_WAYS:
        return MOST_WAYS + 1
    total, power = (
        0,
        min(ways**least, MOST_WAYS + 1) if ways > 1 and least < 64 else ways if ways == 1 else MOST_WAYS + 1,
    )
    for _ in range(most - least + 1):
        total = min(total + power, MOST_WAYS + 1)
        power = min(power * ways, MOST_WAYS + 1)
    return total
