"""Finds user and password inside addresses such as `postgres://user:password@host`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.spots import each

KEYS: frozenset[str] = frozenset()  # no key announces one; the whole address does

_USER = re.compile(r"(?<=://)[^\s/@:\"'<>\0]{0,128}+:[^\s/@\"'<>\0]{1,256}+@")
_PLACEHOLDER = re.compile(r"[$<{%*]|(?:user|username)?:(?:pass|password|pwd|x+)$", re.IGNORECASE)


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of `user:password`, without the "@"."""
    if "://" not in text or "@" not in text:
        return
    for match in each(_USER, text):
        if not _PLACEHOLDER.match(match.group()[:-1]):
            yield match.start(), match.end() - 1


def accepts(value: str) -> bool:
    """No key announces one."""
    return False
