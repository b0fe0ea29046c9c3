"""Detects personal data in formats whose fields have places or tags instead of names: HL7 version 2, SWIFT statements,
booking records of airlines, and GEDCOM."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detectors.text_search import DetectedSpan, find_matches

# HL7: the kinds of the fields of a segment by their number. Names are divided by "^", addresses have street and code.
_SEGMENTS: dict[str, dict[int, str]] = {
    "PID": {2: "NATIONAL_ID", 3: "NATIONAL_ID", 4: "NATIONAL_ID", 5: "NAME", 6: "NAME", 7: "DOB", 9: "NAME",
            11: "ADDRESS", 13: "PHONE", 14: "PHONE", 18: "BANK", 19: "SSN", 20: "NATIONAL_ID"},
    "NK1": {2: "NAME", 4: "ADDRESS", 5: "PHONE", 6: "PHONE", 16: "DOB", 30: "NAME", 31: "PHONE", 32: "ADDRESS"},
    "PV1": {7: "NAME", 8: "NAME", 9: "NAME", 17: "NAME", 52: "NAME"},
    "GT1": {3: "NAME", 4: "NAME", 5: "ADDRESS", 6: "PHONE", 7: "PHONE", 8: "DOB", 12: "SSN"},
    "IN1": {16: "NAME", 18: "DOB", 19: "ADDRESS", 36: "NATIONAL_ID", 49: "NATIONAL_ID"},
    "OBR": {16: "NAME", 28: "NAME", 32: "NAME"},
    "ORC": {10: "NAME", 11: "NAME", 12: "NAME"},
}  # fmt: skip
_SEGMENT = re.compile(rf"^(?P<name>{'|'.join(_SEGMENTS)})\|(?P<fields>[^\r\n]{{1,4000}})", re.MULTILINE)
_NAME_PART = re.compile(r"[^\W\d_][^\^&~|\r\n]{1,60}")
_PART = re.compile(r"[^\^~|\r\n]+")
_ADDRESS_PARTS = frozenset({0, 1, 4})  # street, other designation, postal code
_FEWEST_DIGITS = 4

_SWIFT = re.compile(
    r"^:25:(?P<account>[A-Z0-9/]{8,35})|\?3(?:0(?P<bank>[A-Z0-9]{8,11})|1(?P<number>[A-Z0-9]{6,34})"
    r"|2(?P<name>[^?\r\n]{2,27})|3(?P<more>[^?\r\n]{2,27}))",
    re.MULTILINE,
)
_SWIFT_KINDS = {"account": "BANK", "bank": "BANK", "number": "BANK", "name": "NAME", "more": "NAME"}
_PASSENGER = re.compile(
    r"(?<![\w/])\d{1,2}\.(?P<last>[A-Z][A-Z' -]{1,30})/(?P<first>[A-Z][A-Z ]{1,40}?)"
    r"(?= (?:MR|MS|MRS|MISS|MSTR|DR)\b|\s|$)"
)
_PASSPORT = re.compile(
    r"/(?P<passport>[A-Z0-9]{6,12})/[A-Z]{2,3}/(?P<birth>\d\d[A-Z]{3}\d\d)/[MF]I?/\d\d[A-Z]{3}\d\d"
    r"/(?P<last>[A-Z' -]{2,30})/(?P<first>[A-Z' -]{2,40})"
)
_PASSPORT_KINDS = {"passport": "NATIONAL_ID", "birth": "DOB", "last": "NAME", "first": "NAME"}
_GEDCOM = re.compile(
    r"^\d{1,2} (?P<tag>NAME|GIVN|SURN|NICK|_MARNM|ADR1|ADDR|POST|PHON|FAX)[ \t](?P<value>[^\r\n]{2,120})", re.MULTILINE
)
_GEDCOM_KINDS = {"ADDR": "ADDRESS", "ADR1": "ADDRESS", "POST": "ADDRESS", "PHON": "PHONE", "FAX": "PHONE"}
_SLASHED = re.compile(r"[^/\s][^/]*")


def find_in_segments(text: str) -> Iterator[DetectedSpan]:
    """The personal data in formats with numbered fields or short tags."""
    if "|" in text and ("PID|" in text or "MSH|" in text):
        for segment in find_matches(_SEGMENT, text):
            yield from _in_segment(text, segment)
    if ":25:" in text or "?32" in text:
        yield from _groups(_SWIFT, text, _SWIFT_KINDS, "field of a statement")
    if "/" in text and (" SSR " in text or "AP " in text or " HK" in text):
        yield from _groups(_PASSENGER, text, {"last": "NAME", "first": "NAME"}, "passenger")
        yield from _groups(_PASSPORT, text, _PASSPORT_KINDS, "passenger's passport")
    if " INDI" in text and "0 @" in text:
        for line in find_matches(_GEDCOM, text):
            kind = _GEDCOM_KINDS.get(line["tag"], "NAME")
            parts = _SLASHED.finditer(text, *line.span("value")) if kind == "NAME" else ()
            yield from (DetectedSpan(*_stripped(text, *part.span()), kind, f"tag {line['tag']}") for part in parts)
            if kind != "NAME":
                yield DetectedSpan(*line.span("value"), kind, f"tag {line['tag']}")


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    return start, start + len(text[start:end].rstrip())


def _groups(pattern: re.Pattern[str], text: str, kinds: dict[str, str], why: str) -> Iterator[DetectedSpan]:
    for match in find_matches(pattern, text):
        yield from (DetectedSpan(*match.span(name), kind, why) for name, kind in kinds.items() if match[name])


def _in_segment(text: str, segment: re.Match[str]) -> Iterator[DetectedSpan]:
    kinds = _SEGMENTS[segment["name"]]
    at = segment.start("fields")
    for number, value in enumerate(segment["fields"].split("|"), 1):
        if kind := kinds.get(number, ""):
            why = f"field {segment['name']}-{number}"
            yield from (DetectedSpan(*span, kind, why) for span in _in_field(text, at, at + len(value), kind))
        at += len(value) + 1


def _in_field(text: str, start: int, end: int, kind: str) -> Iterator[tuple[int, int]]:
    """The parts of a field that are personal."""
    if kind == "NAME":
        yield from (part.span() for part in _NAME_PART.finditer(text, start, end))
        return
    for place, part in enumerate(_PART.finditer(text, start, end)):
        digits = sum(map(str.isdigit, part.group()))
        if kind == "ADDRESS":
            if part.group().strip() and _place(text, start, part.start()) in _ADDRESS_PARTS:
                yield part.span()
        elif place == 0 and digits >= _FEWEST_DIGITS:
            yield part.span()


def _place(text: str, start: int, at: int) -> int:
    """The number of a component in its repetition of a field."""
    return text.count("^", max(start, text.rfind("~", start, at)), at)
