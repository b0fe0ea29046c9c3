"""The one "did you mean": known names that are spelled much like an unknown one."""

from __future__ import annotations

from collections.abc import Iterable

_LEAST_ALIKE = 0.61  # difflib's ratio below which a name is no suggestion; `titel` and `state` have 0.6
_LONGEST = 200  # characters compared: difflib takes quadratic time


def similar_names(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Up to `most` known names like this one, the most similar first; case does not count."""
    import difflib

    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold()[:_LONGEST], folded, n=most, cutoff=_LEAST_ALIKE)
    return [folded[found] for found in close]


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """`Did you mean a, b?`, or an empty text."""
    close = similar_names(name, known, most)
    return f"Did you mean {', '.join(close)}?" if close else ""
