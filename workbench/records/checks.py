"""What the doctor found: one record a check, in the order they were made."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class CheckState(StrEnum):
    """How a check ended."""

    GOOD = "good"
    DOUBT = "doubt"  # it works, but a person should know
    BAD = "bad"  # this is why it fails
    SKIPPED = "skipped"  # could not be made; the sentence says why


class Check(Struct, frozen=True):
    """One thing looked at."""

    name: str  # two or three words: "Executable", "TLS"
    state: CheckState
    sentence: str
    fix: str = ""  # what to do about it; empty when there is nothing to do
    detail: str = ""  # what was really seen: last words, headers, certificates
