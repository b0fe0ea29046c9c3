"""What servers offer besides tools: resources, templates of resources, prompts, completions, and their log."""

from __future__ import annotations

from workbench.quick_records import dataclass
from workbench.records.calls import Content
from workbench.records.ground import Fault


@dataclass(frozen=True, slots=True)
class Resource:
    """Something a server lets read, under its address."""

    server: str
    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""
    size: int = -1  # bytes, as the server claims; -1: it says nothing


@dataclass(frozen=True, slots=True)
class ResourceTemplate:
    """An address with blanks (RFC 6570), for more resources than can be listed."""

    server: str
    template: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """A blank of a prompt."""

    name: str
    title: str = ""
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """Words for a model that a server keeps ready."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class Offers:
    """All a server offers besides tools; resources are told in slices, because there may be very many."""

    server: str
    known: bool = False  # its lists were read since the core started
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    resource_count: int = 0
    subscriptions: tuple[str, ...] = ()  # addresses whose changes the server tells us
    subscribable: bool = False  # it takes subscriptions
    completes: bool = False  # it completes arguments while they are typed
    logs: bool = False  # it sends log messages of the level one asks for
    log_level: str = ""  # as last asked for; empty: the server's own choice
    warnings: tuple[str, ...] = ()  # entries left out and why


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a filled prompt."""

    role: str  # user, assistant; foreign words stay as they are
    content: Content


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """A prompt with its blanks filled, or why it could not be."""

    name: str
    description: str = ""
    messages: tuple[PromptMessage, ...] = ()
    fault: Fault | None = None
    raw: str = ""  # JSON text, as the server sent it
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """What a server would put in for an argument."""

    values: tuple[str, ...] = ()
    total: int = 0  # how many there are; 0: it did not say
    more: bool = False


@dataclass(frozen=True, slots=True)
class LogLine:
    """One message of a server's log."""

    number: int  # grows by one with each message, also with those that were dropped
    at: float
    level: str  # debug … emergency; foreign words stay as they are
    logger: str
    text: str  # a text as it is, other values as JSON; shortened past a limit


@dataclass(frozen=True, slots=True)
class ServerLog:
    """The end of a server's log."""

    lines: tuple[LogLine, ...] = ()
    dropped: int = 0  # older lines than the first one here that are not kept any more
