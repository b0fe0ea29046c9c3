"""Detects birth dates, and postal addresses under keys; the model of `name_model.py` finds addresses in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detectors.text_search import find_matches_at_words
from workbench.privacy.value_index import fold

NEAR = 40  # characters after the announcing word in which a date may be

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


def find_birth_dates(text: str) -> Iterator[tuple[int, int]]:
    """Spans of dates shortly after "born" and similar words."""
    for word in find_matches_at_words(_WORD, fold(text), _GATES):
        if date := _DATE.search(text, word.end(), word.end() + NEAR):
            yield date.span()


_BIRTH_WORDS = """
born_|birth|né_le|née_le|naissance|nacid|nacimiento|nato_il|nata_il|nascita|nascid|nascimento|geboren|geburts|geb._|geboorte
|urodz|ur._|narozen|född|født|fødsels|syntynyt|doğum|рожд|родил|народж|рођен|роден|γεννήθηκε|γέννησης|ميلاد|مواليد
|לידה|נולד|जन्म|เกิด|出生|生年月日|生まれ|생년월일|출생
"""
BIRTH_WORDS = tuple(word.strip("\n").replace("_", " ") for word in _BIRTH_WORDS.split("|"))
_MONTHS = (
    r"(?:jan|feb|fév|mar|mär|maa|apr|abr|avr|mag|mai|maj|may|jun|juin|giu|jul|juil|lug|aug|août|ago|aoû|sep|set|okt"
    r"|oct|ott|out"
    r"|nov|dez|dec|déc|dic|ene|gen|cze|lip|sie|wrz|paź|lis|gru|sty|lut|kwi|янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен"
    r"|окт|ноя"
    r"|дек|січ|лют|бер|кві|тра|чер|сер|вер|жов|гру|ιαν|φεβ|μαρ|απρ|μα[ΐι]|ιουν|ιουλ|αυγ|σεπ|οκτ|νοε"
    r"|δεκ)[^\W\d_]{0,8}\.?"
)
_WORLD_DATE = re.compile(
    r"[^\d\n;!?]{0,24}(?P<date>(?:18|19|20)\d\d ?[-/.年년] ?\d{1,2} ?[-/.月월] ?\d{1,2}[日일]?"
    rf"|\d{{1,2}}[-/.] ?\d{{1,2}}[-/.] ?(?:18|19|20)\d\d|\d{{1,2}}\.?º? (?:de )?{_MONTHS} (?:de )?(?:18|19"
    rf"|20)\d\d)(?!\d)"
)


def find_birth_date_after(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The date after a word for birth in some languages; `small` is the folded text."""
    if word.isascii() and small[at - 1 : at].isalpha():
        return
    if match := _WORLD_DATE.match(small, at + len(word)):
        yield match.span("date")


def is_birth_date(value: str) -> bool:
    """Whether a value under a birth date key is a date."""
    return len(value) <= 40 and _ANY.fullmatch(value.strip()) is not None


_CODE_MARK = re.compile(r"\w\(|[=<>{}\[\]\"\\]|\b(?:and|or) address\b")
_CODE = re.compile(r"\d{4,6}(?:-\d{4})?|[A-Za-z]{1,2}\d[A-Za-z\d]? ?\d[A-Za-z]{2}|[A-Za-z]\d[A-Za-z] ?\d[A-Za-z]\d")


def is_assigned_address(value: str) -> bool:
    """Whether the text after `address:` is a postal address: with a number, without brackets."""
    return (
        can_be_address(value)
        and len(value) <= 120
        and any(map(str.isdigit, value))
        and not any(m in value for m in "()[]{}=")
    )


def can_be_address(value: str) -> bool:
    """Whether a value under an address key is a postal address, not a link or host."""
    bare = value.strip()
    if _CODE.fullmatch(bare):
        return True
    if not 5 <= len(bare) <= 300 or "://" in bare or "@" in bare or "\0" in bare:
        return False
    return any(letter.isalpha() for letter in bare) and " " in bare and _CODE_MARK.search(bare) is None
