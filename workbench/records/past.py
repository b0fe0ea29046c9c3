"""A call that was made, as the history keeps it, and what may be asked of the history."""

from __future__ import annotations

from msgspec import Struct

from workbench.records.calls import Outcome
from workbench.records.ground import Origin


class PastCall(Struct, frozen=True):
    """One call that was made. Lists carry it without its outcome and with its arguments shortened."""

    id: int
    at: float
    server: str
    tool: str
    arguments: str  # JSON text
    origin: Origin = Origin.PERSON
    run_id: str = ""  # the run whose program made the call; empty for a person's own
    ok: bool = True
    note: str = ""  # the fault's sentence, or the beginning of the answer
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0
    withheld: tuple[str, ...] = ()  # arguments that the schema marks as secret; they were not kept
    cut: bool = False  # the answer was too large to be kept whole
    outcome: Outcome | None = None


class PastQuery(Struct, frozen=True):
    """Which calls to find, newest first."""

    text: str = ""  # words that must all occur in names, arguments or answer; the last letters of each may be missing
    server: str = ""
    tool: str = ""
    state: str = ""  # "ok", "failed", or either
    nested: bool = True  # the calls of runs too
    before: int = 0  # only calls before this one
    limit: int = 100
