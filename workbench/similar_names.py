"""Compares similar names: suggestions for "did you mean", and letters of other scripts that look like ASCII letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_LEAST_ALIKE = 0.61  # minimum ratio of difflib for a suggestion; `titel` and `state` have 0.6
_LONGEST = 200  # maximum number of compared characters: difflib takes quadratic time
LOOKALIKE_LETTERS = str.maketrans(
    "аеорсухіјѕһԁԛԝьвкмнтпгіАВЕКМНОРСТХУІЈЅοαεικνρτυχωγΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡɑ",
    "aeopcyxijshdqwbbkmhtnriABEKMHOPCTXYIJSoaeiknptuxwyABEZHIKMNOPTYXiga",
)


def similar_names(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return up to `most` known names similar to this one, the most similar first. Case is ignored."""
    import difflib

    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold()[:_LONGEST], folded, n=most, cutoff=_LEAST_ALIKE)
    return [folded[found] for found in close]


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """Return `Did you mean a, b?`, or an empty text."""
    close = similar_names(name, known, most)
    return f"Did you mean {', '.join(close)}?" if close else ""


def plain_letters(name: str) -> str:
    """Return the name with letters of other scripts and styles replaced by the ASCII letters they look like."""
    return unicodedata.normalize("NFKC", name).translate(LOOKALIKE_LETTERS)
