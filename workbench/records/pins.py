"""What a person approved of a server, how it differs from what the server says now, and what is odd about it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class ChangeKind(StrEnum):
    """What happened to a definition."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


class DefinitionChange(Struct, frozen=True):
    """One tool of a known server that is not what it was. A changed one is blocked until a person approves it."""

    server: str
    tool: str
    kind: ChangeKind
    hash: str  # of the definition as it is now; empty when it is gone
    at: float  # when it was first seen
    before: str = ""  # the approved definition as JSON text
    after: str = ""  # the definition as it is now
    blocked: bool = False
    warnings: tuple[str, ...] = ()  # what is odd about the definition as it is now


class ToolWarning(Struct, frozen=True):
    """Something odd about a definition, in words for a person."""

    server: str
    tool: str
    rule: str  # hidden, lookalike, contradiction, unmarked, poison
    message: str
    why: str  # what somebody could do with it


class Moment(Struct, frozen=True):
    """What a server was at some time: kept each time it changed, so that two times can be compared."""

    at: float
    version: str = ""
    tools: int = 0
