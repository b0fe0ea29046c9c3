"""Calls of a running program that wait for approval, and calls that a dry run held back."""

from __future__ import annotations

from msgspec import Struct

from workbench.records.common_types import Risk
from workbench.records.permissions import Permission


class ValueOrigin(Struct, frozen=True):
    """A value of a call's arguments that stood in what a tool answered before."""

    path: str  # where in the arguments: `to`, `recipients[]`
    value: str  # shortened
    kinds: tuple[str, ...]  # untrusted: outsiders can write there; private
    server: str = ""  # whose answer it stood in; empty: of one that is not kept any more
    tool: str = ""
    call_id: str = ""
    run_id: str = ""
    around: str = ""  # what stood around it; the value itself lies between \x02 and \x03


class HeldCall(Struct, frozen=True):
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
    sentence: str = ""  # what a person reads first
    origins: tuple[ValueOrigin, ...] = ()  # where its values came from, as far as that is why it is asked
    session: str = ""
    author: str = ""
    trifecta: bool = False  # the session has read private data and text of outsiders, and this can send
    offers: tuple[Permission, ...] = ()  # rules for personal data, each of which would have answered a part of it


class HeldCallAnswer(Struct, frozen=True):
    """A person's answer to one held call."""

    held_call_id: str
    allow: bool
    scope: str = "once"  # once: what the held call shows; rest: also what the run calls of this tool from now on
    reason: str = ""
    seconds: float = 0.0  # how long the person looked


class Held(Struct, frozen=True):
    """A side effect that a dry run held back."""

    call_id: str
    server: str
    tool: str
    arguments: str  # JSON text as a person sees it
    line: int = 0
    summary: str = ""
    reversible: bool | None = None  # None: not known
    risk: Risk = Risk.HIGH
    origins: tuple[ValueOrigin, ...] = ()  # which of its values stood in what a tool answered
    waits_for: tuple[str, ...] = ()  # values that only the answers of earlier calls will tell
    answered: str = ""  # what the program was told instead: invented, recorded, nothing


class PlanChoice(Struct, frozen=True):
    """What the user chose from the plan of a dry run: the calls that the real run may make."""

    dry_run: str  # the id of the dry run
    sha: str  # of the program that the dry run ran
    ticked: tuple[str, ...] = ()  # ids of held calls
    seconds: float = 0.0  # how long the person looked
