"""Finds personal data in a text by the forms of kinds, keys, tables and the user's patterns, and names in prose."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import Final

from workbench.privacy.decoded_text import has_invisible, plain, without_invisible
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.announced_numbers import find_announced_numbers
from workbench.privacy.detectors.credentials import find_secrets
from workbench.privacy.detectors.field_names import spelling
from workbench.privacy.detectors.key_value_pairs import find_contact_cards, find_pairs
from workbench.privacy.detectors.kinds import KINDS
from workbench.privacy.detectors.name_mentions import find_name_mentions
from workbench.privacy.detectors.names_in_prose import find_names_in_prose
from workbench.privacy.detectors.names_in_scripts import find_names_in_scripts
from workbench.privacy.detectors.script_borders import with_borders
from workbench.privacy.detectors.segment_formats import find_in_segments
from workbench.privacy.detectors.text_search import DetectedSpan, find_matches, merge_findings
from workbench.privacy.detectors.text_tables import find_table_cells
from workbench.privacy.detectors.text_types import TypedText, classify
from workbench.privacy.detectors.type_rules import counts

_FINDERS = tuple((kind.name, kind.why, kind.find) for kind in KINDS)


def detect(text: str, rules: DetectionRules = DEFAULT_RULES) -> tuple[DetectedSpan, ...]:
    """All findings, sorted, not overlapping. None contains a NUL, with which the vault blanks out tokens."""
    return _detect_cached(text, rules) if len(text) <= SHORT else _detect(text, rules)


def _detect(text: str, rules: DetectionRules) -> tuple[DetectedSpan, ...]:
    types = classify(text)
    found = _allowed_findings(_by_rules(text, rules, types), text, rules)
    found += _allowed_findings(find_names_in_prose(text, rules, found, types), text, rules)
    return _joined(merge_findings(found), text) if found else ()


_detect_cached = lru_cache(maxsize=8192)(_detect)


def _joined(found: tuple[DetectedSpan, ...], text: str) -> tuple[DetectedSpan, ...]:
    """The findings, with the parts of a name that only a space separates as one."""
    joined: list[DetectedSpan] = []
    for part in found:
        last = joined[-1] if joined else None
        if last and last.kind == part.kind == "NAME" and text[last.end : part.start] == " ":
            joined[-1] = replace(last, end=part.end)
        else:
            joined.append(part)
    return tuple(joined)


def _allowed_findings(found: Iterable[DetectedSpan], text: str, rules: DetectionRules) -> list[DetectedSpan]:
    """The findings without those in blanked-out tokens and those that the rules let pass."""
    if rules.never or rules.passing or rules.off:
        found = [one for one in found if one.kind not in rules.off and not rules.lets_pass(text[one.start : one.end])]
    return [one for one in found if "\0" not in text[one.start : one.end]]


def _by_rules(text: str, rules: DetectionRules, types: TypedText) -> list[DetectedSpan]:
    bordered = with_borders(text)
    found = [DetectedSpan(start, end, name, why) for name, why, find in _FINDERS for start, end in find(bordered)]
    found += find_secrets(text)
    found += find_announced_numbers(text)
    if rules.prose:
        found += find_names_in_scripts(text)
    found += find_pairs(text, rules)
    found += find_table_cells(text, rules)
    found += find_name_mentions(text)
    found += find_contact_cards(text)
    found += find_in_segments(text)
    counted = [one for one in found if counts(text, one, types.at(one.start)) or _is_own_key(one, rules)]
    return counted + by_patterns(text, rules)


def _is_own_key(found: DetectedSpan, rules: DetectionRules) -> bool:
    """Whether the user assigned the key of a finding to its kind."""
    return bool(rules.keys) and rules.of_key(spelling(found.why.rpartition(" ")[2])) == found.kind


def by_patterns(text: str, rules: DetectionRules) -> list[DetectedSpan]:
    """The matches of the user's patterns."""
    return [
        DetectedSpan(*match.span(), own.kind, f"your pattern {own.name}")
        for own in rules.patterns
        for match in find_matches(own.regex, text)
        if match.group()
    ]


_MOST_TEXTS: Final = 32


class DetectionCache:
    """Cache of the findings in a session's last long texts, because output is scanned again when the agent gets it."""

    def __init__(self) -> None:
        self._findings: dict[tuple[str | bytes, DetectionRules], tuple[DetectedSpan, ...]] = {}
        self._adding = Lock()

    def detect(self, text: str, rules: DetectionRules) -> tuple[DetectedSpan, ...]:
        """The findings in a text whose letters may have other Unicode forms or invisible characters between them."""
        text = plain(text)
        if not has_invisible(text):
            return self._detect(text, rules)
        view = without_invisible(text)
        found = self._detect(view.text, rules)
        return tuple(DetectedSpan(*view.origin(one.start, one.end), one.kind, one.why) for one in found)

    def _detect(self, text: str, rules: DetectionRules) -> tuple[DetectedSpan, ...]:
        if len(text) <= SHORT:  # `detect` caches those
            return detect(text, rules)
        key = (digest(text), rules)
        found = self._findings.get(key)
        if found is None:
            found = detect(text, rules)
            with self._adding:
                if len(self._findings) >= _MOST_TEXTS:
                    self._findings.pop(next(iter(self._findings)))
                self._findings[key] = found
        return found


SHORT: Final = 120  # characters of a text that is short: cached for all sessions, and stored without a digest
_MOST: Final = 4_096


class SeenTexts:
    """A bounded set of texts that were read already; for a long text, only a digest is stored.

    Reading field names, states and labels again would cost 24 % of registering answers and 42 % of masking output.
    """

    def __init__(self) -> None:
        self._texts: set[str | bytes] = set()
        self._adding = Lock()

    def __contains__(self, text: str) -> bool:
        return bool(self._texts) and digest(text) in self._texts

    def add(self, text: str) -> None:
        with self._adding:
            if len(self._texts) >= _MOST:
                self._texts.clear()
            self._texts.add(digest(text))


def digest(text: str) -> str | bytes:
    """The text, or its digest if it is long."""
    if len(text) <= SHORT:
        return text
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()
