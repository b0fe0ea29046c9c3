"""Knows postal addresses under keys; in free prose this room does not look for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEYS_WORDS = """
address address1 address2 address_1 address_2 address_line address_line1 address_line2 line1 line2 street
street_address street1 street2 home_address mailing_address billing_address shipping_address delivery_address
residential_address postal_address full_address formatted_address po_box postcode postal_code zip zip_code zipcode
anschrift adresse
"""
KEYS = frozenset(_KEYS_WORDS.split())

_CODE_MARK = re.compile(r"\w\(|[=<>{}\[\]\"\\]|\b(?:and|or) address\b")
_CODE = re.compile(r"\d{4,6}(?:-\d{4})?|[A-Za-z]{1,2}\d[A-Za-z\d]? ?\d[A-Za-z]{2}|[A-Za-z]\d[A-Za-z] ?\d[A-Za-z]\d")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Nothing: what is an address in prose, rules cannot say well enough."""
    return iter(())


def assigned(value: str) -> bool:
    """Whether what follows `address:` in a text is one: a number belongs to it, brackets do not."""
    return (
        accepts(value) and len(value) <= 120 and any(map(str.isdigit, value)) and not any(m in value for m in "()[]{}=")
    )


def accepts(value: str) -> bool:
    """Whether a value under an address key is a place, not a link or a host."""
    bare = value.strip()
    if _CODE.fullmatch(bare):
        return True
    if not 5 <= len(bare) <= 300 or "://" in bare or "@" in bare or "\0" in bare:
        return False
    return any(letter.isalpha() for letter in bare) and " " in bare and _CODE_MARK.search(bare) is None
