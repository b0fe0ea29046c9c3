"""Detects names by the text around them in mails, calendars, commits and chats: greetings, closings, `<address>`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from workbench.privacy.detectors import person_names
from workbench.privacy.detectors.greetings import CAPITALS, find_greeted_names, find_small_names
from workbench.privacy.detectors.text_search import DetectedSpan, find_matches_at_lines, find_matches_at_words

LONGEST = 60  # characters of a name before an address
FARTHEST = 66  # how far before its "@" an address begins

_LETTERS = r"[^\W\d_][^\W\d_'’.-]{0,30}"
_NAME = rf"{_LETTERS}(?:,? {_LETTERS}){{0,4}}"
_BEFORE_ADDRESS = re.compile(
    r"(?:^|[\n\t,;:>|(\[{]|\b(?:by|from|to|cc|and) |[-*•] |\")[ \t]*'?(?P<name>(?=[^\W\d_])"
    r"(?:[^\n\t,;:<>|()\[\]{}@\"'*•]|(?<=\w)'(?=\w)){1,60}+(?:, [^\W\d_][^\n\t,;:<>|()@\"]{0,30})?)[\"'*_]{0,3}[ \t]*$"
)
# What is done with a person before first and last name: `Update Customer Rosa Lund (…)`.
_TASK = re.compile(
    r"(?:(?:Add|Approve|Ask|Assign|Assignee|Author|Call|Chase|Contact|Contacted|Create|Customer|Delete|Edit|Email|Emailed|"
    r"Escalate|Inform|Invite|Invited|Mail|Message|Meet|Move|Notify|Onboard|Organizer|Owner|Phone|Ping|Refund|Register|"
    r"Remind|Remove|Reply|Reporter|Requester|Reset|Review|Send|Speaker|Tell|Thank|Update|User|Welcome|Write) ){0,2}"
    r"(?=\S+ \S)"
)
_COMMON_NAME = re.compile(r"(?:[;,]|^)CN=\"?(?P<name>[^:;,=\"\r\n]{2,60})", re.MULTILINE)
_BLAMED = re.compile(rf"\((?P<name>{CAPITALS}) +\d{{4}}-\d\d-\d\d ")
_SAID = re.compile(
    r"^[ \t]{0,8}(?:\[[\d:.,/TZ +-]{4,30}(?: ?[AP]M)?\]"
    r"|\(?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\)?)[ \t]{0,3}[-–]?[ \t]{0,3}"
    rf"<?(?P<name>{CAPITALS})>?(?: \([^()\n]{{1,20}}\))?:",
    re.MULTILINE,
)
_HEADED = re.compile(
    r"^[ \t]{0,8}(?:\d{1,3}[.)]|[-*•]|#{1,4})?[ \t]{0,3}(?:\*\*|__)?"
    rf"(?P<name>{CAPITALS})(?:\*\*|__)?:?(?: \([^()\n]{{1,30}}\))?[ \t]{{0,3}}\r?\n"
    r"(?=[ \t]{0,8}[-*•]?[ \t]{0,3}(?:\*\*)?(?i:e-?mail|phone|tel|mobile|address|dob|born|birth|ssn)\b)",
    re.MULTILINE,
)
_SLACK = re.compile(r"<@[UW][A-Z0-9]{5,}\|(?P<name>[^<>|\n]{2,60})>")


def find_name_mentions(text: str) -> Iterator[DetectedSpan]:
    """Names with the reason for each finding."""
    if "@" in text:
        yield from _before_addresses(text)
    yield from find_greeted_names(text)
    yield from find_small_names(text)
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
                start, end = _bare(text, *name.span("name"))
                task = _TASK.match(text, start, end)
                start = task.end() if task else start
                yield DetectedSpan(start, end, "NAME", "address after it")
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


def _is_certificate_name(name: str) -> bool:
    return person_names.is_full_name(name) and "." not in name.rstrip(".")[3:]


def _headed(name: str) -> bool:
    return name[0].isupper() and person_names.is_likely_name(name)
