"""Results of a search over tools, resources, templates, prompts and skills."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.servers import DefinitionChange, Hints, ServerStatus, Tool, ToolWarning


class FindKind(StrEnum):
    """The kinds of items that a search returns."""

    TOOL = "tool"
    RESOURCE = "resource"
    TEMPLATE = "template"
    PROMPT = "prompt"
    SKILL = "skill"


class FoundIn(StrEnum):
    """Why an item matches: the field that contains the query's words, or another reason."""

    EXACT = "exact"  # the query is its name
    NAME = "name"
    ASKED = "asked"  # a query that was followed by a run of the tool
    DESCRIPTION = "description"
    PARAMETERS = "parameters"
    SERVER = "server"
    SYNONYM = "synonym"  # a synonym of a query word
    LETTERS = "letters"  # the name contains these letters
    MEANING = "meaning"  # similar meaning without a common word


class Reason(Struct, frozen=True):
    """A reason why an item matches."""

    at: FoundIn
    words: str = ""  # the words of the query, as typed


class Find(Struct, frozen=True):
    """One search result."""

    kind: FindKind
    server: str  # empty for a skill
    name: str  # as its server names it; for resources the URI, for templates the URI template
    title: str
    summary: str  # one line
    reasons: tuple[Reason, ...] = ()
    tokens: int = 0  # tokens that its definition costs a model
    size: int = -1  # bytes, as the server claims for a resource; -1: unknown
    mime: str = ""
    hints: Hints = field(default_factory=Hints)
    status: ServerStatus = ServerStatus.READY  # status of its server
    allowed: bool = True  # whether the user has allowed its server to start
    category: str = ""  # the user's category of its server


class Finds(Struct, frozen=True):
    """Search results, best first."""

    finds: tuple[Find, ...] = ()
    total: int = 0  # number of matches
    known: Mapping[str, int] = field(default_factory=dict)  # number of items of each kind
    fresh: bool = True  # False: the index is out of date; search again shortly
    reader: str = ""  # the model that compared meanings; "" if only words are compared


class Companion(Struct, frozen=True):
    """A tool that often runs in the same program as another tool."""

    server: str
    tool: str
    times: int  # number of programs in which both completed


class ToolView(Struct, frozen=True):
    """A tool with what the user should know before calling it."""

    tool: Tool
    warnings: tuple[ToolWarning, ...] = ()
    change: DefinitionChange | None = None  # the definition differs from the one that the user approved or last saw
    companions: tuple[Companion, ...] = ()  # most often used together with the tool first
