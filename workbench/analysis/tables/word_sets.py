"""Reads a block of words as a set of names, so that tables stay short."""

from __future__ import annotations


def names(block: str) -> frozenset[str]:
    """The words of this block of text as a set."""
    return frozenset(block.split())
