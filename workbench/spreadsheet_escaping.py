"""Escapes cells of exported tables that a spreadsheet would take for a formula."""

from __future__ import annotations

_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the full-width ones are read as the others


def safe_cell(value: object) -> object:
    """A text that would be a formula gets an apostrophe before it; numbers and other values stay what they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_SIGNS) else value
