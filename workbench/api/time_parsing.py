"""Reads a time as people type it. The window and the command line take the same words, so it stands below both."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

_SPANS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_LONGEST = 8  # characters of a span


def parse_time(text: str, now: float | None = None) -> float | None:
    """`30m`, `7d` ago; `today`; a day or a time of this place. None: it is none of these."""
    at = time.time() if now is None else now
    if text[:-1].isdecimal() and text.isascii() and text[-1:] in _SPANS and len(text) < _LONGEST:
        return at - int(text[:-1]) * _SPANS[text[-1]]
    days = {"today": 0, "yesterday": 1}
    if text in days:
        midnight = datetime.fromtimestamp(at).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=days[text])).timestamp()
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
