"""Reads from the audit how a person decides: how often yes, after how long, and how often too fast to have read it.

A program, the plan of a rehearsal and a call that waits are all decisions; each is one entry whose kind begins with
`run.decided`, however many programs or calls it was about.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Final

from workbench.records import Entry, ReviewFigures

DECIDED: Final = "run.decided"  # what the kinds of all decisions begin with
HASTY: Final = 1.5  # seconds; a yes that came sooner was no reading, for the button is dead for half of that
NEWEST: Final = 1000  # decisions that the figures are about


def review(decisions: Iterable[Entry]) -> ReviewFigures:
    """From entries of the kinds DECIDED; answers given along with another one count once."""
    looked = [entry.note.detail for entry in decisions if _seconds(entry.note.detail.get("seconds")) > 0]
    allowed = [detail for detail in looked if detail.get("allow") is True]
    times = [_seconds(detail.get("seconds")) for detail in looked]
    hasty = sum(_seconds(detail.get("seconds")) < HASTY for detail in allowed)
    return ReviewFigures(len(looked), len(allowed), round(median(times), 1) if times else 0.0, hasty)


def is_hasty(allow: bool, seconds: float) -> bool:
    """Whether a yes came sooner than anybody can read; no seconds: given along with another answer."""
    return allow and 0 < seconds < HASTY


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
