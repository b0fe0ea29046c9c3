"""What a person approved of a server, how it differs from what the server says now, and what is odd about it."""

from __future__ import annotations

from enum import StrEnum

from workbench.quick_records import dataclass


class ChangeKind(StrEnum):
    """What happened to a definition."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class DefinitionChange:
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


@dataclass(frozen=True, slots=True)
class ToolWarning:
    """Something odd about a definition, in words for a person."""

    server: str
    tool: str
    rule: str  # hidden, lookalike, contradiction, unmarked, poison
    message: str
    why: str  # what somebody could do with it


@dataclass(frozen=True, slots=True)
class Moment:
    """What a server was at some time: kept each time it changed, so that two times can be compared."""

    at: float
    version: str = ""
    tools: int = 0
