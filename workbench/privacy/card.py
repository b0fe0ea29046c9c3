"""Finds payment card numbers: issuer's digits, Luhn's check digit, and a form or a word that speaks for one.

One number in ten passes Luhn by chance, so the check digit alone says little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.spots import each

_KEYS_WORDS = """
card_number card_no cardnumber credit_card credit_card_number creditcard debit_card debit_card_number cc_number
ccnumber cc_num primary_account_number pan card_num
"""
KEYS = frozenset(_KEYS_WORDS.split())
LOOK_BACK = 40  # how far before a number a word about it may stand

_RUN = re.compile(r"\d(?<![\w./+-].)(?:[ -]?\d){12,}+")
_FORMS = (
    re.compile(r"\d{4}(?P<s>[ -])\d{4}(?P=s)\d{4}(?P=s)\d{4}(?P=s)\d{3}(?!\d)"),
    re.compile(r"\d{4}(?P<s>[ -])\d{4}(?P=s)\d{4}(?P=s)\d{1,4}(?!\d)"),
    re.compile(r"\d{4}(?P<s>[ -])\d{6}(?P=s)\d{4,5}(?!\d)"),  # American Express, Diners
)
_ISSUER = re.compile(
    r"4|5[0-8]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[689])|6(?:011|[2-9])|35(?:2[89]|[3-8])"
)
_WORD = re.compile(r"card|visa|master ?card|amex|american express|maestro|discover|\bpan\b|\bcc\b", re.IGNORECASE)
_OTHER_WORD = re.compile(
    r"(?:\b|_)(?:id|ids|order|invoice|ref|reference|ticket|case|tracking|version|build|sku|isbn|ean|upc|serial|timestamp|"
    r"commit|seq|size|bytes|offset|imei|parcel|shipment|barcode|gtin|batch|job|run)\W{0,6}(?:no|number|is)?\W{0,4}$",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\d(?:[ -]?\d){11,18}")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of card numbers."""
    for match in each(_RUN, text):
        after = text[match.end() : match.end() + 1]
        if not after.isalnum() and after not in ("_", "-"):
            yield from _cards(text, match)


def accepts(value: str) -> bool:
    """Whether a value under a card key is one; mistyped ones too."""
    bare = value.strip()
    return _WHOLE.fullmatch(bare) is not None and len(set(bare)) > 1


def valid(digits: str) -> bool:
    """Whether an issuer and the check digit agree."""
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and _ISSUER.match(digits) is not None and luhn(digits)


def luhn(digits: str) -> bool:
    """The check digit of cards."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _cards(text: str, run: re.Match[str]) -> Iterator[tuple[int, int]]:
    before = text[max(0, run.start() - LOOK_BACK) : run.start()]
    if run.group().isdigit():
        if valid(run.group()) and (_WORD.search(before) or _bare(run.group(), before)):
            yield run.span()
        return
    at = run.start()
    while at < run.end():
        end = _grouped(text, at, run.end())
        if end:
            yield at, end
        at = _next_group(text, end or at, run.end())


def _grouped(text: str, at: int, end: int) -> int:
    """Where a valid number that starts here in groups ends, or nothing."""
    matches = (form.match(text, at, end) for form in _FORMS)
    return next((match.end() for match in matches if match and valid(re.sub(r"\D", "", match.group()))), 0)


def _bare(digits: str, before: str) -> bool:
    return len(digits) in (15, 16) and not _OTHER_WORD.search(before)


def _next_group(text: str, at: int, end: int) -> int:
    places = [place for place in (text.find(" ", at, end), text.find("-", at, end)) if place >= 0]
    return min(places) + 1 if places else end
