"""Parses a block of words into a set of names, which keeps tables short."""

from __future__ import annotations


def names(block: str) -> frozenset[str]:
    """Return the words of a block of text as a set."""
    return frozenset(block.split())
