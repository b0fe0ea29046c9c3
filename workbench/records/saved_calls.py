"""Calls saved as files of the project, their expectations, and check results."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.calls import Outcome
from workbench.records.common_types import Fault, JsonObject, JsonValue


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
