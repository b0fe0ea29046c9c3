"""Held calls (they wait for approval while their program runs), and calls that a dry run held back."""

from __future__ import annotations

from msgspec import Struct

from workbench.records.common_types import Risk
from workbench.records.permissions import Permission, RuleOffer


class ValueOrigin(Struct, frozen=True):
    """The source of a value in a call's arguments: the tool answer that contained it."""

    path: str  # path within the arguments: `to`, `recipients[]`
    value: str  # shortened
    kinds: tuple[str, ...]  # untrusted: outsiders can write the text; private
    server: str = ""  # the server that sent the answer; empty: the answer is no longer stored
    tool: str = ""
    call_id: str = ""
    run_id: str = ""
    around: str = ""  # surrounding text; the value itself is between \x02 and \x03


class RequestClock(Struct, frozen=True):
    """The time that one waiting approval request has left."""

    request_id: str  # id of the run or of the held call
    deadline: float  # when the request is denied; while the clock is stopped, the latest time
    left: float = 0.0  # seconds left while the clock is stopped, because the user is reviewing; 0: it runs


class HeldCall(Struct, frozen=True):
    """A call, or a batch of similar calls, that waits for approval while its program runs. Calls of other clients' own
    tools wait in the same way; they have no run."""

    id: str
    run_id: str  # empty: the call belongs to no program of the workbench
    call_id: str
    server: str
    tool: str
    arguments: str  # as shown to the user: JSON text, or the command or change of a client's own tool
    why: tuple[str, ...] = ()
    risk: Risk = Risk.HIGH
    deadline: float = 0.0  # the call is denied at this time
    more: int = 0  # number of similar calls that wait too
    list: tuple[str, ...] = ()  # one line for each call of the batch
    sentence: str = ""  # a summary sentence, shown first
    # sources of its values, as far as they are the reason for the approval request
    origins: tuple[ValueOrigin, ...] = ()
    session: str = ""
    author: str = ""
    trifecta: bool = False  # the session has read private data and untrusted text, and this tool can send data
    offers: tuple[Permission, ...] = ()  # rules for personal data that would each have answered a part of the request
    once_only: str = ""  # why the user can allow only the calls shown, not the rest of the run; empty: the rest too
    is_answer: bool = False  # `arguments` is the masked answer of the run, which waits to be sent; there is no call
    editable: bool = False  # the user may change `arguments` before allowing it; never for several calls
    original: str = ""  # the arguments as the program gave them, if the user changed them
    clock_left: float = 0.0  # seconds left while its clock is stopped, because the user is reviewing; 0: it runs
    denied_until: float = 0.0  # the user denied it, and can undo that until this time; the program does not know yet
    heading: str = ""  # above the arguments; empty: "What it would send"
    rule_offers: tuple[RuleOffer, ...] = ()  # rules that an answer can make; its `scope` names one by its id


class HeldCallAnswer(Struct, frozen=True):
    """The user's answer to a held call."""

    held_call_id: str
    allow: bool
    # once: the calls shown; rest: also later calls of this tool in this run; again: mask an answer again and show it;
    # or the id of one of the `rule_offers`
    scope: str = "once"
    reason: str = ""
    seconds: float = 0.0  # how long the user viewed the request
    arguments: str = ""  # the changed arguments or the changed answer that was allowed; set by the core
    undoable: bool = False  # the client offers to undo a denial, so the core holds it back for a few seconds
    by: str = ""  # who decided, and where; set by the core, never by a client
    terminal: str = ""  # the terminal of the answer, if not a window; set by the core, never by a client


class PlanStep(Struct, frozen=True):
    """A side effect that a dry run held back."""

    call_id: str
    server: str
    tool: str
    arguments: str  # JSON text as shown to the user
    line: int = 0
    summary: str = ""
    reversible: bool | None = None  # None: not known
    risk: Risk = Risk.HIGH
    origins: tuple[ValueOrigin, ...] = ()  # values that came from tool answers
    waits_for: tuple[str, ...] = ()  # values that depend on the answers of earlier calls
    answered: str = ""  # what the program received instead: invented, recorded, nothing


class PlanChoice(Struct, frozen=True):
    """The calls that the user selected from the plan of a dry run. The real run may make these calls."""

    dry_run: str  # the id of the dry run
    sha: str  # hash of the program of the dry run
    ticked: tuple[str, ...] = ()  # ids of the selected calls
    seconds: float = 0.0  # how long the user viewed the plan
