"""Finds what a person means from a few typed letters; pure, so it can be tested without a window."""

from __future__ import annotations

from collections.abc import Iterator


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
    if (begun := _begun(needle.casefold().split(), held)) is not None:
        return begun
    points, place = 0, -1
    for letter in wanted:
        found = held.find(letter, place + 1)
        if found < 0:
            return None
        points += 8 if found == place + 1 else 5 if _starts_word(held, found) else 1
        place = found
    return points - len(held) // 8


def _begun(words: list[str], held: str) -> int | None:
    """For several words that begin words of the text, in any order: "demo connect" means "Connect the demo"."""
    places = [next((at for at in _finds(word, held) if _starts_word(held, at)), -1) for word in words]
    if len(words) < 2 or -1 in places:
        return None
    in_order = places == sorted(places)
    return (900 if in_order else 800) - 2 * min(places) - len(held) // 4


def _finds(word: str, held: str) -> Iterator[int]:
    at = held.find(word)
    while at >= 0:
        yield at
        at = held.find(word, at + 1)


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
