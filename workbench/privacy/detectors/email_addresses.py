"""Detects e-mail addresses by searching outward from each "@", so that no text makes the search slow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.detectors.text_search import find_matches

MAX_LOCAL = 64
MAX_DOMAIN = 253

_LOCAL = re.compile(r"[\w.+%&'*/=?^`{|}~#!$-]{1,64}\Z")
_DOMAIN = re.compile(
    r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?:[^\W\d_]{2,24}|xn--[a-z0-9-]{2,59})(?![^\W\d_])", re.IGNORECASE
)
_WHOLE = re.compile(r"(?:\"[^\"\n\0]{1,64}\"|[^\s@:;,<>()?\0]{1,64})@[^\s@:;,<>()?&\0]{1,253}")
_LOGIN = re.compile(r"://[^\s/@:]{0,64}:[^\s/@]*\Z")  # `https://user:password@host` is no e-mail address
_ASSIGNED = re.compile(r".*[=?&{|}](?=[^=?&{|}]*\Z)")  # `ADMIN_EMAIL=`, `?to=`: not part of the address
_LEADING = "'`{|}/=?#&*^~!$%.+-"
_ENCODED = re.compile(
    r"(?<![\w.%+-])(?:[\w.~-]|%2[Bb]|\+){1,64}+%40(?P<domain>(?:[A-Za-z0-9][A-Za-z0-9-]{0,61}\.){1,8}[A-Za-z]{2,24})(?![\w.-]*\w)"
)
# Ends that are file names: `icon@2x.png`, `python@3.11.so`.
_CAMEL_CASE = re.compile(r"\.[A-Z]?[a-z]+[A-Z][A-Za-z]*\Z")  # `@OData.Community.Display.V1.FormattedValue`
_FILES_WORDS = """
png jpg jpeg gif svg webp css js ts py rb go java php html htm json yml yaml toml md txt xml csv zip gz tar dll
exe service timer socket target mount lock log conf cfg ini sh whl tgz map
"""
_FILES = frozenset(_FILES_WORDS.split())


_NOT_QUOTED = frozenset("\n@:[]{}")
_NOBODYS = re.compile(r"(?:no-?reply|do-?not-?reply|mailer-daemon)@", re.IGNORECASE)


def find_email_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of e-mail addresses."""
    at, floor = text.find("@"), 0
    while at >= 0:
        span = _around(text, at, floor)
        if span:
            floor = span[1]
            yield span
        at = text.find("@", at + 1)
    if "%40" in text:
        yield from (match.span() for match in find_matches(_ENCODED, text) if not _is_file(match["domain"]))


def is_email_address(value: str) -> bool:
    """Whether a value under an e-mail key is one address, even an unusual one, not a link, a list or `noreply@…`."""
    bare = value.strip()
    return 3 <= len(value) <= MAX_LOCAL + MAX_DOMAIN and not _NOBODYS.match(bare) and _WHOLE.fullmatch(bare) is not None


def _around(text: str, at: int, floor: int) -> tuple[int, int] | None:
    start = max(floor, at - MAX_LOCAL)
    domain = _DOMAIN.match(text, at + 1, min(len(text), at + 1 + MAX_DOMAIN + 1))
    if domain is None or _is_file(domain.group()) or _CAMEL_CASE.search(domain.group()):
        return None
    begin = _quoted(text, at, floor) if text[at - 1 : at] == '"' else _plain(text, start, at)
    if (
        begin is None
        or _NOBODYS.match(text, begin)
        or (text[begin:at].lower() == "git" and text[domain.end() : domain.end() + 1] == ":")
    ):
        return None
    if "://" in text[max(0, begin - 2 * MAX_LOCAL) : at] and _LOGIN.search(text[max(0, begin - 2 * MAX_LOCAL) : at]):
        return None
    return begin, domain.end()


def _is_file(domain: str) -> bool:
    return domain.rpartition(".")[2].lower() in _FILES


def _plain(text: str, start: int, at: int) -> int | None:
    local = _LOCAL.search(text[start:at])
    if local is None:
        return None
    kept = _ASSIGNED.sub("", local.group()).lstrip(_LEADING)
    return at - len(kept) if kept else None


def _quoted(text: str, at: int, floor: int) -> int | None:
    """The start of an address such as `"odd local"@example.org`, whose quotes belong to it; None if there is none."""
    opening = text.rfind('"', max(floor, at - MAX_LOCAL), at - 1)
    inside = text[opening + 1 : at - 1]
    return opening if opening >= 0 and inside and _NOT_QUOTED.isdisjoint(inside) else None
