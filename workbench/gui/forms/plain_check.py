"""What is wrong with one text or one number: length, pattern, format, bounds.

A pattern that could hang the window is not tried, and numbers are compared exactly: a bound of 2**63 is not rounded.
"""

from __future__ import annotations

import datetime
import ipaddress
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from workbench.records import JsonObject

# A repeated group that itself repeats or chooses can take forever on a short text.
_SLOW_PATTERN = re.compile(r"[+*}?|][^()]*\)\s*[+*{]|\\[1-9]|\(\?P=")
_LONGEST_PATTERN = 300
_PATTERN_TEXT = 2_000
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_DURATION = re.compile(r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)")


def text_faults(value: str, schema: JsonObject) -> Iterator[str]:
    """Sentences that follow the path of the text."""
    shortest, longest = number_of(schema, "minLength"), number_of(schema, "maxLength")
    if shortest is not None and len(value) < shortest:
        yield "must not be empty." if shortest == 1 else f"must have at least {_said(shortest)} characters."
    if longest is not None and len(value) > longest:
        yield f"must have at most {_said(longest)} characters; it has {len(value)}."
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not fits_pattern(pattern, value):
        yield f"must match {pattern[:80]}"
    if wrong := _format_fault(value, schema):
        yield wrong


def number_faults(value: float, schema: JsonObject) -> Iterator[str]:
    """Sentences that follow the path of the number."""
    least, most = number_of(schema, "minimum"), number_of(schema, "maximum")
    above, below = number_of(schema, "exclusiveMinimum"), number_of(schema, "exclusiveMaximum")
    if schema.get("exclusiveMinimum") is True:  # how draft 4 writes it
        least, above = None, least
    if schema.get("exclusiveMaximum") is True:
        most, below = None, most
    if least is not None and value < least:
        yield f"must be at least {_said(least)}."
    if most is not None and value > most:
        yield f"must be at most {_said(most)}."
    if above is not None and value <= above:
        yield f"must be more than {_said(above)}."
    if below is not None and value >= below:
        yield f"must be less than {_said(below)}."
    step = number_of(schema, "multipleOf")
    if step is not None and step > 0 and not _divides(step, value):
        yield f"must be a multiple of {_said(step)}."


def number_of(schema: JsonObject, key: str) -> int | float | None:
    """A keyword's number; None where it is missing or no number."""
    value = schema.get(key)
    usable = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return value if usable else None


def fits_pattern(pattern: str, value: str) -> bool:
    """Whether the text matches; yes where trying could take too long or Python cannot read the pattern."""
    if len(pattern) > _LONGEST_PATTERN or len(value) > _PATTERN_TEXT or _SLOW_PATTERN.search(pattern):
        return True
    try:
        return re.search(pattern, value) is not None
    except (re.error, RecursionError, OverflowError):
        return True


def _divides(step: float, value: float) -> bool:
    """As people mean it: 0.3 is a multiple of 0.1, though not in binary."""
    try:
        return (Fraction(str(value)) / Fraction(str(step))).denominator == 1
    except (ValueError, OverflowError):
        return True


def _said(number: float) -> str:
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 1e15
    return str(int(number) if whole else number)[:60]


def _format_fault(value: str, schema: JsonObject) -> str:
    wanted = schema.get("format")
    encoded = wanted == "byte" or schema.get("contentEncoding") == "base64"
    if encoded and not (_BASE64.fullmatch(value) and len(value) % 4 != 1):
        return "must be base64."
    check = _FORMATS.get(wanted) if isinstance(wanted, str) else None
    if check is None:
        return ""
    try:
        fits = check[0](value)
    except ValueError:
        fits = False
    return "" if fits else check[1]


def _is_date(value: str) -> bool:
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value)) and bool(datetime.date.fromisoformat(value))


def _is_moment(value: str) -> bool:
    return len(value) > 10 and bool(datetime.datetime.fromisoformat(value))


def _is_time(value: str) -> bool:
    return bool(re.match(r"\d\d:\d\d", value)) and datetime.time.fromisoformat(value) is not None


def _is_uuid(value: str) -> bool:
    return len(value) == 36 and uuid.UUID(value) is not None


_ADDRESS = "must be an address such as https://example.com."
_FORMATS: Final[Mapping[str, tuple[Callable[[str], object], str]]] = {
    "date": (_is_date, "must be a date such as 2026-01-31."),
    "date-time": (_is_moment, "must be a date-time such as 2026-01-31T09:00:00Z."),
    "time": (_is_time, "must be a time such as 09:00:00Z."),
    "duration": (_DURATION.fullmatch, "must be a duration such as P1DT12H."),
    "email": (re.compile(r"[^@\s]+@[^@\s]+").fullmatch, "must be an e-mail address."),
    "uri": (re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S").match, _ADDRESS),
    "url": (re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S").match, _ADDRESS),
    "uuid": (_is_uuid, "must be a UUID such as 123e4567-e89b-12d3-a456-426614174000."),
    "ipv4": (ipaddress.IPv4Address, "must be an IPv4 address such as 192.0.2.1."),
    "ipv6": (ipaddress.IPv6Address, "must be an IPv6 address such as 2001:db8::1."),
}
