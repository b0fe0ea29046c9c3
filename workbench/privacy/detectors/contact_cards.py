"""Contact cards (vCard), whose keys are too short to mean anything elsewhere: `N:Lund;Rosa;;;`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detectors.findings import Finding

_LINE = re.compile(
    r"^(?:item\d{1,3}\.)?(?P<key>FN|N|NICKNAME|TEL|BDAY|ORG|ADR|EMAIL)(?:;[^:\r\n]{0,200}+)?:(?P<value>[^\r\n\0]{1,400}+)",
    re.MULTILINE | re.IGNORECASE,
)
_PART = re.compile(r"[^;]+")
_KINDS = {
    "FN": "NAME",
    "N": "NAME",
    "NICKNAME": "NAME",
    "TEL": "PHONE",
    "BDAY": "DOB",
    "ORG": "COMPANY",
    "EMAIL": "EMAIL",
}
_STREET, _CODE = 2, 5  # which parts of an address tell where somebody lives; the rest are town and country
_FEWEST = 2


def find_contact_cards(text: str) -> Iterator[Finding]:
    """Everything about the person of a card."""
    if "BEGIN:VCARD" not in text:
        return
    for line in _LINE.finditer(text):
        key = line["key"].upper()
        start, end = line.span("value")
        if key == "ADR":
            yield from _address(text, start, end)
        elif key in ("N", "ORG"):
            yield from (
                Finding(*part.span(), _KINDS[key], f"card's {key}") for part in _PART.finditer(text, start, end)
            )
        elif end - start >= _FEWEST:
            yield Finding(start, end, _KINDS[key], f"card's {key}")


def _address(text: str, start: int, end: int) -> Iterator[Finding]:
    at = start
    for place, part in enumerate(text[start:end].split(";")):
        if place in (_STREET, _CODE) and part.strip():
            yield Finding(at, at + len(part), "ADDRESS", "card's ADR")
        at += len(part) + 1
