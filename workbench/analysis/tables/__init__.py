"""What the analysis knows by name: modules, functions, methods, commands, and what each of them does."""

from __future__ import annotations


def names(block: str) -> frozenset[str]:
    """The words of this block, so that tables stay short."""
    return frozenset(block.split())
