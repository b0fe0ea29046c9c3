"""What a person's own patterns and names of keys announce, where they name no kind that there is."""

from __future__ import annotations

from collections.abc import Iterator

KEYS: frozenset[str] = frozenset()  # only the person's own


def find(text: str) -> Iterator[tuple[int, int]]:
    """Nothing: the patterns are not of this program."""
    return iter(())


def accepts(value: str) -> bool:
    """Whether there is anything: what somebody says is personal is."""
    return value.strip() != ""
