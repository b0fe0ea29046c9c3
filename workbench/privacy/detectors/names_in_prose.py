"""Detects names and addresses in sentences: the model scores the words around each candidate.

Most answers of tools are not prose. A candidate is a capitalized word that is not an ordinary word, or one after a
number; it is read with a window of some words on both sides. Code, paths and headings contain no candidates and cost
one pass of a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.privacy.detection_rules import DetectionRules
from workbench.privacy.detectors.name_model import (
    WORD,
    evidence,
    folded,
    is_title,
    listed,
    name_model,
    names_street,
)
from workbench.privacy.detectors.person_names import PARTICLES
from workbench.privacy.detectors.text_search import DetectedSpan, find_matches, merge_findings
from workbench.privacy.detectors.text_types import TextType, TypedText, classify
from workbench.privacy.detectors.type_rules import PROSE, begins_sentence, counts
from workbench.privacy.detectors.word_filter import ORDINARY, PLACE
from workbench.privacy.detectors.word_lists import THING_WORDS

if TYPE_CHECKING:
    from workbench.privacy.detectors.name_model import Array

Spans: TypeAlias = tuple[tuple[int, int, int], ...]

KINDS: Final = ("NAME", "ADDRESS")  # in the order of the model's columns
FEWEST: Final = 12  # characters; shorter texts are no prose
_AROUND: Final = 48  # characters on both sides of a candidate that are read
_LONGEST: Final = 600  # characters that are read at once
_FEWEST_LETTERS: Final = 2
_MOST_WINDOWS: Final = 4_096  # in the cache, which saves 7 % of registering and masking a text
_recent: dict[tuple[str, tuple[float, ...]], Spans] = {}
_TRUST: Final = 0.35  # exponent of the score of a listed first name
_ENTITY: Final = 2  # the model's column of other entities
_OTHER: Final = 0.5  # least score of another entity that no list of names overrules
_LISTED: Final = 0.6  # least score of a listed first name before a listed last name
_EDGE_OF: Final = 0.4  # share of the minimum score that a word next to a found one needs

_BIG, _SMALL = r"[A-ZÀ-ÖØ-Þ\u0100-\u017f]", r"[a-zß-öø-ÿ\u0100-\u017f]"
# The beginning of a candidate. Searching it alone is a third faster and does not block other threads.
_FIRST = re.compile(rf"[{_BIG[1:-1]}\ddl](?<![\w.@/\\$#%<-].)(?:(?<![dl])|(?=['’]))")
_CANDIDATE = re.compile(
    r"(?:(?P<word>(?:Mc|Mac|De|Di|La|Le|Van|Fitz|[ODdl]['’])?"
    rf"{_BIG}{_SMALL}+(?:['’-]{_BIG}?{_SMALL}+)*+|[A-Z]{{3,20}})(?![\w(=/\\@]|\.\w|::|-\w)"
    rf"|(?P<number>\d{{1,5}}[A-Za-z]?(?:-\d{{1,4}})?,? (?={_BIG}{_SMALL}|rue |via |avenue |av\. |place |quai ))"
    r"|(?P<box>P\.? ?O\.? Box))"
)
_PARTICLES = PARTICLES | {"af", "ap", "das", "do", "ibn", "los", "las", "vom", "dem", "het", "te"} - {"of", "y"}
_PAIRS: Final = frozenset(
    {("van", "der"), ("van", "den"), ("van", "de"), ("van", "het"), ("von", "der"), ("von", "dem")}
)
_PREPOSITIONS: Final = frozenset(
    {"de", "da", "di", "do", "du", "del", "della", "das", "dos", "von", "la", "le", "zu", "te", "vom", "los", "las"}
)
_MOST_PARTICLES: Final = 3
_AFTER_FIRST: Final = frozenset({",", ")", "of", "von", "de", "van", "av"})  # after "Elizabeth I"
_ORDINAL = re.compile(r"[IVX]{1,6}")
_FENCE = re.compile(r"[\"|{}<>\t=`\[\]]|\n\s*\n|[,;](?=[^\s\d])|(?<!\d)[,;](?=\d)")  # borders of names
_WORD_OF_PROSE = re.compile(rf"(?<![\w.@/\\-]){_SMALL}{{2,}}(?![\w(=@/\\]|[.-]\w)")
_POSSESSIVE = ("'s", "’s")
_ORDERS = re.compile(r" (?:the|an?|this|these|those|its?|your|all|each|every) ")  # after an imperative
_DATES_WORDS = "jan feb mar apr may jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun"
_DATES = frozenset(_DATES_WORDS.split())


def find_names_in_prose(
    text: str, rules: DetectionRules, found: Iterable[DetectedSpan] = (), types: TypedText | None = None
) -> Iterator[DetectedSpan]:
    """Names and addresses in sentences, or on lines below them, that are not in `found`."""
    if len(text) < FEWEST or rules.off.issuperset(KINDS):
        return
    least = tuple(2.0 if kind in rules.off else rules.threshold(kind) for kind in KINDS)
    known = merge_findings(found)
    types = types or classify(text)
    places = list(_windows(text, known, types))
    for (start, end), inside in zip(places, _read([text[slice(*place)] for place in places], least), strict=True):
        for first, last, kind in inside:
            guess = DetectedSpan(start + first, min(end, start + last), KINDS[kind], PROSE)
            if counts(text, guess, types.at(guess.start)):
                yield _before_address(text, guess, known)


def _before_address(text: str, guess: DetectedSpan, known: Sequence[DetectedSpan]) -> DetectedSpan:
    """The guess without an e-mail address after a name: as one value, a tool would get both instead of an address."""
    mail = next((one for one in known if one.kind == "EMAIL" and guess.start < one.start < guess.end <= one.end), None)
    if mail is None or guess.kind != "NAME":
        return guess
    last = guess.start + len(text[guess.start : mail.start].rstrip(" ,;:<("))
    return replace(guess, end=last) if last > guess.start else guess


def _windows(text: str, found: Sequence[DetectedSpan], types: TypedText) -> Iterator[tuple[int, int]]:
    """Windows around candidates, in order, not overlapping."""
    begin = end = known = 0
    for match in _candidates(text):
        while known < len(found) and found[known].end <= match.start():
            known += 1
        if known < len(found) and found[known].start <= match.start():
            continue
        after = text[match.end() : match.end() + 2]
        if (word := match["word"]) and not _uncommon(word, listed(word), after) and not _numbered(word, after):
            continue
        if types.at(match.start()) >= TextType.CODE or _orders(text, *match.span()):
            continue
        low, high = _around(text, *match.span(), end)
        if low <= end and high - begin <= _LONGEST and end:
            end = high
            continue
        if end:
            yield begin, end
        begin, end = max(low, end), high
    if end:
        yield begin, end


def _candidates(text: str) -> Iterator[re.Match[str]]:
    """Words that could be a name, and beginnings of addresses, in order, not overlapping."""
    end = 0
    for first in find_matches(_FIRST, text):
        if first.start() >= end and (match := _CANDIDATE.match(text, first.start())):
            end = match.end()
            yield match


def _uncommon(word: str, known: str, after: str) -> bool:
    """Whether a word can be a name. An ordinary word can only if it is a first name before another capital letter."""
    if word.isupper():
        return "F" in known and "C" not in known
    return "C" not in known or ("F" in known and after[:1] == " " and after[1:].isupper())


def _numbered(word: str, after: str) -> bool:
    """Whether a word is a street's before a number: `Boulevard 12`."""
    return after[:1] == " " and after[1:].isdigit() and names_street(word)


def _orders(text: str, start: int, end: int) -> bool:
    """Whether a word begins an imperative sentence, as in "Mend the line"."""
    return _ORDERS.match(text, end) is not None and begins_sentence(text, start)


def _around(text: str, start: int, end: int, floor: int) -> tuple[int, int]:
    """The window around a candidate, up to marks that do not occur in names."""
    low, high = max(start - _AROUND, floor), min(end + _AROUND, len(text))
    while 0 < low < start and text[low - 1].isalnum():
        low += 1
    while end < high < len(text) and text[high].isalnum():
        high -= 1
    for fence in _FENCE.finditer(text, low, start):
        low = fence.end()
    fence_behind = _FENCE.search(text, end, high)
    return low, fence_behind.start() if fence_behind else high


def _read(windows: Sequence[str], least: tuple[float, ...]) -> list[Spans]:
    """The spans of names and addresses in each window, with the index of their kind in `KINDS`."""
    found = {window: _recent.get((window, least)) for window in windows}
    new = {window: list(WORD.finditer(window)) for window, spans in found.items() if spans is None}
    new = {window: words for window, words in new.items() if words and _is_prose(window)}
    told = name_model().read([[word.group() for word in words] for words in new.values()])
    for (window, words), scores in zip(new.items(), told, strict=True):
        found[window] = tuple(_spans(window, words, scores, least))
    if len(_recent) > _MOST_WINDOWS:
        _recent.clear()
    _recent.update({(window, least): spans or () for window, spans in found.items()})
    return [found[window] or () for window in windows]


def _is_prose(window: str) -> bool:
    return _WORD_OF_PROSE.search(window) is not None or any(map(str.isdigit, window))


def _spans(
    window: str, words: Sequence[re.Match[str]], scores: Array, least: tuple[float, ...]
) -> Iterator[tuple[int, int, int]]:
    said = [word.group() for word in words]
    scores[[word[0] == "\0" for word in said]] = 0  # blanked-out tokens
    scores[[_is_no_name(word) or _is_in_date(said, at) for at, word in enumerate(said)], 0] = 0
    listed_first = [
        _is_first_name(word) and other < _OTHER for word, other in zip(said, scores[:, _ENTITY].tolist(), strict=True)
    ]
    scores[listed_first, 0] **= _TRUST
    for at in range(len(said) - 1):
        between = window[words[at].end() : words[at + 1].start()]
        if _is_first_name(said[at]) and _goes_on(said[at + 1], between, scores[at : at + 2, _ENTITY].max()):
            scores[at : at + 2, 0] = scores[at : at + 2, 0].clip(_LISTED)
    for place, minimum in enumerate(least):
        for first, last in _runs(scores[:, place].tolist(), said, minimum):
            if KINDS[place] == "NAME":
                first, last = _without_ordinary(said, first, last)
                first, last = _with_particles(said, first, last, scores[:, _ENTITY].tolist())
            start, end = words[first].start(), words[last].end()
            if window[start:end].endswith(_POSSESSIVE):
                end -= 2
            if _plausible(window[start:end], place):
                yield start, end, place


def _without_ordinary(words: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """The first and last word of a name without ordinary words around it, as in "Kann Jonas" or "von Jonas"."""
    first += _skipped(words[first : last + 1])
    while first < last and words[first].islower() and tuple(words[first : first + 2]) not in _PAIRS:
        first += 1
    while last > first and (words[last].islower() or words[last] == "I"):
        last -= 1
    return first, last


def _with_particles(words: Sequence[str], first: int, last: int, other: Sequence[float]) -> tuple[int, int]:
    """The first and last word of a name with what belongs to it: "van der" before, "de la Cruz" or "XIV" after it."""
    if first > 1 and (words[first - 2].lower(), words[first - 1].lower()) in _PAIRS:
        first -= 2
    at = last + 1
    while at < len(words) and at <= last + _MOST_PARTICLES and words[at] in _PARTICLES:
        at += 1
    if last + 1 < at < len(words) and words[at][0].isupper() and words[at].isalpha() and other[at] < _OTHER:
        known = evidence(folded(words[at]))
        if _PREPOSITIONS.isdisjoint(words[last + 1 : at]) or not (ORDINARY in known or PLACE in known):
            last = at
    if last + 1 < len(words) and _ORDINAL.fullmatch(words[last + 1]) and _is_first_name(words[last]):
        following = words[last + 2] if last + 2 < len(words) else "."
        last += words[last + 1] != "I" or following in _AFTER_FIRST
    return first, last


def _is_in_date(words: Sequence[str], at: int) -> bool:
    """Whether a word is a month or day beside a number or another one: `Jan 2`, `Thu Feb 12`."""
    if words[at].lower() not in _DATES:
        return False
    beside = (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])
    return any(word[0].isdigit() or word.lower() in _DATES for word in beside)


def _is_first_name(word: str) -> bool:
    """Whether a capitalised word is in the list of first names and is no ordinary word."""
    return word[0].isupper() and listed(word) in ("F", "FL")


def _is_last_name(word: str) -> bool:
    return word[0].isupper() and listed(word) in ("L", "FL")


def _goes_on(word: str, between: str, other: float) -> bool:
    """Whether a name goes on after a first name: with an ordinal number, a listed last name, or a word that is in no
    list as an ordinary one."""
    if _ORDINAL.fullmatch(word):
        return between == " " and len(word) > 1
    if other >= _OTHER:
        return False
    ordinary = listed(word) or ORDINARY in evidence(folded(word))
    return _is_last_name(word) or (between == " " and word[0].isupper() and word[1:].islower() and not ordinary)


def _is_no_name(word: str) -> bool:
    """Whether a word in lower case is an ordinary one that is no part of names, as in `Sanne de Vries`."""
    return word.islower() and word not in PARTICLES and "C" in listed(word)


def _skipped(words: Sequence[str]) -> int:
    """The number of words before a name that are ordinary, as in "Kann Jonas", or a preposition, as in "von Jonas"."""
    count = 0
    while count + 1 < len(words) and not is_title(words[count]) and listed(words[count]) == "C":
        count += 1
    if words[count] in PARTICLES and count + 1 < len(words) and _is_first_name(words[count + 1]):
        return count + 1
    return count if words[count][0].isupper() else 0


def _runs(scores: list[float], words: list[str], minimum: float) -> Iterator[tuple[int, int]]:
    """First and last word of each finding: words with the minimum score, extended by neighbours with a share of it."""
    at = 0
    while at < len(scores):
        if scores[at] < minimum:
            at += 1
            continue
        first = last = at
        while first > 0 and scores[first - 1] >= minimum * _EDGE_OF:
            first -= 1
        while last + 1 < len(scores) and scores[last + 1] >= minimum * _EDGE_OF:
            last += 1
        at = last + 1
        while first < last and not words[first][0].isalnum():
            first += 1
        while last > first and not words[last][0].isalnum() and words[last] != ".":
            last -= 1
        yield first, last


def _plausible(stretch: str, place: int) -> bool:
    """Whether a stretch has letters and a capital, as a name needs, or letters and a digit, as an address needs."""
    if KINDS[place] == "ADDRESS":
        return any(map(str.isdigit, stretch)) and any(map(str.isalpha, stretch))
    if stretch.lower() in THING_WORDS and "F" not in listed(stretch):
        return False
    return sum(map(str.isalpha, stretch)) >= _FEWEST_LETTERS and any(map(str.isupper, stretch))
