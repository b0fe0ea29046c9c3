"""Detects names by the text around them in mails, calendars, commits and chats: greetings, closings, `<address>`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from workbench.privacy.detectors import person_names
from workbench.privacy.detectors.text_search import DetectedSpan, find_matches_at_lines, find_matches_at_words

LONGEST = 60  # characters of a name before an address
FARTHEST = 66  # how far before its "@" an address begins

_LETTERS = r"[^\W\d_][^\W\d_'’.-]{0,30}"
_NAME = rf"{_LETTERS}(?:,? {_LETTERS}){{0,4}}"
# The same with capitals except particles, where other words may follow.
_CAPITAL = r"(?!(?:the|and|or)\b)[^\W\d_a-zß-öø-ÿ](?:[^\W\d_]|['’-](?=[^\W\d_])){0,30}+\.?"
_CAPITALS = rf"{_CAPITAL}(?: (?:(?:de|van|der|den|von|da|di|del|la|le|bin|al|dos|ten|ter|zu)\b|{_CAPITAL})){{0,4}}"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau|Sr|Sra|Mme|M)\b\.? ){0,2}"
_BEFORE_ADDRESS = re.compile(
    r"(?:^|[\n\t,;:>|(\[{]|\b(?:by|from|to|cc|and) |[-*•] |\")[ \t]*'?(?P<name>(?=[^\W\d_])"
    r"(?:[^\n\t,;:<>|()\[\]{}@\"'*•]|(?<=\w)'(?=\w)){1,60}+(?:, [^\W\d_][^\n\t,;:<>|()@\"]{0,30})?)[\"'*_]{0,3}[ \t]*$"
)
_GREETING = re.compile(
    r"(?<![\w-])(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|Hallo|Liebe[rs]?|Guten (?:Tag|Morgen)|Sehr geehrte[rs]?|Bonjour|Hola"
    r"|Ciao|Beste|Cher|Chère|Estimad[oa]|Gentile|Good (?:morning|afternoon|evening)) "
    rf"{_TITLE}(?P<name>{_CAPITALS})(?=[,!:;.\n]|$)"
)
_FAREWELL = re.compile(
    r"(?:\b(?:[Rr]egards|[Ss]incerely|[Tt]hanks|[Tt]hank you|[Cc]heers|[Bb]est(?: wishes)?|[Yy]ours(?: truly"
    r"| faithfully)?"
    r"|[Gg]rüße|[Gg]rüßen|[Ss]aludos|[Cc]ordialement|[Gg]roet(?:en)?|[Ss]aluti|[Hh]ochachtungsvoll))"
    r"[,.!]?(?:[ \t]{0,9}\r?\n\s{0,4}|(?<=,) ?)"
    rf"[-–—~]{{0,2}} ?(?P<name>{_TITLE}{_CAPITALS})(?=[ \t]{{0,9}}(?:[\r\n,|.(]|$))",
)
_COMMON_NAME = re.compile(r"(?:[;,]|^)CN=\"?(?P<name>[^:;,=\"\r\n]{2,60})", re.MULTILINE)
_BLAMED = re.compile(rf"\((?P<name>{_CAPITALS}) +\d{{4}}-\d\d-\d\d ")
_SAID = re.compile(
    r"^[ \t]{0,8}(?:\[[\d:.,/TZ +-]{4,30}(?: ?[AP]M)?\]"
    r"|\(?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\)?)[ \t]{0,3}[-–]?[ \t]{0,3}"
    rf"<?(?P<name>{_CAPITALS})>?(?: \([^()\n]{{1,20}}\))?:",
    re.MULTILINE,
)
_HEADED = re.compile(
    r"^[ \t]{0,8}(?:\d{1,3}[.)]|[-*•]|#{1,4})?[ \t]{0,3}(?:\*\*|__)?"
    rf"(?P<name>{_CAPITALS})(?:\*\*|__)?:?(?: \([^()\n]{{1,30}}\))?[ \t]{{0,3}}\r?\n"
    r"(?=[ \t]{0,8}[-*•]?[ \t]{0,3}(?:\*\*)?(?i:e-?mail|phone|tel|mobile|address|dob|born|birth|ssn)\b)",
    re.MULTILINE,
)
_SLACK = re.compile(r"<@[UW][A-Z0-9]{5,}\|(?P<name>[^<>|\n]{2,60})>")
# First words of greetings and closings.
_GREETINGS_WORDS = """
Hi hi Hello hello Hey hey Dear dear Hallo Liebe Guten Sehr Bonjour Hola Ciao Beste Cher Chère Estimad Gentile Good
"""
_GREETINGS = tuple(_GREETINGS_WORDS.split())
_FAREWELLS_WORDS = "regards sincerely thank cheers best yours grüße saludos cordialement groet saluti hochachtungsvoll"
_FAREWELLS = (*_FAREWELLS_WORDS.split(), *_FAREWELLS_WORDS.title().split())
_NOBODY_WORDS = """
all team everyone everybody there sir madam customer customers colleague colleagues friend friends folks guys user users
sirs support hiring both again world valued subscriber member members ladies gentlemen damen herren you
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())


def find_name_mentions(text: str) -> Iterator[DetectedSpan]:
    """Names with the reason for each finding."""
    if "@" in text:
        yield from _before_addresses(text)
    if "\n" in text or "," in text or "!" in text:
        yield from _named(find_matches_at_words(_GREETING, text, _GREETINGS), text, "greeting before it", _addressed)
        yield from _named(find_matches_at_words(_FAREWELL, text, _FAREWELLS), text, "farewell above it", _signed)
    if "CN=" in text:
        yield from _named(_COMMON_NAME.finditer(text), text, "CN before it", _is_certificate_name)
    if "(" in text and "-" in text:
        yield from _named(find_matches_at_words(_BLAMED, text, "("), text, "date after it", person_names.is_full_name)
    if ":" in text:
        yield from _named(find_matches_at_lines(_SAID, text), text, "time before it", person_names.is_plausible_name)
        yield from (
            _named(find_matches_at_lines(_HEADED, text), text, "its data below it", _headed) if "\n" in text else ()
        )
    if "<@" in text:
        yield from _named(find_matches_at_words(_SLACK, text, ("<@",)), text, "mention", person_names.is_plausible_name)


def _named(
    found: Iterable[re.Match[str]], text: str, why: str, accepts: Callable[[str], bool]
) -> Iterator[DetectedSpan]:
    for match in found:
        if accepts(match["name"].strip()):
            yield DetectedSpan(*_bare(text, *match.span("name")), "NAME", why)


def _before_addresses(text: str) -> Iterator[DetectedSpan]:
    """Names before addresses: `Rosa Lund <rosa@…>`, `"Lund, Rosa" <…>`, `Rosa Lund (rosa@…)`."""
    at = text.find("@")
    while at >= 0:
        opening = max(text.rfind(mark, max(0, at - FARTHEST), at) for mark in "<([")
        if opening > 0 and not any(map(str.isspace, text[opening:at])):
            name = _BEFORE_ADDRESS.search(text, max(0, opening - LONGEST - 8), opening)
            if name and _writes(name["name"].strip()):
                yield DetectedSpan(*_bare(text, *name.span("name")), "NAME", "address after it")
        at = text.find("@", at + 1)


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end].strip(" \t\"'")
    first = text.find(inner, start)
    return first, first + len(inner)


def _writes(name: str) -> bool:
    """Whether a text is the name of a sender or recipient, not a sentence or a team."""
    return person_names.is_plausible_name(name) and all(
        part[0].isupper() or part in person_names.PARTICLES for part in name.split()
    )


def _addressed(name: str) -> bool:
    words = name.lower().split()
    return (
        person_names.can_be_name(name)
        and _NOBODY.isdisjoint(words)
        and person_names.NO_PERSON.isdisjoint(words)
        and len(words) <= 4
    )


def _signed(name: str) -> bool:
    return _addressed(name) and (len(name.split()) > 1 or name.lower() not in _NOBODY)


def _is_certificate_name(name: str) -> bool:
    return person_names.is_full_name(name) and "." not in name.rstrip(".")[3:]


def _headed(name: str) -> bool:
    return name[0].isupper() and person_names.is_likely_name(name)
