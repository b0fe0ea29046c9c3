"""Completion candidates and explanations for the program editor."""

from __future__ import annotations

from msgspec import Struct


class Candidate(Struct, frozen=True):
    """A completion candidate at the cursor."""

    name: str  # a parameter's name ends with "="
    kind: str  # function, class, instance, module, param, keyword, statement, property, path
    typed: int  # number of letters of it that are already typed


class CallShape(Struct, frozen=True):
    """The signature of the call at the cursor, and the current parameter."""

    name: str
    parameters: tuple[str, ...]
    current: int  # index of the current parameter; -1: none
    words: str  # documentation of the function


class Explanation(Struct, frozen=True):
    """What the name at the cursor means; empty if unknown."""

    name: str
    words: str
