"""Completion candidates and explanations for the program editor."""

from __future__ import annotations

from msgspec import Struct


class Candidate(Struct, frozen=True):
    """A name that fits the place."""

    name: str  # with "=" behind the name of a parameter
    kind: str  # function, class, instance, module, param, keyword, statement, property, path
    typed: int  # letters of it that stand there already


class CallShape(Struct, frozen=True):
    """A call that is being written: its parameters, and which one it is at."""

    name: str
    parameters: tuple[str, ...]
    current: int  # -1: none
    words: str  # its documentation


class Explanation(Struct, frozen=True):
    """What a name stands for; empty where nobody knows."""

    name: str
    words: str
