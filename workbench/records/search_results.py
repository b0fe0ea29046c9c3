"""Results of a search over tools, resources, templates, prompts and skills."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.servers import Hints, ServerStatus


class FindKind(StrEnum):
    """What can be found."""

    TOOL = "tool"
    RESOURCE = "resource"
    TEMPLATE = "template"
    PROMPT = "prompt"
    SKILL = "skill"


class FoundIn(StrEnum):
    """Where the words of a question were found, or what else led there."""

    EXACT = "exact"  # the question is its name
    NAME = "name"
    ASKED = "asked"  # a question after which it ran
    DESCRIPTION = "description"
    PARAMETERS = "parameters"
    SERVER = "server"
    SYNONYM = "synonym"  # another word for nearly the same
    LETTERS = "letters"  # its name has these letters
    MEANING = "meaning"  # it shares no word with the question


class Reason(Struct, frozen=True):
    """Why something was found."""

    at: FoundIn
    words: str = ""  # of the question, as they were typed


class Find(Struct, frozen=True):
    """One thing that was found."""

    kind: FindKind
    server: str  # empty: a skill
    name: str  # as its server calls it; of resources the address, of templates the address with blanks
    title: str
    summary: str  # one line
    reasons: tuple[Reason, ...] = ()
    tokens: int = 0  # what its definition costs a model
    size: int = -1  # bytes, as a server claims of a resource; -1: nobody said
    mime: str = ""
    hints: Hints = field(default_factory=Hints)
    status: ServerStatus = ServerStatus.READY  # of its server
    allowed: bool = True  # whether its server may start when it is used
    category: str = ""  # which a person gave its server


class Finds(Struct, frozen=True):
    """The best first."""

    finds: tuple[Find, ...] = ()
    total: int = 0  # how many fit
    known: Mapping[str, int] = field(default_factory=dict)  # how many there are of each kind
    fresh: bool = True  # False: something changed and is not in the index yet; ask again in a moment
    reader: str = ""  # what read the meaning of tools and question; "" while only words are compared


class Companion(Struct, frozen=True):
    """A tool that often runs in one program with another one."""

    server: str
    tool: str
    times: int  # programs in which both ran to their end
