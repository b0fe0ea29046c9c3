"""Decides which findings count in code, definitions, logs and documents, and when two capitalised words are a name.

In prose and data every finding counts. Elsewhere `user`, `name` and `10.0.0.1` are mostly examples: what counts is a
person's name with strong evidence, such as `Author:` before it, and values that cannot be examples.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final

from workbench.privacy.detectors.name_model import folded, name_model, word_class
from workbench.privacy.detectors.text_search import DetectedSpan
from workbench.privacy.detectors.text_types import TextType

_TECHNICAL: Final = frozenset(
    {TextType.DOCUMENT, TextType.HEADING, TextType.COMMENT, TextType.CODE, TextType.DEFINITION}
)
_IN_CODE: Final = frozenset({TextType.COMMENT, TextType.CODE})
_KEYED: Final = frozenset({"DOB", "ADDRESS", "COMPANY", "BANK", "NATIONAL_ID", "MAC"})
_HOME = re.compile(r"(?:home|Users)[/\\]{1,2}\Z")
_HANDLE_BEFORE = re.compile(r"(?:\b(?:by|cc|thanks|to|and|TODO|FIXME)|[,(])[ \t(]{0,2}@?\Z", re.IGNORECASE)
_EVIDENCE = re.compile(
    r"(?:authors?|copyright|\(c\)|©|maintainers?|maintained|written|created|developed|designed|contributed|contributors?"
    r"|contributions?|reported|suggested|implemented|fixed|added|reviewed-by|signed-off-by|co-authored-by|acked-by|tested-by"
    r"|thanks|thank you|credits?|courtesy|contact|\bby|\bcc:?)\b[^.\n]{0,60}\Z|(?:\(c\)|©) ?[\d, –-]{0,20}\Z",
    re.IGNORECASE,
)
PROSE: Final = "reads like a name or address"  # reason of the findings by the model
_LOOK_BACK: Final = 90
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EXAMPLE_SECRETS = re.compile(
    r"example|sample|secret|your|test|dummy|changeme|placeholder|password|token|foo|bar|xxx|\.\.\.|[<>{}$()\[\],:;'\" ]|\b(?:key|abc|123)",
    re.IGNORECASE,
)
_FEWEST_RANDOM: Final = 10  # characters of a secret under a key in code
_EXAMPLE_DOMAINS = re.compile(
    r"@(?:[\w-]{1,60}\.){0,4}(?:example|test|invalid|localhost|local)\Z"
    r"|@(?:[\w-]{1,60}\.){0,4}(?:example|company|domain|yourdomain|email|mail|foo|bar|acme|test|site|host|server)\.\w{2,5}\Z",
    re.IGNORECASE,
)
_FUNCTION_KEY = re.compile(
    r"key (?:\w{1,40}--|(?:get|list|create|update|delete|fetch|add|remove|find|search|send|set|read|write)(?:_|[A-Z]))"
)
_PHONE_BEFORE = re.compile(r"phone|tel|mobile|call|fax|sms|msisdn|cell|dial", re.IGNORECASE)
_POSTAL_CODE: Final = 10  # characters
_EXAMPLE_PHONE = re.compile(r"555|(\d)\1{4}|12345|01234")


def counts(text: str, found: DetectedSpan, place: TextType) -> bool:
    """Whether a finding counts in a stretch of this type."""
    if _FUNCTION_KEY.match(found.why) and found.kind != "SECRET":
        return False
    value = text[found.start : found.end]
    if found.why == PROSE and found.kind == "ADDRESS" and place >= TextType.DOCUMENT and not _names_street(value):
        return False
    if place is TextType.LOG:
        return _counts_in_log(text, found)
    if place not in _TECHNICAL:
        return True
    if place is TextType.DEFINITION:
        return found.kind == "SECRET" and found.why == "known prefix"
    if found.kind == "NAME":
        return _counts_as_name(text, found, place)
    if found.kind == "USERNAME":
        return _counts_as_user(text, found, place)
    if found.kind == "SECRET":
        return found.why == "known prefix" or _is_random(value)
    if found.kind == "EMAIL":
        return _EXAMPLE_DOMAINS.search(value) is None
    if found.kind == "IP":
        return is_public_address(value)
    if found.kind == "PHONE":
        return _EXAMPLE_PHONE.search(re.sub(r"\D", "", value)) is None and (value[0] == "+" or place not in _IN_CODE)
    return found.kind not in _KEYED or place not in _IN_CODE


def _counts_in_log(text: str, found: DetectedSpan) -> bool:
    if found.why == PROSE and found.kind == "NAME":
        return is_full_name(text, found.start, found.end) or is_evident_name(text, found.start, found.end)
    if found.why == "time before it":
        words = _WORD.findall(text[found.start : found.end])
        return any("F" in _lists(word) for word in words) or not all(word.isupper() or _lists(word) == "C" for word in words)
    if found.kind == "ADDRESS":
        value = text[found.start : found.end]
        return _names_street(value) or (len(value) <= _POSTAL_CODE and value.upper() == value)
    if found.kind == "PHONE" and text[found.start] not in "+(":
        return _PHONE_BEFORE.search(text, max(0, found.start - 20), found.start) is not None
    return True


def _names_street(value: str) -> bool:
    return any("S" in word_class(word, name_model().lists)[-1:] for word in _WORD.findall(value))


def _counts_as_name(text: str, found: DetectedSpan, place: TextType) -> bool:
    if found.why in ("date after it", "CN before it", "mention"):
        return True
    if found.why == "address after it":
        return place is not TextType.CODE or is_full_name(text, found.start, found.end)
    return is_evident_name(text, found.start, found.end) if place in _IN_CODE else (
        is_full_name(text, found.start, found.end) or is_evident_name(text, found.start, found.end)
    )


def _counts_as_user(text: str, found: DetectedSpan, place: TextType) -> bool:
    before = text[max(0, found.start - 12) : found.start]
    if _HOME.search(before):
        return True
    return place in (TextType.DOCUMENT, TextType.HEADING) and before[-1:] == "@" and _HANDLE_BEFORE.search(before) is not None


def _is_random(value: str) -> bool:
    """Whether a value under a key can be a secret: an example or an expression is none."""
    return (
        len(value) >= _FEWEST_RANDOM
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and _EXAMPLE_SECRETS.search(value) is None
    )


def is_public_address(value: str) -> bool:
    """Whether an IP address can be reached from everywhere and is no obvious example, such as 1.2.3.4."""
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return True
    if not address.is_global:
        return False
    parts = [int(part) for part in value.split(".")] if "." in value and ":" not in value else []
    return not parts or len(set(parts)) > 2 and len({after - before for before, after in zip(parts, parts[1:])}) > 1


def is_evident_name(text: str, start: int, end: int) -> bool:
    """Whether a stretch is a person's name with strong evidence: `Author:` or "thanks to" before it, or first and last
    name are both in the lists and no ordinary words."""
    words = _WORD.findall(text[start:end])
    if _is_listed(words):
        return True
    line = text.rfind("\n", max(0, start - _LOOK_BACK), start) + 1
    before = text[max(line, start - _LOOK_BACK) : start]
    return _EVIDENCE.search(before) is not None and (_is_full(words) or (len(words) == 1 and _is_first(words[0])))


def is_full_name(text: str, start: int, end: int) -> bool:
    """Whether a stretch is a first and a last name, of which one is in the lists and none is an ordinary word."""
    return _is_full(_WORD.findall(text[start:end]))


def _is_full(words: list[str]) -> bool:
    if not 2 <= len(words) <= 5:
        return False
    known = [_lists(word) for word in words if word[0].isupper()]
    if len(known) < 2 or any("C" in one and len(one) == 1 for one in known):
        return False
    return "F" in known[0] and "C" not in "".join(known[1:]) or ("L" in known[-1] and "C" not in "".join(known))


def _is_listed(words: list[str]) -> bool:
    known = [_lists(word) for word in words if len(word) > 1 and word[0].isupper()]
    return len(known) >= 2 and "F" in known[0] and "L" in known[-1] and not any("C" in one for one in known)


def _is_first(word: str) -> bool:
    return _lists(word) == "F" or _lists(word) == "FL"


@lru_cache(maxsize=16_384)
def _lists(word: str) -> str:
    return name_model().lists.of(folded(word))
