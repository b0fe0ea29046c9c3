"""Detects IP and MAC addresses, except version numbers and addresses that every machine has."""

from __future__ import annotations

import ipaddress
import re
import string
from collections.abc import Iterator

from workbench.privacy.detectors.text_search import find_matches, find_matches_at_words

_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_FOUR = re.compile(rf"(?P<first>\d(?<![\w.].)(?<![A-Za-z_]-.)\d{{0,2}}+)(?:\.{_BYTE}){{3}}(?!\w|\.\w|[+~-][A-Za-z])")
_FIRST = re.compile(_BYTE)
_SIX = re.compile(
    r"[0-9A-Fa-f:](?<![\w:.].)(?:(?<=:)|[0-9A-Fa-f]{0,3}:)(?:[0-9A-Fa-f]{0,4}:){1,6}[0-9A-Fa-f]{0,4}"
    r"(?:\.\d{1,3}){0,3}(?![\w:])"
)
_REVISION = re.compile(r"-\d{1,3}(?![.\d])")
_COLON = re.compile(r":(?=[0-9A-Fa-f]{0,4}:)")
_LONGEST_GROUP = 4
_VERSION = re.compile(
    r"(?:version|release|build|firmware|\bver|\bv|driver|chrome|safari|firefox|edge)[\s:=/\"']{0,4}$", re.I
)


def find_ip_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of IP addresses, without port and mask."""
    for match in find_matches(_FOUR, text):
        if not _FIRST.fullmatch(match["first"]) or _is_impersonal(match.group()) or _is_release(text, match):
            continue
        if not _VERSION.search(text[max(0, match.start() - 14) : match.start()]):
            yield match.span()
    if ":" in text:
        yield from (match.span() for match in _find_colon_groups(text) if _is_ipv6(match.group()))


def _find_colon_groups(text: str) -> Iterator[re.Match[str]]:
    """Groups of hexadecimal digits between colons. Searching the first colon is five times faster than the pattern."""
    end = 0
    for colon in find_matches(_COLON, text):
        start = colon.start()
        while start > 0 and colon.start() - start < _LONGEST_GROUP and text[start - 1] in string.hexdigits:
            start -= 1
        match = _SIX.match(text, start) if start >= end else None
        if match is not None:
            end = match.end()
            yield match


def _is_release(text: str, match: re.Match[str]) -> bool:
    """Whether four numbers are the version of a package: `1.2.5.1-2`."""
    return len(match["first"]) == 1 and _REVISION.match(text, match.end()) is not None


def is_ip_address(value: str) -> bool:
    """Whether a value under an IP key is an IP address."""
    bare = value.strip().split("%")[0].split("/")[0]
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        return False
    return not _is_impersonal(bare)


def _is_impersonal(address: str) -> bool:
    """Whether an address identifies no machine: loopback, "any" or a mask."""
    return address.startswith(("127.0.", "0.", "255.")) or address in ("::", "::1")


def _is_ipv6(text: str) -> bool:
    """Whether a text is an IPv6 address with enough groups: `[1::2]` and times have colons too."""
    groups = [group for group in text.split(":") if group]
    if len(groups) < 3 and not (len(groups) == 2 and len(groups[0]) == 4):
        return False
    return any(letter.isdigit() for letter in text) and is_ip_address(text)


_PAIRS = re.compile(r"[0-9A-Fa-f](?<![\w:-].)[0-9A-Fa-f]([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])")
_DOTTED = re.compile(r"[0-9A-Fa-f](?<![\w.].)[0-9A-Fa-f]{3}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])")
# The first separator of each form, and the number of digits before it. Searching it is ten times faster.
_SEPARATORS = (
    (re.compile(r":(?=[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}:)"), _PAIRS, 2),
    (re.compile(r"-(?=[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-)"), _PAIRS, 2),
    (re.compile(r"\.(?=[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})"), _DOTTED, 4),
)
_BARE = re.compile(r"[0-9A-Fa-f]{12}")
_SHORT_PAIRS = re.compile(r"[0-9A-Fa-f]{1,2}([:-])(?:[0-9A-Fa-f]{1,2}\1){4}[0-9A-Fa-f]{1,2}")  # `0:1b:2:ff:a:7`
_QUADS = re.compile(r"[0-9A-Fa-f]{4}([.-])[0-9A-Fa-f]{4}\1[0-9A-Fa-f]{4}")
_FORMS = (_SHORT_PAIRS, _QUADS, _BARE)
_MAC_WORDS = (
    *(
        "mac",
        "Mac",
        "MAC",
        "ether",
        "Ether",
        "ETHER",
        "hwaddr",
        "HWaddr",
        "HWADDR",
        "hwAddr",
        "lladdr",
        "bssid",
        "BSSID",
    ),
    *("hardware addr", "Hardware addr", "physical addr", "Physical addr", ") at "),
)
_AFTER_WORD = re.compile(
    r"(?:(?<![A-Za-z])(?:mac|ether(?:net)?|hwaddr|lladdr|bssid|hardware|physical)(?:[ _-]?(?:addr(?:ess)?|adresse))?"
    r"(?:[ ]is)?[\s:='\"\\]{1,6}|\) at )(?P<address>[0-9a-f][0-9a-f:.-]{10,16})(?![\w:-])",
    re.IGNORECASE | re.ASCII,
)


def find_mac_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Spans of MAC addresses; an address of digits only must have colons or a word before it."""
    for mark, pattern, before in _SEPARATORS:
        end = 0
        for separator in find_matches(mark, text):
            match = pattern.match(text, separator.start() - before) if separator.start() >= end + before else None
            if match is None:
                continue
            end, found = match.end(), match.group()
            if len(set(found)) > 2 and (":" in found or re.search("[A-Fa-f]", found)):
                yield match.span()
    for match in find_matches_at_words(_AFTER_WORD, text, _MAC_WORDS):
        start = match.start("address")
        address = match["address"].rstrip(".:")
        if is_mac_address(address):
            yield start, start + len(address)


def is_mac_address(value: str) -> bool:
    """Whether a value under a MAC key is a MAC address."""
    bare = value.strip()
    return any(form.fullmatch(bare) for form in _FORMS) and len(set(bare)) > 2
