"""Detects phone numbers by "+", by usual groupings or by a word before them, excluding dates, addresses and IDs.

One pass finds runs of digits with their separators; the groups of a run decide what it is, so no pattern backtracks.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from msgspec import Struct

from workbench.privacy.detectors.text_search import find_matches

FEWEST, MOST = 7, 15  # digits of a number; E.164 allows 15
FEWEST_WITH_WORD = 6
WHOLE = 11  # digits after which an international number is complete
LOOK_BACK = 40  # characters before a number in which a word may announce it

_RUN = re.compile(r"[+(\d](?:(?<=\d)|(?<=\()\d|(?<=\+)\(?\d)(?:[ \u00a0./()-]{0,2}+\d){5,}+")
_GROUP = re.compile(r"\d+")
_EXTENSION = re.compile(r" ?(?:x|ext\.?) ?\d{1,6}(?!\w)", re.IGNORECASE)
_WORD = re.compile(
    r"(?:phone|telefon|mobile|whats ?app|hotline"
    r"|(?<![a-z])(?:tel|cell|fax|sms|handy|dial|ring|call(?:ed)?(?: (?:me|him|her|us|them))?))"
    r"(?:\s?(?:no|nr|number|is|at|on))?[^\w\n]{0,6}$",
    re.IGNORECASE,
)
_BETWEEN = " \t\u00a0" + string.punctuation.replace("_", "")
# Last words of the text before a number that may announce it.
_ENDINGS_WORDS = """
phone telefon mobile whatsapp app hotline tel cell fax sms handy dial ring call called me him her us them no nr number
is at on
"""
_ENDINGS = tuple(_ENDINGS_WORDS.split())
_OTHER_WORD = re.compile(
    r"(?:\b|_)(?:id|ids|no|order|invoice|ref|reference|ticket|case|tracking|version|build|port|sku|isbn|ean|upc|serial|timestamp|"
    r"commit|rev|seq|policy|claim|size|bytes|offset|lat|lon|price|amount|total|account|routing)[\s:#=\"']{0,6}$",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:19|20)\d\d([-./ ])\d{1,2}\1\d{1,2}(?!\d)|\d{1,2}([-./ ])\d{1,2}\2(?:1\d|20)?\d\d(?!\d)"
    r"|(?:19|20)\d\d ?- ?(?:19|20)\d\d\b"
)
_POST_CODE = (5, 4)  # 01234-5678 in the United States
_WHOLE = re.compile(r"[+(]?[\d(][\d\s()./+*#-]{3,30}(?: ?(?:x|ext\.?) ?\d{1,6})?", re.IGNORECASE)


class _Run(Struct, frozen=True):
    text: str
    groups: tuple[tuple[int, int], ...]  # spans of its groups of digits

    def digits(self, first: int = 0, last: int | None = None) -> int:
        return sum(end - start for start, end in self.groups[first:last])

    def sizes(self, first: int, count: int) -> tuple[int, ...]:
        return tuple(end - start for start, end in self.groups[first : first + count])


def find_phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Spans of all phone numbers."""
    for match in find_matches(_RUN, text):
        if match.start() and text[match.start() - 1].isalnum():
            continue
        run = _Run(match.group(), tuple(group.span() for group in _GROUP.finditer(match.group())))
        for start, end in _numbers(text, match.start(), run):
            yield match.start() + start, _with_extension(text, match.start() + end)


def is_phone_number(value: str) -> bool:
    """Whether a whole value under a phone key is a phone number."""
    digits = sum(letter.isdigit() for letter in value)
    return (
        5 <= digits <= MOST + 3 and _WHOLE.fullmatch(value.strip()) is not None and not _DATE.fullmatch(value.strip())
    )


def _with_extension(text: str, end: int) -> int:
    extension = _EXTENSION.match(text, end)
    return extension.end() if extension else end


def _numbers(text: str, offset: int, run: _Run) -> Iterator[tuple[int, int]]:
    if _inside_word(text, offset, run):
        return
    before = text[max(0, offset - LOOK_BACK) : offset]
    if run.text.startswith("+"):
        yield from _international(run) if "/-" not in run.text else ()  # `+1015/-127`: lines of a change
    elif before.rstrip(_BETWEEN).lower().endswith(_ENDINGS) and _WORD.search(before):
        yield from _announced(run)
    elif (found := list(_shaped(run))) and not _OTHER_WORD.search(before):
        yield from found


def _inside_word(text: str, start: int, run: _Run) -> bool:
    """Whether the number continues as a word, decimal, time or amount."""
    end = start + len(run.text)
    before, after = text[start - 1 : start], text[end : end + 1]
    listed = len(run.groups) > 2  # commas next to it separate fields, not thousands
    if before.isalnum() or (before and before in "_.,$€£#=/%+&:-" and not _separates(text, start, listed)):
        return True
    if after.isalnum() and not _EXTENSION.match(text, end):
        return not (run.text.startswith("+") and run.digits() >= WHOLE - 1)
    divided = after in ":@" or (after == "," and not listed)
    return after in ("_", "%") or (after != "" and divided and text[end + 1 : end + 2].isalnum())


def _separates(text: str, start: int, listed: bool) -> bool:
    """Whether a separator of fields is before it: `tel:555…`, `phone=555…`, `name,555…`."""
    mark, earlier = text[start - 1], text[start - 2 : start - 1]
    if mark == "," and listed:
        return True
    return mark in ":=,/" and not earlier.isdigit() and "://" not in text[max(0, start - 4) : start] and earlier != ":"


def _international(run: _Run) -> Iterator[tuple[int, int]]:
    """The groups of the first number; further groups of the run are another number."""
    taken = 0
    while taken < len(run.groups) and run.digits(0, taken + 1) <= MOST and not _complete(run, taken):
        taken += 1
    if taken and run.digits(0, taken) >= FEWEST:
        yield 0, run.groups[taken - 1][1]
        yield from _shaped(run, taken)


def _complete(run: _Run, taken: int) -> bool:
    """Whether these groups are a complete number and only a space separates them from the next."""
    return run.digits(0, taken) >= WHOLE and run.text[run.groups[taken - 1][1] : run.groups[taken][0]].isspace()


def _announced(run: _Run) -> Iterator[tuple[int, int]]:
    if FEWEST_WITH_WORD <= run.digits() <= MOST and not _DATE.fullmatch(run.text):
        yield _opened(run, 0), run.groups[-1][1]
    else:
        yield from _shaped(run)


def _shaped(run: _Run, first: int = 0) -> Iterator[tuple[int, int]]:
    """The number with a usual grouping: (415) 555-0132, 1-415-555-0132, 030 901820. The last begins a run or follows
    another, because numbers in a row are measurements."""
    index, follows = first, True
    while index < len(run.groups):
        count = _american(run, index) or (_national(run, index) if follows else 0)
        if count:
            yield _opened(run, index), run.groups[index + count - 1][1]
        follows = count > 0
        index += count or 1


def _american(run: _Run, index: int) -> int:
    for lead in (1, 0):
        sizes = run.sizes(index, 3 + lead)
        start, end = run.groups[index]
        if sizes != ((1, 3, 3, 4) if lead else (3, 3, 4)) or (lead and run.text[start:end] != "1"):
            continue
        if "/" not in run.text[start : run.groups[index + 2 + lead][1]]:
            return 3 + lead
    return 0


def _national(run: _Run, index: int) -> int:
    """The number of groups of a number with trunk "0" and area code, 0 if there is none. Numbers with dots do not
    count: they are more often versions or addresses."""
    start, end = run.groups[index]
    if run.text[start] != "0" or not 2 <= end - start <= 5 or run.text[start - 1 : start].strip("( ") != "":
        return 0
    sizes, rest = run.sizes(index, MOST), run.text[start : start + 2 * MOST]
    if len(sizes) < 2 or sizes == _POST_CODE or "." in rest or _DATE.match(rest) or max(sizes) < 3:
        return 0
    return len(sizes) if 8 <= run.digits(index, index + MOST) <= 12 else 0


def _opened(run: _Run, index: int) -> int:
    """The start of a number, including a bracket before the area code."""
    start = run.groups[index][0]
    return start - 1 if start and run.text[start - 1] == "(" else start
