"""How a person decides: whoever allows everything within a second reviews nothing."""

from __future__ import annotations

from msgspec import Struct


class ReviewFigures(Struct, frozen=True):
    """Of the newest decisions about programs, plans and calls that somebody looked at."""

    decided: int = 0
    allowed: int = 0
    median_seconds: float = 0.0
    hasty: int = 0  # allowed too soon to have been read
