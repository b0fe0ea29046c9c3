"""What a program has in common with one that a person allowed before."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Likeness(StrEnum):
    """How much of an allowed program a new one is."""

    TEXT = "text"  # every character
    TREE = "tree"  # only spacing or comments differ
    VALUES = "values"  # only written values differ
    NEAR = "near"  # most lines are the same


class ValueChange(Struct, frozen=True):
    """A value that is written otherwise than in the allowed program; `line` is that of the new text."""

    line: int
    before: str
    after: str
    destination: bool = False  # it says where something goes: an address, a host, a recipient


class Resemblance(Struct, frozen=True):
    """A program that was allowed before, beside the one that waits now."""

    likeness: Likeness
    at: float  # when it was allowed
    code: str  # the allowed text
    changes: tuple[ValueChange, ...] = ()  # where only values differ
