"""How much a word of another script than Latin looks like a person's name, from `resources/privacy`.

A linear classifier over hashed parts of words: `tools/train_script_words.py` fits one for each script.
"""

from __future__ import annotations

import unicodedata
import zlib
from functools import lru_cache

from workbench.paths import resources

_SCALE = 16
_LOWEST = -5.9  # score of any word that is not known to be a frequent one
_ORDINARY, _ALSO_NAME, LARGE_PLACE = -6.0, -1.5, -2.0  # scores of frequent words; of countries and large towns
_LONGEST = 24  # letters of a word that are read
_KEPT = "\u0306\u093c"  # marks that make another letter: й, ў; nukta


def fold(word: str) -> str:
    """In lower case without accents and marks of vowels."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFD", word.lower())
    bare = "".join(
        letter for letter in parts if unicodedata.category(letter) != "Mn" or letter in _KEPT or letter > "\u0900"
    )
    return unicodedata.normalize("NFC", bare).replace("ς", "σ")


def features(word: str) -> list[bytes]:
    """Parts of two to five letters of a folded word with its borders, and the word."""
    whole = f"^{word[:_LONGEST]}$"
    parts = [whole[at : at + size].encode() for size in (2, 3, 4, 5) for at in range(len(whole) - size + 1)]
    parts.append(f"={whole}".encode())
    return parts


@lru_cache(maxsize=16384)
def name_score(script: str, word: str) -> float:
    """The logarithm of the odds that the word is a name of a person rather than a place or an ordinary word."""
    folded = fold(word)
    if folded in word_set(f"{script}_words"):
        return _ALSO_NAME if folded in word_set(f"{script}_names") else _ORDINARY
    found = max(score(section(script), folded), _LOWEST)
    return min(found, LARGE_PLACE) if folded in word_set(f"{script}_places") else found


def score(table: bytes, folded: str) -> float:
    """The sum of the weights of a folded word in the table of a script."""
    mask = len(table) - 1
    total = 0
    for part in features(folded):
        weight = table[zlib.crc32(part) & mask]
        total += weight if weight < 128 else weight - 256
    return total / _SCALE


def is_well_known(script: str, word: str) -> bool:
    """Whether a word is a name that many countries know."""
    return fold(word) in word_set(f"{script}_names")


@lru_cache(maxsize=32)
def word_set(name: str) -> frozenset[str]:
    """A list of words of the file."""
    return frozenset(section(name).decode("utf-8").split(" "))


@lru_cache(maxsize=32)
def section(name: str) -> bytes:
    """A part of the files, which is unpacked when a text needs it."""
    file = file_of(name)
    start, size = places_in(file)[name]
    return zlib.decompress(_bytes(file)[start : start + size])


def file_of(name: str) -> str:
    """The file of a part: those for Chinese and Japanese have their own."""
    return "han_words.bin" if name.startswith(("zh_", "ja_")) else "script_words.bin"


@lru_cache(maxsize=2)
def _bytes(file: str) -> bytes:
    return (resources() / "privacy" / file).read_bytes()


@lru_cache(maxsize=2)
def places_in(file: str) -> dict[str, tuple[int, int]]:
    """Where each part of a file is: the first line has names and sizes."""
    head, _, _ = _bytes(file).partition(b"\n")
    places: dict[str, tuple[int, int]] = {}
    at = len(head) + 1
    for entry in head.decode("ascii").split(" "):
        name, _, size = entry.partition(":")
        places[name] = (at, int(size))
        at += int(size)
    return places
