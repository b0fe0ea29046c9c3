"""Finds personal data in a text: the kinds' own forms, keys, tables, the user's patterns, and names in prose."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from threading import Lock
from typing import Final

from workbench.privacy.decoded_text import without_invisible
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.contact_cards import find_contact_cards
from workbench.privacy.detectors.findings import Finding, merge_findings
from workbench.privacy.detectors.key_value_pairs import find_pairs
from workbench.privacy.detectors.kinds import KINDS
from workbench.privacy.detectors.name_mentions import find_name_mentions
from workbench.privacy.detectors.names_in_prose import find_names_in_prose
from workbench.privacy.detectors.text_search import find_matches
from workbench.privacy.detectors.text_tables import find_table_cells
from workbench.privacy.seen_texts import SHORT, digest
from workbench.privacy.unicode_folding import has_invisible, plain

_FINDERS = tuple((kind.name, kind.why, kind.find) for kind in KINDS)
_SHORT = 120  # characters of a text that is remembered: names of fields, states and labels come again and again


def detect(text: str, rules: DetectionRules = DEFAULT_RULES) -> tuple[Finding, ...]:
    """All stretches, not overlapping, in order; none holds a NUL, with which the vault blanks its tokens out."""
    return _remembered(text, rules) if len(text) <= _SHORT else _detect(text, rules)


def _detect(text: str, rules: DetectionRules) -> tuple[Finding, ...]:
    found = _counting(_by_rules(text, rules), text, rules)
    found += _counting(find_names_in_prose(text, rules, found), text, rules)
    return merge_findings(found) if found else ()


_remembered = lru_cache(maxsize=8192)(_detect)


def _counting(found: Iterable[Finding], text: str, rules: DetectionRules) -> list[Finding]:
    """Without what a person lets pass, and without tokens."""
    if rules.never or rules.passing or rules.off:
        found = [one for one in found if one.kind not in rules.off and not rules.lets_pass(text[one.start : one.end])]
    return [one for one in found if "\0" not in text[one.start : one.end]]


def _by_rules(text: str, rules: DetectionRules) -> list[Finding]:
    found = [Finding(start, end, name, why) for name, why, find in _FINDERS for start, end in find(text)]
    found += find_pairs(text, rules)
    found += find_table_cells(text, rules)
    found += find_name_mentions(text)
    found += find_contact_cards(text)
    return found + by_patterns(text, rules)


def by_patterns(text: str, rules: DetectionRules) -> list[Finding]:
    """What the user's own patterns match."""
    return [
        Finding(*match.span(), own.kind, f"your pattern {own.name}")
        for own in rules.patterns
        for match in find_matches(own.regex, text)
        if match.group()
    ]


_MOST_TEXTS: Final = 32


class DetectionCache:
    """One session's."""

    def __init__(self) -> None:
        self._lately: dict[tuple[str | bytes, DetectionRules], tuple[Finding, ...]] = {}
        self._adding = Lock()

    def detect(self, text: str, rules: DetectionRules) -> tuple[Finding, ...]:
        """What the detector sees in this text, by these rules, whatever its letters wear."""
        text = plain(text)
        if not has_invisible(text):
            return self._detect(text, rules)
        view = without_invisible(text)
        found = self._detect(view.text, rules)
        return tuple(Finding(*view.origin(one.start, one.end), one.kind, one.why) for one in found)

    def _detect(self, text: str, rules: DetectionRules) -> tuple[Finding, ...]:
        if len(text) <= SHORT:  # the detector remembers those itself
            return detect(text, rules)
        key = (digest(text), rules)
        found = self._lately.get(key)
        if found is None:
            found = detect(text, rules)
            with self._adding:
                if len(self._lately) >= _MOST_TEXTS:
                    self._lately.pop(next(iter(self._lately)))
                self._lately[key] = found
        return found
