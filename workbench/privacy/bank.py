"""Finds bank accounts and bank codes: numbers without a form of their own, so a key or a word says what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.known import fold
from workbench.privacy.spots import matches

_KEYS_WORDS = """
account_number account_no acct_number acct_no bank_account bank_account_number sort_code routing_number routing_no
aba_number swift_code swift bic bic_code bsb kontonummer bankleitzahl blz bank_account_no account_num acct_num
bank_code bank_routing_number aba_routing_number transit_number ifsc ifsc_code clabe
"""
KEYS = frozenset(_KEYS_WORDS.split())

_NUMBER = re.compile(r"[A-Za-z]{0,4}[ -]?\d(?:[ .-]?\d){3,23}")
_BIC = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")
_GATES = ("bank account", "account ", "acct", "a/c", "konto", "sort", "routing ", "aba", "bsb", "blz", "bankl")
_CODE_GATES = ("SWIFT", "BIC", "IFSC")
_WORD = re.compile(
    r"(?<![\w-])(?:bank account|(?:bank )?account (?:number|no\b|num\b|nr\b|#)|acct\b|a/c\b|kontonummer|konto\b"
    r"|sort[ -]code|routing (?:number|no\b|code)|aba\b|bsb\b|blz\b|bankleitzahl)(?: ?(?:number|no|num|nr|is|was"
    r"|ending in))*"
    r"[ \t:#.=\"'*]{0,8}(?:is |was )?(?P<number>\d(?:[ -]?\d){4,19})(?![\w-]|\.\d)",
    re.IGNORECASE,
)
_CODE_WORD = re.compile(r"\b(?:SWIFT|BIC|IFSC)(?:/BIC| ?[Cc]ode)?[ \t:#.=]{1,4}(?P<number>[A-Z]{4}[A-Z0-9]{4,7})\b")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers behind a word that says what they are."""
    yield from (match.span("number") for match in matches(_WORD, fold(text), _GATES))
    yield from (match.span("number") for match in matches(_CODE_WORD, text, _CODE_GATES))


def accepts(value: str) -> bool:
    """Whether a value under its key is a number or a bank's code."""
    bare = value.strip()
    return _NUMBER.fullmatch(bare) is not None or _BIC.fullmatch(bare) is not None
