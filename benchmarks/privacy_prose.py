"""Passages of prose (`privacy_passages.txt`) for `privacy.py`, as people write them: notes, news, chats, letters.

Written without the templates that the model is trained on at hand, and never trained on. People and addresses in them
are filled in from the values held apart; firms, products, towns and headings are part of the passages, and innocent.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from privacy_fresh_texts import Someone
from privacy_marked import Sample, mark, sample
from privacy_values import Values

_SLOT = re.compile(r"\{(\w)(\d)\}")  # n: whole name, g: given, f: family, a: address, s: street; and of whom
_PASSAGES = Path(__file__).with_name("privacy_passages.txt")


def passages(each: int, seed: int) -> Iterator[Sample]:
    """Every passage so many times, with other people each time."""
    rng = random.Random(seed)
    values = Values(seed + 1)
    for at, passage in enumerate(_PASSAGES.read_text(encoding="utf-8").strip().split("\n\n")):
        whole = passage.replace("\n", " ")
        for _ in range(each):
            yield sample(f"passage {at + 1}", _filled(whole, rng, values))


def _filled(passage: str, rng: random.Random, values: Values) -> str:
    people: dict[str, dict[str, str]] = {}

    def fill(slot: re.Match[str]) -> str:
        if slot[2] not in people:
            people[slot[2]] = _someone(rng, values)
        return people[slot[2]][slot[1]]

    return _SLOT.sub(fill, passage)


def _someone(rng: random.Random, values: Values) -> dict[str, str]:
    """Half of them of the lists held apart, half as `privacy_values.py` makes them."""
    one = Someone(rng, values)
    given, family = (one.given, one.family) if rng.random() < 0.5 else (values.given(), values.family())
    address = one.address if rng.random() < 0.5 else mark("ADDRESS", values.address())
    parts = {"n": f"{given} {family}", "g": given, "f": family}
    return {slot: mark("NAME", text) for slot, text in parts.items()} | {"a": address, "s": one.street}
