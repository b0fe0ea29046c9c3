"""Knows bank accounts and bank codes under keys; account numbers have no form of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEYS_WORDS = """
account_number account_no acct_number acct_no bank_account bank_account_number sort_code routing_number routing_no
aba_number swift_code swift bic bic_code bsb kontonummer bankleitzahl blz
"""
KEYS = frozenset(_KEYS_WORDS.split())

_NUMBER = re.compile(r"[A-Za-z]{0,4}[ -]?\d(?:[ .-]?\d){3,23}")
_BIC = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Nothing: without its key it is a number as any other."""
    return iter(())


def accepts(value: str) -> bool:
    """Whether a value under its key is a number or a bank's code."""
    bare = value.strip()
    return _NUMBER.fullmatch(bare) is not None or _BIC.fullmatch(bare) is not None
