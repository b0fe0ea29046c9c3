"""Knows companies under keys; in free prose they are not looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEYS_WORDS = """
company company_name employer employer_name organization organisation organization_name organisation_name
business_name firm legal_entity company_legal_name workplace firma
"""
KEYS = frozenset(_KEYS_WORDS.split())

_NAME = re.compile(r"[^\W_][^{}<>=|\\@\[\]\"\0\n]{1,99}")
_ID = re.compile(r"[A-Za-z]{0,8}[_-]?\d+|[0-9a-fA-F-]{16,}|https?:.*")
_NONE_WORDS = "string null none unknown n/a true false object self internal external"
_NONE = frozenset(_NONE_WORDS.split())


def find(text: str) -> Iterator[tuple[int, int]]:
    """Nothing: a company's name has no form of its own."""
    return iter(())


def assigned(value: str) -> bool:
    """Whether what follows `company:` in a text reads as a name and not as code or a sentence."""
    words = value.replace(",", " ").replace("&", " ").split()
    plain = len(words) <= 5 and not any(mark in value for mark in "()/?!:;")
    return plain and accepts(value) and value.lower() not in KEYS and all(not word[0].islower() for word in words)


def accepts(value: str) -> bool:
    """Whether a value under a company's key is a name, not an id."""
    bare = value.strip()
    return _NAME.fullmatch(bare) is not None and not _ID.fullmatch(bare) and bare.lower() not in _NONE
