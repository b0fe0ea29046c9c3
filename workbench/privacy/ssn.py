"""Finds social security numbers of the United States: dashed ones by form, others by a word before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.known import fold
from workbench.privacy.spots import each, matches

_KEYS_WORDS = """
ssn social_security social_security_number social_security_no ss_number ssn_number us_ssn itin tin tax_id taxpayer_id
social_insurance_number
"""
KEYS = frozenset(_KEYS_WORDS.split())
NEAR = 30  # how far behind its word a number may stand

_DASHED = re.compile(r"[0-8](?<![\w.+-].)(?<!\d.)\d\d(?<!000|666)-(?!00)\d\d-(?!0000)\d{4}(?![\w-])")
_WORD = re.compile(r"\bssn\b|social[ _-]?security|\bitin\b|taxpayer id|\bss#", re.IGNORECASE)
_GATES = ("ssn", "social", "itin", "taxpayer id", "ss#")
_ANY = re.compile(r"(?<![\w.-])\d{3}([ -]?)\d{2}\1\d{4}(?![\w-])")
_OTHER_WORD = re.compile(
    r"(?:order|invoice|sku|part|isbn|tracking|serial|build|item|batch)\W{0,3}(?:no|number)?\W{0,4}$", re.I
)
_WHOLE = re.compile(r"\d{3}[ -]?\d{2}[ -]?\d{4}")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers."""
    for match in each(_DASHED, text) if "-" in text else ():
        if not _OTHER_WORD.search(text[max(0, match.start() - NEAR) : match.start()]):
            yield match.span()
    for word in matches(_WORD, fold(text), _GATES):
        if number := _ANY.search(text, word.end(), word.end() + NEAR + 11):
            yield number.span()


def accepts(value: str) -> bool:
    """Whether a value under its key is one."""
    return _WHOLE.fullmatch(value.strip()) is not None
