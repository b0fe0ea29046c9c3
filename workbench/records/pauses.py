"""Nested calls that wait for a person in the middle of a run, and calls that a rehearsal held."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.records.ground import Risk


@dataclass(frozen=True, slots=True)
class Pause:
    """One call, or a batch of alike ones, that waits for a person while its program runs."""

    id: str
    run_id: str
    call_id: str
    server: str
    tool: str
    arguments: str  # JSON text as a person sees it
    why: tuple[str, ...] = ()
    risk: Risk = Risk.HIGH
    deadline: float = 0.0  # when waiting ends as a refusal
    more: int = 0  # how many alike calls wait beside this one
    list: tuple[str, ...] = ()  # one line for each of the batch


@dataclass(frozen=True, slots=True)
class PauseAnswer:
    """A person's answer to one pause."""

    pause_id: str
    allow: bool
    scope: str = "once"  # once, session, text, tool, server
    reason: str = ""
    seconds: float = 0.0  # how long the person looked


@dataclass(frozen=True, slots=True)
class Held:
    """A side effect that a rehearsal held back."""

    call_id: str
    server: str
    tool: str
    arguments: str  # JSON text as a person sees it
    line: int = 0
    summary: str = ""
    reversible: bool | None = None  # None: not known
