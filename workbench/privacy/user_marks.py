"""Converts what the user or a project marked as personal or harmless to detection rules.

A mark masks a value, a pattern or the values of a key, or excludes them from masking. A project can only mask: only the
user can exclude, and exclusions take precedence.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace as replace_fields
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.privacy.detection_rules import DEFAULT_RULES, THRESHOLD, DetectionRules, UserPattern, compile_bounded
from workbench.privacy.detectors.field_names import spelling
from workbench.privacy.detectors.kinds import BY_NAME, KINDS, SEALED
from workbench.privacy.strictness import BALANCED, read_server_steps, rules_at
from workbench.privacy.value_index import LONGEST
from workbench.records import KindRule, PrivacyMark

WHATS: Final = ("value", "pattern", "key")
EVERYWHERE: Final = "everywhere"
IN_PROJECT: Final = "project"  # the scope of a mark of the user for one project
ALL: Final = "ALL"  # each kind, in the setting `privacy.preview`
YOURS: Final = "CUSTOM"  # the kind of marks without one
_SHORTEST: Final = 3  # characters of a value that is masked everywhere
_SWEPT: Final = 6  # letters; shorter values are not found in other spellings
_LONGEST_KEY: Final = 80


class StartRules(Struct, frozen=True):
    """The rules and known values that every session starts with."""

    rules: DetectionRules = DEFAULT_RULES
    known: tuple[tuple[str, str], ...] = ()  # kind and value


def check_mark(mark: PrivacyMark) -> PrivacyMark:
    """The mark as it is stored. Rejects a mark that would mask nothing or too much."""
    text = mark.text.strip()
    if mark.what not in WHATS:
        raise WorkbenchError(f"A mark must be about a value, a pattern or a key, not {mark.what!r:.40}.")
    if mark.scope not in (EVERYWHERE, IN_PROJECT):
        raise WorkbenchError(f"A mark applies everywhere or in this project, not in {mark.scope!r:.40}.")
    if mark.hide and (mark.kind not in BY_NAME or mark.kind == SEALED):
        raise WorkbenchError(
            f"There is no kind of personal data {mark.kind!r:.40}.", f"Choose one of {', '.join(_KINDS)}."
        )
    if mark.what == "pattern":
        compile_bounded(text)
    elif mark.what == "key":
        text = spelling(text) if len(text) <= _LONGEST_KEY else ""
        if not text:
            raise WorkbenchError("This cannot be the name of a key.", "Examples: badge, customer_ref, firstName.")
    elif not 0 < len(text) <= LONGEST or "\0" in text:
        raise WorkbenchError(f"A value must have 1 to {LONGEST} characters.", "Mark only the part that matters.")
    elif mark.hide and len(text) < _SHORTEST:
        raise WorkbenchError(
            "This value is so short that it would be found everywhere.", "Mark a longer part, or its key."
        )
    kind = mark.kind if mark.hide else ""
    scope = mark.scope if mark.scope == IN_PROJECT else ""
    return replace(mark, text=text, kind=kind, id=_id(mark.hide, mark.what, text, kind, scope))


def rules_from_marks(
    marks: Iterable[PrivacyMark],
    off: str = "",
    thresholds: str = "",
    *,
    strictness: str = BALANCED,
    servers: str = "",
) -> StartRules:
    """The rules that follow from marks and settings. `unknown_settings` returns invalid parts of the settings."""
    every = in_force(marks)
    hides, passes = [one for one in every if one.hide], [one for one in every if not one.hide]
    values = [(one.kind, one.text) for one in hides if one.what == "value"]
    rules = DetectionRules(
        off=frozenset(name for name in _names(off) if name in BY_NAME and name != SEALED),
        thresholds=tuple(_thresholds(thresholds)),
        patterns=(*_patterns(hides), *_short(values)),
        keys=tuple((one.text, one.kind) for one in hides if one.what == "key"),
        never=frozenset(one.text.lower() for one in passes if one.what != "pattern"),
        passing=tuple(compile_bounded(one.text) for one in passes if one.what == "pattern"),
    )
    others = {name: rules_at(step, rules) for name, step in read_server_steps(servers).items() if step != strictness}
    rules = replace_fields(rules_at(strictness, rules), servers=tuple(others.items()))
    return StartRules(rules if rules != DEFAULT_RULES else DEFAULT_RULES, tuple(values))


def in_force(marks: Iterable[PrivacyMark]) -> tuple[PrivacyMark, ...]:
    """The marks without those for which the user has marked the same text otherwise in this project."""
    every = tuple(marks)
    here = {_subject(mark): mark.hide for mark in every if mark.scope == IN_PROJECT}
    return tuple(
        mark
        for mark in every
        if mark.source == "project" or mark.scope == IN_PROJECT or here.get(_subject(mark), mark.hide) == mark.hide
    )


def mark_about(marks: Iterable[PrivacyMark], text: str, *, hide: bool) -> PrivacyMark | None:
    """The mark of a value or pattern that masks this text, or that lets it pass."""
    bare = text.strip()
    for mark in in_force(marks):
        if mark.hide == hide and mark.what == "value" and mark.text.casefold() == bare.casefold():
            return mark
        if mark.hide == hide and mark.what == "pattern" and compile_bounded(mark.text).fullmatch(bare):
            return mark
    return None


def _subject(mark: PrivacyMark) -> tuple[str, str]:
    return mark.what, mark.text.casefold()


def kind_rules(rules: DetectionRules) -> tuple[KindRule, ...]:
    """Each kind with its settings."""
    return tuple(
        KindRule(
            kind.name,
            kind.plural,
            kind.name not in rules.off,
            rules.threshold(kind.name) if kind.prose and rules.prose else 0.0,
        )
        for kind in KINDS
        if kind.name != SEALED
    )


def unknown_settings(off: str, thresholds: str, preview: str = "") -> tuple[str, ...]:
    """The parts of the settings that are no kind, or no threshold from 0 to 1."""
    kinds = (*_names(off), *(name for name in _names(preview) if name != ALL))
    read = {name for name, _ in _thresholds(thresholds)}
    wrong = [word for word in thresholds.split() if word.partition("=")[0].upper() not in read]
    return (*(name for name in kinds if name not in BY_NAME), *wrong)


def preview_kinds(setting: str) -> frozenset[str]:
    """The kinds in the setting `privacy.preview`; `all` means each kind."""
    names = frozenset(_names(setting))
    return frozenset(BY_NAME) if ALL in names else names & frozenset(BY_NAME)


def with_kind_switched(off: str, kind: str, *, on: bool) -> str:
    """The setting of disabled kinds with one kind switched."""
    names = [name for name in _names(off) if name != kind]
    return " ".join(names if on else [*names, kind])


def with_threshold(thresholds: str, kind: str, threshold: float) -> str:
    """The setting of thresholds with one changed; the default is not written."""
    kept = [(name, score) for name, score in _thresholds(thresholds) if name != kind]
    kept += [(kind, threshold)] if threshold != THRESHOLD else []
    return " ".join(f"{name}={score:g}" for name, score in kept)


def _patterns(hides: Iterable[PrivacyMark]) -> list[UserPattern]:
    return [UserPattern(f"“{one.text}”", one.kind, compile_bounded(one.text)) for one in hides if one.what == "pattern"]


def _short(values: Sequence[tuple[str, str]]) -> list[UserPattern]:
    """Patterns for values that the search in all spellings skips, because they may occur inside any word. The patterns
    match them as separate words, in any case."""
    by_kind: dict[str, list[str]] = {}
    for kind, value in values:
        if len(value) < _SWEPT or value.isalpha() or value.isdigit():
            by_kind.setdefault(kind, []).append(re.escape(value))
    return [
        UserPattern("marked by you", kind, re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)", re.IGNORECASE))
        for kind, found in by_kind.items()
    ]


def _names(words: str) -> list[str]:
    return list(dict.fromkeys(word.upper() for word in words.replace(",", " ").split()))


def _thresholds(words: str) -> list[tuple[str, float]]:
    found = []
    for word in words.replace(",", " ").split():
        name, _, score = word.partition("=")
        try:
            value = float(score)
        except ValueError:
            continue
        if name.upper() in BY_NAME and 0 < value <= 1:
            found.append((name.upper(), value))
    return found


def _id(hide: bool, what: str, text: str, kind: str, scope: str) -> str:
    parts = ("hide" if hide else "pass", what, text.casefold() if what == "value" else text, kind)
    words = "\0".join((*parts, scope) if scope else parts)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_KINDS = [kind.name for kind in KINDS if kind.name != SEALED]
