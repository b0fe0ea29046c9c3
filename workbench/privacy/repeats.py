"""Remembers which texts of servers were read for personal data: programs ask the same again, and get the same again.

What a text teaches depends on nothing but the text and the server it came from, so reading it twice adds nothing. Kept
are digests, not texts.
"""

from __future__ import annotations

import hashlib
from typing import TypeAlias

LONGEST = 20_000  # characters of a text that is remembered
_MOST = 4_096
Key: TypeAlias = tuple[str, bytes]  # a server and a digest


class Repeats:
    """One session's."""

    def __init__(self) -> None:
        self._read: set[Key] = set()

    def key(self, text: str, source: str) -> Key | None:
        """What stands for this text from this server; None for one that is too long to be remembered."""
        if len(text) > LONGEST:
            return None
        return source, hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()

    def has(self, key: Key | None) -> bool:
        return key in self._read

    def add(self, key: Key | None) -> None:
        """It was read to its end."""
        if key is None:
            return
        if len(self._read) >= _MOST:
            self._read.clear()
        self._read.add(key)
