"""Finds dates of birth: a date is one only where a word or a key says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.known import fold
from workbench.privacy.spots import matches

_KEYS_WORDS = "dob date_of_birth birth_date birthdate birthday born bday dateofbirth birth_day geburtsdatum born_on"
KEYS = frozenset(_KEYS_WORDS.split())
NEAR = 40  # how far behind its word a date may stand

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE_FORM = (
    r"(?:(?:18|19|20)\d\d([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:(?:18|19|20)\d\d|\d\d)"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ -](?:of )?{_MONTH},?[ -](?:18|19|20)\d\d"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? (?:18|19|20)\d\d)"
)
_DATE = re.compile(rf"(?<![\w.-]){_DATE_FORM}(?!\d)", re.IGNORECASE)
_GATES = ("born", "dob", "d.o", "do.", "birth", "date of", "gebor", "bday")
_WORD = re.compile(
    r"\bborn\b|\bd\.?o\.?b\b|\bbirth ?(?:date|day)?\b|\bdate of birth\b|\bgeboren\b|\bbday\b", re.IGNORECASE
)
_ANY = re.compile(rf"{_DATE_FORM}(?:[T ][\d:.+Z-]+)?|(?:18|19|20)\d{{6}}", re.IGNORECASE)


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of dates shortly behind "born" and its like."""
    for word in matches(_WORD, fold(text), _GATES):
        if date := _DATE.search(text, word.end(), word.end() + NEAR):
            yield date.span()


def accepts(value: str) -> bool:
    """Whether a value under its key is a date."""
    return len(value) <= 40 and _ANY.fullmatch(value.strip()) is not None
