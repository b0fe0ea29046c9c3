"""Settings of detection: kinds that are off, thresholds, the user's key names and patterns, and what may pass."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

THRESHOLD = 0.5  # of a kind that is scored, where no other is set
RECALL_FIRST = 0.2  # the same where too much is rather masked than too little


@dataclass(frozen=True, slots=True)
class UserPattern:
    """A form of somebody's own; its matches are of a kind."""

    name: str  # as the person calls it
    kind: str
    regex: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class DetectionRules:
    """How personal data is looked for; by default with every kind there is."""

    off: frozenset[str] = frozenset()  # kinds that are let pass
    recall_first: bool = False  # rather mask too much: names in prose count from a lower score on
    thresholds: tuple[tuple[str, float], ...] = ()  # from which score on a kind in prose counts
    patterns: tuple[UserPattern, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()  # own names of keys, as `keys.spelling` writes them, with their kinds
    never: frozenset[str] = frozenset()  # folded values, and names of keys, that a person said are harmless
    passing: tuple[re.Pattern[str], ...] = ()  # forms of values that a person said are harmless
    _by_key: dict[str, str] = field(init=False, repr=False, compare=False, hash=False, default_factory=dict)
    _hash: int = field(init=False, repr=False, compare=False, hash=False, default=0)

    def __post_init__(self) -> None:
        self._by_key.update(self.keys)
        parts = (self.off, self.recall_first, self.thresholds, self.patterns, self.keys, self.never, self.passing)
        object.__setattr__(self, "_hash", hash(parts))

    def __hash__(self) -> int:
        """Worked out once: rules are asked for with every word."""
        return self._hash

    def threshold(self, kind: str) -> float:
        """From which score on a finding in prose counts."""
        return dict(self.thresholds).get(kind, RECALL_FIRST if self.recall_first else THRESHOLD)

    def lets_pass(self, value: str) -> bool:
        """Whether a person said that this value, or this name of a key, is harmless."""
        bare = value.strip()
        return bare.lower() in self.never or any(one.fullmatch(bare) for one in self.passing)

    def of_key(self, spelling: str) -> str | None:
        """The kind that a key of somebody's own announces."""
        return self._by_key.get(spelling)


DEFAULT_RULES = DetectionRules()
