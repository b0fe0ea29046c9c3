"""Resources, URI templates, prompts and completions of servers, and server logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias
from urllib.parse import quote

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


LONGEST = 8_192  # characters of a template that is looked at

_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_VARIABLE = re.compile(r"([A-Za-z0-9_.%-]{1,200})(\*|:(\d{1,4}))?\Z")
_UNRESERVED = "-._~"
_RESERVED = ":/?#[]@!$&'()*+,;=" + _UNRESERVED
_ESCAPED = re.compile(r"(%[0-9A-Fa-f]{2})")
# Operator → (first character, separator, whether values are named, what follows the name of an empty value, characters
# that are not escaped).
_Operator: TypeAlias = tuple[str, str, bool, str, str]
_OPERATORS: dict[str, _Operator] = {
    "": ("", ",", False, "", _UNRESERVED),
    "+": ("", ",", False, "", _RESERVED),
    "#": ("#", ",", False, "", _RESERVED),
    ".": (".", ".", False, "", _UNRESERVED),
    "/": ("/", "/", False, "", _UNRESERVED),
    ";": (";", ";", True, "", _UNRESERVED),
    "?": ("?", "&", True, "=", _UNRESERVED),
    "&": ("&", "&", True, "=", _UNRESERVED),
}


def variables(template: str) -> tuple[str, ...]:
    """The names of the variables, each once, in the order of the template."""
    names: dict[str, None] = {}
    for match in _EXPRESSION.finditer(template[:LONGEST]):
        names.update(dict.fromkeys(name for name, _, _ in _parts(match[2])))
    return tuple(names)


def optional(template: str) -> frozenset[str]:
    """The variables of a query or fragment: a URI without them is still valid."""
    found = ((match[1], name) for match in _EXPRESSION.finditer(template[:LONGEST]) for name, _, _ in _parts(match[2]))
    return frozenset(name for operator, name in found if operator in ("?", "&", ";", "#"))


def expand(template: str, values: Mapping[str, str]) -> str:
    """The URI. A variable without a value is left out. The value of an exploded variable is split: of a path at
    slashes, of others at commas."""
    return _EXPRESSION.sub(lambda match: _expression(match, values), template)


def _expression(match: re.Match[str], values: Mapping[str, str]) -> str:
    operator, parts = _OPERATORS[match[1]], tuple(_parts(match[2]))
    first, separator = operator[:2]
    if not parts:
        return match[0]  # not a template's expression; the server may know what it means
    written = [piece for part in parts for piece in _written(operator, part, values)]
    return first + separator.join(written) if written else ""


def _written(operator: _Operator, part: tuple[str, bool, int], values: Mapping[str, str]) -> Iterator[str]:
    name, exploded, prefix = part
    first, _, named, empty, safe = operator
    value = values.get(name, "")
    if not value:
        return
    values_of_part = value.split("/" if first == "/" else ",") if exploded else [value[: prefix or None]]
    for part_value in values_of_part:
        text = _escaped(part_value, safe)
        if not named:
            yield text
        else:
            yield f"{name}={text}" if text else name + empty


def _escaped(text: str, safe: str) -> str:
    """Existing percent escapes are kept where reserved characters are allowed."""
    if safe != _RESERVED:
        return quote(text, safe=safe, errors="replace")
    pieces = _ESCAPED.split(text)
    return "".join(piece if at % 2 else quote(piece, safe=safe, errors="replace") for at, piece in enumerate(pieces))


def _parts(inner: str) -> Iterator[tuple[str, bool, int]]:
    """Each variable as (name, exploded, prefix length or 0); an invalid expression has no parts."""
    found = [_VARIABLE.match(word) for word in inner.split(",")]
    for match in found if all(found) else ():
        if match is not None:
            yield match[1], match[2] == "*", int(match[3] or 0)
