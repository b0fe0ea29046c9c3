"""Explains in a few words why a search result matched, from the terms that the ranking used."""

from __future__ import annotations

from workbench.records import FoundIn, Reason
from workbench.search.bm25_ranking import Searchable, fields
from workbench.search.search_terms import surfaces, synonyms, trigrams

_MOST = 2  # maximum number of shown reasons
_LIKE = 0.5  # minimum share of equal trigrams for a name similar to the question
_ORDER = (
    (FoundIn.NAME, ("name",)),
    (FoundIn.ASKED, ("asked",)),
    (FoundIn.DESCRIPTION, ("description",)),
    (FoundIn.PARAMETERS, ("parameters", "notes")),
    (FoundIn.SERVER, ("server", "about")),
)


def reasons(question: str, entry: Searchable, exact: int | None = None) -> tuple[Reason, ...]:
    """Return the fields that contain words of the question, most important first.

    Without any such field, returns how else the entry matched."""
    if exact == 0:
        return (Reason(FoundIn.EXACT),)
    wanted = surfaces(question)
    parts = fields(entry)
    found: list[Reason] = []
    for place, names in _ORDER:
        there = {word for name in names for word in parts[name]}
        here = [word for word in wanted if word in there or (place is FoundIn.NAME and _begins(word, there))]
        if here:
            found.append(Reason(place, " ".join(wanted.pop(word) for word in here)))
    return tuple(found[:_MOST]) or (_other(question, entry, {word for part in parts.values() for word in part}),)


def _begins(word: str, there: set[str]) -> bool:
    return len(word) > 2 and any(one.startswith(word) for one in there)


def _other(question: str, entry: Searchable, there: set[str]) -> Reason:
    for word, typed in surfaces(question).items():
        if not there.isdisjoint(synonyms().get(word, ())):
            return Reason(FoundIn.SYNONYM, typed)
    wanted, name = trigrams(question), trigrams(entry.name)
    alike = 2 * len(wanted & name) / (len(wanted) + len(name)) > _LIKE
    return Reason(FoundIn.LETTERS if alike or letters(question, entry.name) else FoundIn.MEANING)


def letters(question: str, name: str) -> bool:
    """Return whether a name contains all letters of the question in order."""
    place, held = 0, name.lower()
    for letter in "".join(question.lower().split()):
        place = held.find(letter, place) + 1
        if not place:
            return False
    return True
