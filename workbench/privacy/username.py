"""Knows user names under keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEYS_WORDS = "username user_name login login_name screen_name user_handle github_login twitter_handle nutzername"
KEYS = frozenset(_KEYS_WORDS.split())

_NAME = re.compile(r"@?[^\W_][\w.+-]{1,63}")
_NONE_WORDS = "string null none unknown true false root admin user guest system anonymous default test"
_NONE = frozenset(_NONE_WORDS.split())


def find(text: str) -> Iterator[tuple[int, int]]:
    """Nothing: any word may be a user name."""
    return iter(())


def accepts(value: str) -> bool:
    """Whether a value under its key is one; the names that every system has are nobody's."""
    bare = value.strip()
    return _NAME.fullmatch(bare) is not None and bare.lower() not in _NONE
