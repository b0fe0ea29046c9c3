"""Whether a value is a person's name by how it reads, for keys of people and of things: `name`, `owner`."""

from __future__ import annotations

import re

from workbench.privacy import person, username
from workbench.privacy.common import WORDS as COMMON
from workbench.privacy.things import WORDS as THINGS

_WORD = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"(?:[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\W\d_]\.)[,.]?")
_INITIAL = 2  # letters of a word that says little
_MOST = 5
_HANDLE = re.compile(r"@?[a-z][a-z0-9]*(?:[._][a-z0-9]+)*")
_CASED_HANDLE = re.compile(r"@?[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*")
_LONGEST_HANDLE = 40
_ID = re.compile(r"[A-Z]{1,4}[A-Z0-9]*\d[A-Z0-9]*|[a-z]{1,3}[_-]?\d+|[a-z]{1,12}[_-]?\d{5,}|[0-9a-f]{8,}")
_NOBODY_WORDS = """
root admin administrator system bot user guest test anonymous unknown nobody null none default service support string
github dependabot renovate ci deploy deployer backup daemon postgres mysql redis www http https api app server
public private internal external everyone team all me you self true false human ai assistant model agent tool function
object number boolean array integer date required optional yes no
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())


def plausible(value: str) -> bool:
    """Whether the `name` of a record that is about a person is one: anything but teams and desks."""
    words = {word.lower() for word in _WORD.findall(value)}
    return person.accepts(value) and words.isdisjoint(person.NO_PERSON) and not words <= THINGS


def likely(value: str) -> bool:
    """Whether a `name` of which nothing else is known reads as first and last name and not as a thing's."""
    parts = value.replace(",", ", ").split()
    if not 2 <= len(parts) <= _MOST or not all(map(_is_part, parts)):
        return False
    words = [word.lower() for word in _WORD.findall(value) if len(word) > _INITIAL]
    return len(words) >= 2 and THINGS.isdisjoint(words) and not COMMON.issuperset(words)


def handle(value: str) -> bool:
    """Whether a value under a role's key is somebody's user name: one word, no id, nobody's that every system has."""
    bare = value.strip()
    if not 3 <= len(bare) <= _LONGEST_HANDLE or not _HANDLE.fullmatch(bare) or _ID.fullmatch(bare):
        return False
    return bare.lstrip("@") not in _NOBODY and bare not in THINGS and username.accepts(bare)


def login(value: str) -> bool:
    """The same under `user`, where capitals and hyphens are possible too."""
    bare = value.strip()
    if not 2 <= len(bare) <= _LONGEST_HANDLE or not _CASED_HANDLE.fullmatch(bare) or _ID.fullmatch(bare):
        return False
    return bare.lstrip("@").lower() not in _NOBODY and bare.upper() != bare


def _is_part(part: str) -> bool:
    return part in person.PARTICLES or (_PART.fullmatch(part) is not None and part[0].isupper() and not _shouts(part))


def _shouts(part: str) -> bool:
    """`API`, `SQL`: an abbreviation; a single letter is an initial."""
    return len(part.rstrip(".,")) > 1 and part.isupper()
