"""Resources, resource templates, prompts and completions that servers offer, and server logs."""

from __future__ import annotations

from msgspec import Struct

from workbench.records.calls import Content
from workbench.records.common_types import Fault


class Resource(Struct, frozen=True):
    """Something a server lets read, under its address."""

    server: str
    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""
    size: int = -1  # bytes, as the server claims; -1: it says nothing


class ResourceTemplate(Struct, frozen=True):
    """An address with blanks (RFC 6570), for more resources than can be listed."""

    server: str
    template: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""
    variables: tuple[str, ...] = ()


class PromptArgument(Struct, frozen=True):
    """A blank of a prompt."""

    name: str
    title: str = ""
    description: str = ""
    required: bool = False


class Prompt(Struct, frozen=True):
    """Words for a model that a server keeps ready."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class Offers(Struct, frozen=True):
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


class PromptMessage(Struct, frozen=True):
    """One message of a filled prompt."""

    role: str  # user, assistant; foreign words stay as they are
    content: Content


class PromptAnswer(Struct, frozen=True):
    """A prompt with its blanks filled, or why it could not be."""

    name: str
    description: str = ""
    messages: tuple[PromptMessage, ...] = ()
    fault: Fault | None = None
    raw: str = ""  # JSON text, as the server sent it
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0


class Completion(Struct, frozen=True):
    """What a server would put in for an argument."""

    values: tuple[str, ...] = ()
    total: int = 0  # how many there are; 0: it did not say
    more: bool = False


class LogLine(Struct, frozen=True):
    """One message of a server's log."""

    number: int  # grows by one with each message, also with those that were dropped
    at: float
    level: str  # debug … emergency; foreign words stay as they are
    logger: str
    text: str  # a text as it is, other values as JSON; shortened past a limit


class ServerLog(Struct, frozen=True):
    """The end of a server's log."""

    lines: tuple[LogLine, ...] = ()
    dropped: int = 0  # older lines than the first one here that are not kept any more
