"""Finds hardware addresses of network cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.spots import each

KEYS = frozenset({"mac", "mac_address", "macaddress", "mac_addr", "hwaddr", "hardware_address", "bssid"})

_PAIRS = re.compile(r"[0-9A-Fa-f](?<![\w:-].)[0-9A-Fa-f]([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])")
_DOTTED = re.compile(r"[0-9A-Fa-f](?<![\w.].)[0-9A-Fa-f]{3}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])")
_BARE = re.compile(r"[0-9A-Fa-f]{12}")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses; one of digits alone must have colons."""
    for pattern in (_PAIRS, _DOTTED):
        for match in each(pattern, text):
            found = match.group()
            if len(set(found)) > 2 and (":" in found or re.search("[A-Fa-f]", found)):
                yield match.span()


def accepts(value: str) -> bool:
    """Whether a value under its key is one."""
    bare = value.strip()
    return any(pattern.fullmatch(bare) for pattern in (_PAIRS, _DOTTED, _BARE)) and len(set(bare)) > 2
