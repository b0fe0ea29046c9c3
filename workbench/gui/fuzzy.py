"""Finds what a person means from a few typed letters; pure, so it can be tested without a window."""

from __future__ import annotations


def score(needle: str, text: str) -> int | None:
    """How well the letters fit, in order; None when they do not. Whole words and word starts win."""
    wanted, held = needle.casefold().replace(" ", ""), text.casefold()
    if not wanted:
        return 0
    whole = held.find(needle.casefold().strip())
    if whole >= 0:
        if _starts_word(held, whole):
            return 1000 - 2 * whole - len(held) // 4
        return 8 * len(wanted) - 10 - len(held) // 8
    points, place = 0, -1
    for letter in wanted:
        found = held.find(letter, place + 1)
        if found < 0:
            return None
        points += 8 if found == place + 1 else 5 if _starts_word(held, found) else 1
        place = found
    return points - len(held) // 8


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
