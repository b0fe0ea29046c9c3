"""Finds personal data in a text: by its form, by the key before it or the header above it; not known values."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from workbench.privacy.found import Found, union
from workbench.privacy.kinds import KINDS
from workbench.privacy.mentions import mentions
from workbench.privacy.pairs import pairs
from workbench.privacy.prose import prose
from workbench.privacy.rules import PLAIN, Rules
from workbench.privacy.spots import each
from workbench.privacy.tables import cells
from workbench.privacy.vcard import cards

_FINDERS = tuple((kind.name, kind.why, kind.find) for kind in KINDS)
_SHORT = 120  # characters of a text that is remembered: names of fields, states and labels come again and again


def detect(text: str, rules: Rules = PLAIN) -> tuple[Found, ...]:
    """All stretches, not overlapping, in order; none holds a NUL, with which the vault blanks its tokens out."""
    return _remembered(text, rules) if len(text) <= _SHORT else _detect(text, rules)


def _detect(text: str, rules: Rules) -> tuple[Found, ...]:
    found = _counting(_by_rules(text, rules), text, rules)
    found += _counting(prose(text, rules, found), text, rules)
    return union(found) if found else ()


_remembered = lru_cache(maxsize=8192)(_detect)


def _counting(found: Iterable[Found], text: str, rules: Rules) -> list[Found]:
    """Without what a person lets pass, and without tokens."""
    if rules.never or rules.passing or rules.off:
        found = [one for one in found if one.kind not in rules.off and not rules.lets_pass(text[one.start : one.end])]
    return [one for one in found if "\0" not in text[one.start : one.end]]


def _by_rules(text: str, rules: Rules) -> list[Found]:
    found = [Found(start, end, name, why) for name, why, find in _FINDERS for start, end in find(text)]
    found += pairs(text, rules)
    found += cells(text, rules)
    found += mentions(text)
    found += cards(text)
    return found + by_patterns(text, rules)


def by_patterns(text: str, rules: Rules) -> list[Found]:
    """What the user's own patterns match."""
    return [
        Found(*match.span(), own.kind, f"your pattern {own.name}")
        for own in rules.patterns
        for match in each(own.regex, text)
        if match.group()
    ]
