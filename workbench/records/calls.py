"""Tool calls, their results, their traces in a run, the call history, and saved calls with their expectations."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.common_types import Fault, JsonObject, JsonValue, Origin, Risk


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


class Expect(StrEnum):
    """What may be expected of an answer; the words are the ones that stand in the files."""

    OK = "ok"  # the tool answered without an error
    ERROR = "error"  # it answered with an error that contains this text
    EQUALS = "equals"  # the value at the path is this one
    EXISTS = "exists"  # there is a value at the path; false: there is none
    MATCHES = "matches"  # the text at the path fits this regular expression
    TYPE = "type"  # the value at the path is of this JSON type
    COUNT = "count"  # at least so many values are at the path
    TEXT = "text"  # the answer's text contains this
    SCHEMA = "schema"  # the structured answer fits the tool's output schema
    KEPT = "kept"  # the answer is the one that is kept in the file, apart from what is ignored
    UNDER_MS = "under_ms"  # it took less than so many milliseconds


class Expectation(Struct, frozen=True):
    """One thing that must hold."""

    kind: Expect
    value: JsonValue = True
    path: str = ""  # where in the answer, such as orders[0].id or orders[*].id
    ignore: tuple[str, ...] = ()  # paths that may differ from what is kept


class SavedCall(Struct, frozen=True):
    """One call as a file holds it: `calls/<collection>/<name>.json`."""

    collection: str  # empty for a file that lies in `calls` itself
    name: str
    server: str
    tool: str
    arguments: JsonObject = field(default_factory=dict)
    note: str = ""
    tags: tuple[str, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    kept: JsonValue = None  # the answer that a later one is compared with
    withheld: tuple[str, ...] = ()  # secret arguments, which no file keeps
    more: Mapping[str, JsonValue] = field(default_factory=dict)  # what else somebody wrote into the file
    file: str = ""  # below the project


class BrokenCall(Struct, frozen=True):
    """A file among the saved calls that cannot be used."""

    file: str
    fault: Fault
    line: int = 0


class SavedCalls(Struct, frozen=True):
    """Every saved call of a project."""

    calls: tuple[SavedCall, ...] = ()
    broken: tuple[BrokenCall, ...] = ()


class Mark(Struct, frozen=True):
    """Whether one expectation holds."""

    expectation: Expectation
    holds: bool
    words: str  # what was expected and what came, in a sentence
    expected: str = ""  # both sides as text where a diff says more
    got: str = ""


class CheckResult(Struct, frozen=True):
    """What came of making a saved call and looking at its answer."""

    file: str
    server: str
    tool: str
    passed: bool
    marks: tuple[Mark, ...] = ()
    outcome: Outcome | None = None
    needs_confirmation: bool = False  # nothing was sent: the call may change or send something
    fault: Fault | None = None  # why it could not be made
