"""Tool calls, their results, their traces in a run, and the call history."""

from __future__ import annotations

from msgspec import Struct

from workbench.records.common_types import Fault, JsonObject, Origin, Risk


class ToolCall(Struct, frozen=True):
    """One wish to call a tool, on its way to the broker."""

    id: str
    server: str
    tool: str
    arguments: JsonObject
    origin: Origin
    session: str
    run_id: str = ""
    confirmed: bool = False  # the user saw the warning and pressed the button anyway
    unattended: bool = False  # a script made it: nobody pressed a button or typed it


class Content(Struct, frozen=True):
    """One block of a tool's answer."""

    kind: str  # text, image, audio, resource, link
    text: str = ""
    mime: str = ""
    data: str = ""  # base64
    uri: str = ""
    name: str = ""  # of a link
    note: str = ""  # what its server says of a link


class Outcome(Struct, frozen=True):
    """What came of a call. `structured` stays JSON text: large text travels as a handle, a tree would not."""

    call_id: str
    ok: bool
    content: tuple[Content, ...] = ()
    structured: str = ""  # structuredContent as JSON text; empty when the server sent none
    fault: Fault | None = None
    refused: bool = False  # policy said no; nothing reached the server
    needs_confirmation: bool = False  # the user may repeat the call with `confirmed`
    asks: str = ""  # with `needs_confirmation`: the tool destroys, sends, or is unknown; empty: it is about the values
    schema_fault: str = ""  # how structured content departs from the tool's output schema
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0
    tool_error: bool = False  # the tool was reached and answered isError; the fault has its words
    cached: float = 0.0  # seconds since its server gave this answer; 0: it was asked just now
    held: bool = False  # a dry run answered instead of the server; nothing was sent


class CallTrace(Struct, frozen=True):
    """A nested call of a run as people see it live."""

    call_id: str
    server: str
    tool: str
    arguments: str  # JSON text, shortened, tokens in place of personal data
    risk: Risk
    state: str  # running, waiting, done, failed, refused, stopped, held
    note: str = ""
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0


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
