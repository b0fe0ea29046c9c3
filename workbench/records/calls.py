"""Tool calls, their results, their traces in a run, the call history, and saved calls with their expectations."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.common_types import Fault, JsonObject, JsonValue, Origin, Risk


class ToolCall(Struct, frozen=True):
    """A request to call a tool, as the broker receives it."""

    id: str
    server: str
    tool: str
    arguments: JsonObject
    origin: Origin
    session: str
    run_id: str = ""
    confirmed: bool = False  # the user saw the warning and confirmed the call
    unattended: bool = False  # a script made the call, not the user by hand


class Content(Struct, frozen=True):
    """One content block of a tool's answer."""

    kind: str  # text, image, audio, resource, link
    text: str = ""
    mime: str = ""
    data: str = ""  # base64
    uri: str = ""
    name: str = ""  # of a link
    note: str = ""  # the server's description of a link


class Outcome(Struct, frozen=True):
    """The outcome of a call.

    `structured` stays JSON text, because long text can be sent as a handle and a parsed tree cannot.
    """

    call_id: str
    ok: bool
    content: tuple[Content, ...] = ()
    structured: str = ""  # structuredContent as JSON text; empty when the server sent none
    fault: Fault | None = None
    refused: bool = False  # a policy or rule denied the call; nothing reached the server
    needs_confirmation: bool = False  # the user may repeat the call with `confirmed`
    # with `needs_confirmation`: the tool destroys, sends, or is unknown; empty: the reason is the values
    asks: str = ""
    schema_fault: str = ""  # where the structured content does not match the tool's output schema
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0
    tool_error: bool = False  # the tool answered with `isError`; `fault` has its message
    cached: float = 0.0  # age in seconds of a cached answer; 0: the server was called
    held: bool = False  # a dry run answered instead of the server; nothing was sent


class CallTrace(Struct, frozen=True):
    """A nested call of a run, as the user sees it while the run is active."""

    call_id: str
    server: str
    tool: str
    arguments: str  # JSON text, shortened, with PII tokens in place of personal data
    risk: Risk
    state: str  # running, waiting, done, failed, refused, stopped, held
    note: str = ""
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0


class ChangedCall(Struct, frozen=True):
    """A call of a program whose arguments the user changed before allowing it."""

    call_id: str
    server: str
    tool: str
    before: str  # JSON text
    after: str


class PastCall(Struct, frozen=True):
    """One call in the call history. Lists omit its outcome and shorten its arguments."""

    id: int
    at: float
    server: str
    tool: str
    arguments: str  # JSON text
    origin: Origin = Origin.PERSON
    run_id: str = ""  # the run whose program made the call; empty for a call that the user made
    ok: bool = True
    note: str = ""  # the fault's message, or the beginning of the answer
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0
    withheld: tuple[str, ...] = ()  # arguments that the schema marks as secret; they are not stored
    cut: bool = False  # the answer was too large to be stored completely
    outcome: Outcome | None = None


class PastQuery(Struct, frozen=True):
    """A query for past calls, newest first."""

    text: str = ""  # words that must all occur in names, arguments or answer; prefixes match
    server: str = ""
    tool: str = ""
    state: str = ""  # "ok", "failed", or either
    nested: bool = True  # include calls made by programs
    before: int = 0  # only calls with a smaller id
    limit: int = 100


class Expect(StrEnum):
    """What can be expected of an answer. The values are the keywords in the files."""

    OK = "ok"  # the tool answered without an error
    ERROR = "error"  # the tool answered with an error that contains this text
    EQUALS = "equals"  # the value at the path equals this value
    EXISTS = "exists"  # a value exists at the path; false: it does not
    MATCHES = "matches"  # the text at the path matches this regular expression
    TYPE = "type"  # the value at the path has this JSON type
    COUNT = "count"  # the path has at least this many values
    TEXT = "text"  # the answer's text contains this text
    SCHEMA = "schema"  # the structured answer matches the tool's output schema
    KEPT = "kept"  # the answer equals the one stored in the file, except for ignored paths
    UNDER_MS = "under_ms"  # the call took less than this many milliseconds


class Expectation(Struct, frozen=True):
    """One expectation about the answer of a saved call."""

    kind: Expect
    value: JsonValue = True
    path: str = ""  # location in the answer, such as orders[0].id or orders[*].id
    ignore: tuple[str, ...] = ()  # paths that may differ from the stored answer


class SavedCall(Struct, frozen=True):
    """A saved call, stored in `calls/<collection>/<name>.json`."""

    collection: str  # empty for a file directly in `calls`
    name: str
    server: str
    tool: str
    arguments: JsonObject = field(default_factory=dict)
    note: str = ""
    tags: tuple[str, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    kept: JsonValue = None  # the stored answer that later answers are compared with
    withheld: tuple[str, ...] = ()  # secret arguments, which are not stored in the file
    more: Mapping[str, JsonValue] = field(default_factory=dict)  # unknown keys of the file
    file: str = ""  # relative to the project


class BrokenCall(Struct, frozen=True):
    """A saved-call file that cannot be used."""

    file: str
    fault: Fault
    line: int = 0


class SavedCalls(Struct, frozen=True):
    """All saved calls of a project."""

    calls: tuple[SavedCall, ...] = ()
    broken: tuple[BrokenCall, ...] = ()


class Mark(Struct, frozen=True):
    """The result of checking one expectation."""

    expectation: Expectation
    holds: bool
    words: str  # what was expected and what was received, as a sentence
    expected: str = ""  # the expected text, if a diff is more useful than the sentence
    got: str = ""


class CheckResult(Struct, frozen=True):
    """The result of making a saved call and checking its answer."""

    file: str
    server: str
    tool: str
    passed: bool
    marks: tuple[Mark, ...] = ()
    outcome: Outcome | None = None
    needs_confirmation: bool = False  # the call was not made, because it may change or send something
    fault: Fault | None = None  # why the call could not be made
