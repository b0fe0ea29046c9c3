"""Finds internet addresses, of both kinds; not versions, and not the ones that every machine calls itself."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from workbench.privacy.spots import each

_KEYS_WORDS = """
ip ip_address ipaddress ip_addr ipv4 ipv6 client_ip remote_ip source_ip src_ip dst_ip remote_addr last_ip login_ip
ip_v4 ip_v6
"""
KEYS = frozenset(_KEYS_WORDS.split())

_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_FOUR = re.compile(rf"(?P<first>\d(?<![\w.].)(?<![A-Za-z_]-.)\d{{0,2}}+)(?:\.{_BYTE}){{3}}(?!\w|\.\w|-[A-Za-z])")
_FIRST = re.compile(_BYTE)
_SIX = re.compile(
    r"[0-9A-Fa-f:](?<![\w:.].)(?:(?<=:)|[0-9A-Fa-f]{0,3}:)(?:[0-9A-Fa-f]{0,4}:){1,6}[0-9A-Fa-f]{0,4}"
    r"(?:\.\d{1,3}){0,3}(?![\w:])"
)
_VERSION = re.compile(
    r"(?:version|release|build|firmware|\bver|\bv|driver|chrome|safari|firefox|edge)[\s:=/\"']{0,4}$", re.I
)


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses, without port and mask."""
    for match in each(_FOUR, text):
        if not _FIRST.fullmatch(match["first"]) or _innocent(match.group()):
            continue
        if not _VERSION.search(text[max(0, match.start() - 14) : match.start()]):
            yield match.span()
    if ":" in text:
        yield from (match.span() for match in each(_SIX, text) if _six(match.group()))


def accepts(value: str) -> bool:
    """Whether a value under an address key is one."""
    bare = value.strip().split("%")[0].split("/")[0]
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        return False
    return not _innocent(bare)


def _innocent(address: str) -> bool:
    """Loopback, "any", and masks tell about nobody."""
    return address.startswith(("127.0.", "0.", "255.")) or address in ("::", "::1")


def _six(text: str) -> bool:
    """Also `[1::2]` and times have colons, so a few groups must be there."""
    groups = [group for group in text.split(":") if group]
    if len(groups) < 3 and not (len(groups) == 2 and len(groups[0]) == 4):
        return False
    return any(letter.isdigit() for letter in text) and accepts(text)
