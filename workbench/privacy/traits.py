"""What a word shows by itself: its letters, its case, its ending, and which lists know it. Names in prose are read by
these traits, never by the word alone, for most names stand in no list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

EDGE = "\1"  # stands before the first and behind the last word of a stretch
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|\n+|\0+|[^\w\s]|_")

_STREET_WORDS = """
street st avenue ave road rd lane ln drive dr boulevard blvd court ct square sq way place pl highway hwy parkway pkwy
terrace suite ste apt apartment unit flat floor box strasse straße gasse weg platz allee rue via viale piazza calle
avenida rua ulica ul laan straat plein gracht gatan vägen vej plaza route chemin quai paseo carrer close crescent grove
gardens mews row walk hill circle trail loop pike po b.p
"""
_STREET = frozenset(_STREET_WORDS.split())
_STREET_END = re.compile(
    r"..(?:stra(?:ß|ss)e|str|gasse|weg|allee|platz|ufer|damm|laan|straat|gracht|plein|kade|dijk|gatan|gata|vägen|vägen"
    r"|veien|vej|gade|katu|tie|utca)\Z"
)
_TITLES_WORDS = "mr mrs ms miss mx dr prof professor sir lady herr frau mme mlle monsieur madame sr sra señor señora"
_TITLES = frozenset(_TITLES_WORDS.split())
_LONGEST = 30  # characters of a word that are looked at
_MARKS = {"\n": "newline", "\0": "token", EDGE: "edge"}


@dataclass(frozen=True, slots=True)
class Lists:
    """Which words are first names, last names, and ordinary ones; all folded."""

    first: AbstractSet[str]
    last: AbstractSet[str]
    common: AbstractSet[str]

    def of(self, word: str) -> str:
        """The lists that know a word, a letter each; of a word with a hyphen those that know one of its parts."""
        return "".join(
            letter
            for letter, known in (("F", self.first), ("L", self.last), ("C", self.common))
            if word in known or ("-" in word and any(part in known for part in word.split("-")))
        )


@lru_cache(maxsize=16_384)
def folded(word: str) -> str:
    """A word as the lists have it: small letters without their marks."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def shape(word: str) -> str:
    """The case of a word, the length of a number, or the mark itself."""
    if word.isdigit():
        return f"d{min(len(word), 7)}"
    if not word[0].isalnum():
        return _MARKS.get(word[0], word[0])
    if any(map(str.isdigit, word)):
        return "xd" if word[0].isalpha() else "dx"
    if word.isupper():
        return "X" if len(word) == 1 else "XX"
    if word[0].isupper():
        return "Xx" if word[1:].islower() else "X-x" if "-" in word or word[1] in "'’cao" else "XxX"
    return "x" if word.islower() else "xX"


def sort_of(word: str, lists: Lists) -> str:
    """The one trait that is looked at together with that of the words beside it."""
    small = word.lower()
    kind = "S" if small in _STREET or _STREET_END.search(small) else "T" if small in _TITLES else ""
    return f"{shape(word)}{lists.of(folded(word)) or '-'}{kind}"


def traits(word: str, lists: Lists) -> tuple[str, ...]:
    """What counts for the word itself, and for its neighbours."""
    small = folded(word[:_LONGEST])
    form, known = shape(word), lists.of(small)
    found = [
        "bias",
        f"w{small if form[0] in 'Xx' and word[0].isalpha() else form}",
        f"s{form}",
        f"g{known}",
        f"sg{form}{known}",
    ]
    if word.lower() in _STREET:
        found.append("street")
    elif _STREET_END.search(word.lower()):
        found.append("streetend")
    if word.lower() in _TITLES:
        found.append("title")
    if form[0] in "Xx" and len(small) > 2:
        found += [f"e{small[-3:]}", f"e{small[-2:]}", f"b{small[:3]}", f"l{min(len(small), 9)}"]
    return tuple(found)


def at_distance(found: tuple[str, ...], distance: int) -> tuple[str, ...]:
    """The traits of a word that count for the one so many words before or behind it."""
    if distance == 0:
        return found
    kept = found[1:4] if abs(distance) == 2 else tuple(one for one in found[1:] if one[0] not in "ebl")
    return tuple(f"{distance}{one}" for one in kept)
