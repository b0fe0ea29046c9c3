"""Table of the forms of secrets of some 180 vendors, and a search for their keywords that reads a text once.

`tools/convert_secret_rules.py` writes the table. It is loaded, and each pattern compiled, when a text first needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from workbench.paths import resources
from workbench.thread_cancellation import check_cancelled

_PIECE: Final = 50_000  # characters searched at once, as no other thread runs meanwhile
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGER: Final = "İ"  # the only letter whose lower case is longer, which would move all positions after it


class SecretRule(msgspec.Struct, frozen=True, dict=True):
    """How the secrets of one form are found."""

    vendor: str  # empty for forms that several vendors use
    reason: str  # shown to the user: "Atlassian API token"
    # described in tools/secret_rules.toml
    form: Literal["prefix", "mixed", "login", "named", "scan", "prose", "random"]
    keywords: tuple[str, ...]  # in lower case
    regex: str
    entropy: float = 0.0  # bits per character that a secret has at least

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.regex, re.ASCII)

    @cached_property
    def secret_group(self) -> int:
        """The group of the pattern that is the secret; 0 for the whole match."""
        return self.pattern.groupindex.get("secret", 0)


class SecretRules:
    """The rules of a table, by keyword."""

    def __init__(self, path: Path) -> None:
        from ahocorasick_rs import AhoCorasick

        self.rules = msgspec.json.decode(path.read_bytes(), type=tuple[SecretRule, ...])
        by_keyword: dict[str, list[SecretRule]] = {}
        for rule in self.rules:
            for keyword in rule.keywords:
                by_keyword.setdefault(keyword, []).append(rule)
        self._rules = [tuple(rules) for rules in by_keyword.values()]
        self._keywords = AhoCorasick(by_keyword, store_patterns=False)
        self._longest = max(map(len, by_keyword))

    def find_keywords(self, text: str) -> Iterator[tuple[SecretRule, int, int]]:
        """Each rule whose keyword occurs in a text, with start and end of the keyword."""
        lowered = text.replace(_LONGER, "i").lower() if _LONGER in text else text.lower()
        if not lowered.isascii():  # the engine takes no lone surrogates
            lowered = _SURROGATE.sub("?", lowered)
        for begin in range(0, len(lowered), _PIECE):
            check_cancelled()
            piece = lowered[begin : begin + _PIECE + self._longest] if len(lowered) > _PIECE else lowered
            for keyword, start, end in self._keywords.find_matches_as_indexes(piece, overlapping=True):
                if start < _PIECE:
                    for rule in self._rules[keyword]:
                        yield rule, begin + start, begin + end


@lru_cache(maxsize=1)
def secret_rules() -> SecretRules:
    """The shipped rules."""
    return SecretRules(resources() / "privacy" / "secret_rules.json")
