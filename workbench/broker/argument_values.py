"""Takes the values of one call apart for the guard: those that say where something goes are looked at first and all of
them, and so they stand first in a question, where no other value can push them out of sight.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import islice
from typing import Final

from msgspec import Struct

from workbench.broker.text_normalization import MOST_LEAVES, leaves
from workbench.permissions.provenance_rules import names_place
from workbench.records import JsonObject

MOST_WALKED: Final = 50_000  # values of a call that are walked through at all
LONGEST_PLACE: Final = 8_000  # characters of one value that says where something goes
LONGEST_REST: Final = 200_000  # characters of what is looked at together


class ArgumentValues(Struct, frozen=True):
    """What is looked at: path, text, and whether it says where something goes."""

    values: tuple[tuple[str, str, bool], ...]
    unread_place: bool = False  # some value that says where something goes is not among them
    unread: bool = False  # something is not among them


def collect_values(arguments: JsonObject) -> ArgumentValues:
    """The values of a call; past so many, ordinary ones are looked at together."""
    walk = leaves(dict(arguments))
    every = [(path, text, names_place(path)) for path, text in islice(walk, MOST_WALKED)]
    more = next(walk, None) is not None
    places, others = [one for one in every if one[2]], [one for one in every if not one[2]]
    taken, rest = others[:MOST_LEAVES], "\n".join(text for _, text, _ in others[MOST_LEAVES:])
    together = [("", rest[:LONGEST_REST], False)] if rest else []
    return ArgumentValues(
        (*places[:MOST_LEAVES], *taken, *together),
        unread_place=more or len(places) > MOST_LEAVES or any(len(text) > LONGEST_PLACE for _, text, _ in places),
        unread=more or len(rest) > LONGEST_REST,
    )


def in_order(arguments: JsonObject, about: Collection[str]) -> tuple[JsonObject, int]:
    """The arguments as a question shows them: what it is about first, then what says where something goes. And how many
    characters of them in one line a person must see."""
    asked = {path.split(".")[0].replace("[]", "") for path in about}
    ranks = {key: 0 if key in asked else 1 if _leads(key, value) else 2 for key, value in arguments.items()}
    ordered = {key: arguments[key] for key in sorted(arguments, key=lambda key: ranks[key])}
    decisive = {key: value for key, value in ordered.items() if ranks[key] < 2}
    return ordered, len(json.dumps(decisive, ensure_ascii=False, default=str)) if decisive else 0


def _leads(key: str, value: object) -> bool:
    if names_place(key):
        return True
    return isinstance(value, dict | list) and any(
        names_place(path) for path, _ in islice(leaves({key: value}), MOST_LEAVES)
    )
