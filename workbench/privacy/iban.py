"""Finds international bank account numbers: the country knows their length, and 97 divides them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.spots import each

KEYS = frozenset({"iban", "iban_number", "iban_code", "bank_iban"})

_LENGTHS = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27
ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
LENGTHS = {entry[:2]: int(entry[2:]) for entry in _LENGTHS.split()}
_START = re.compile(r"[A-Za-z](?<![A-Za-z0-9].)[A-Za-z]\d\d(?=[ -]?[A-Za-z0-9]{4})")
_LETTER = re.compile(r"[ -]?([A-Za-z0-9])")
_WHOLE = re.compile(r"[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){10,32}")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of account numbers, grouped or not."""
    for match in each(_START, text):
        end, bare = _taken(text, match.start(), LENGTHS.get(match.group()[:2].upper(), 0))
        if bare and not text[end : end + 1].isalnum() and divided(bare):
            yield match.start(), end


def accepts(value: str) -> bool:
    """Whether a value under an account key has the form of one; mistyped ones too."""
    return _WHOLE.fullmatch(value.strip()) is not None


def divided(bare: str) -> bool:
    """Whether 97 divides it as the standard says."""
    moved = bare[4:] + bare[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


def _taken(text: str, start: int, length: int) -> tuple[int, str]:
    """As many letters and digits as the country asks for, over single separators."""
    letters: list[str] = []
    at = start
    while len(letters) < length and (match := _LETTER.match(text, at)):
        letters.append(match[1])
        at = match.end()
    return (at, "".join(letters)) if len(letters) == length else (start, "")
