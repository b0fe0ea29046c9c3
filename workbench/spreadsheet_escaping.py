"""Escapes table cells that a spreadsheet would evaluate as formulas."""

from __future__ import annotations

# spreadsheets treat the full-width characters like the others
_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(value: object) -> object:
    """Prefix a text that would be a formula with an apostrophe; numbers and other values stay unchanged."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_SIGNS) else value
