"""Names of persons in other scripts than Latin, from `resources/privacy/script_names.txt`."""

from __future__ import annotations

from functools import lru_cache

from workbench.paths import resources


@lru_cache(maxsize=1)
def _lists() -> dict[tuple[str, str], frozenset[str]]:
    lines = (resources() / "privacy" / "script_names.txt").read_text(encoding="utf-8").splitlines()
    parts = (line.split(" ") for line in lines)
    return {(script, title): frozenset(words) - {""} for script, title, *words in parts}


@lru_cache(maxsize=64)
def names_of(script: str, title: str) -> frozenset[str]:
    """One list: `given`, `last` or `middle` names; with `_words` at the end, those that are also ordinary words."""
    return _lists().get((script, title), frozenset())


@lru_cache(maxsize=16)
def all_names_of(script: str, title: str) -> frozenset[str]:
    """The names of a list together with those that are also ordinary words."""
    return names_of(script, title) | names_of(script, f"{title}_words")
