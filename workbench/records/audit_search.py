"""Which texts have the words of an audit search: the core asks it in SQL, the window of entries that arrive live.

Letters of ASCII match in either case, as in SQLite's LIKE; a word with other letters matches by Unicode's lower case.
"""

from __future__ import annotations

from typing import Final

LONGEST: Final = 400
"""Characters of a search that are looked at."""


def search_words(text: str) -> list[str]:
    """The words of a search; an entry fits when it has all of them."""
    return text[:LONGEST].replace("\0", " ").split()


def lowered(text: str) -> str:
    """In lower case letter by letter, as the index of words has it: a sigma does not depend on where it stands."""
    return text.lower().replace("ς", "σ")


def has_word(text: str, word: str) -> bool:
    """Whether a text has a word of a search anywhere."""
    if word.isascii():
        return word.encode().lower() in text.encode("utf-8", "surrogatepass").lower()  # bytes lower only ASCII
    return lowered(word) in lowered(text)
