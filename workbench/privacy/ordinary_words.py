"""Whether a known value is an ordinary word, which is not masked in definitions and in the workbench's own sentences.

`/home/program` makes "program" a user's name. In what a program prints it is replaced; in "The program was not run"
nobody would know whom it means, and a function of that name could no longer be called.
"""

from __future__ import annotations

import builtins
import keyword
import re
from functools import lru_cache
from typing import Final

from workbench.privacy.detectors.name_model import name_model
from workbench.privacy.detectors.word_lists import COMMON_WORDS

_WORD: Final = re.compile(r"[^\W\d_]+")
_OWN_WORDS: Final = """
mcp workbench sandbox typescript javascript python asyncio await gather import stdout stderr filesystem json schema
param params parameter parameters boolean integer unapproved traceback timeout iban pii readme utf
token tokens toolerror queue delete propose https org
"""
_OWN: Final = frozenset(
    {*_OWN_WORDS.split(), *map(str.lower, keyword.kwlist), *(name.lower() for name in dir(builtins))}
)
_PRODUCT: Final = frozenset(("mcp", "workbench"))


def is_ordinary(written: str) -> bool:
    """Whether a stretch of text is an ordinary word, or several that are not written as a name is: `Personal data` is
    ordinary, `Grace Hall` is a name."""
    if not _plain(written):
        return False
    words = _WORD.findall(written)
    if _PRODUCT.issuperset(word.lower() for word in words):
        return True
    if len(words) > 1 and any(word[0].isupper() for word in words[1:]):
        return False
    return bool(words) and all(map(_is_ordinary, words))


def _plain(written: str) -> bool:
    """Whether it holds nothing but words: an address or a number is never ordinary."""
    return not any(sign.isdigit() or sign in "@\\%&" for sign in written)


@lru_cache(maxsize=4096)
def _is_ordinary(word: str) -> bool:
    folded, lists = word.lower(), name_model().lists
    if word[0].isupper() and folded in lists.first and folded not in _OWN:
        return False
    return folded in lists.common or folded in COMMON_WORDS or folded in _OWN
