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
    """A resource of a server."""

    server: str
    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""
    size: int = -1  # bytes, as the server claims; -1: unknown


class ResourceTemplate(Struct, frozen=True):
    """A URI template (RFC 6570) for resources that the server does not list."""

    server: str
    template: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""
    variables: tuple[str, ...] = ()


class PromptArgument(Struct, frozen=True):
    """An argument of a prompt."""

    name: str
    title: str = ""
    description: str = ""
    required: bool = False


class Prompt(Struct, frozen=True):
    """A prompt of a server."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class Offers(Struct, frozen=True):
    """Everything a server offers besides tools. Resources are fetched in pages, because there may be very many."""

    server: str
    known: bool = False  # the lists were read since the core started
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    resource_count: int = 0
    subscriptions: tuple[str, ...] = ()  # URIs whose changes the server reports
    subscribable: bool = False  # the server supports subscriptions
    completes: bool = False  # the server supports argument completion
    logs: bool = False  # the server supports log levels
    log_level: str = ""  # as last requested; empty: the server's default
    warnings: tuple[str, ...] = ()  # entries that were left out, with the reason


class PromptMessage(Struct, frozen=True):
    """One message of a filled prompt."""

    role: str  # user, assistant; unknown roles stay unchanged
    content: Content


class PromptAnswer(Struct, frozen=True):
    """A prompt filled with its arguments, or the reason why that failed."""

    name: str
    description: str = ""
    messages: tuple[PromptMessage, ...] = ()
    fault: Fault | None = None
    raw: str = ""  # JSON text, as the server sent it
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0


class Completion(Struct, frozen=True):
    """A server's completions for an argument."""

    values: tuple[str, ...] = ()
    total: int = 0  # number of completions; 0: the server did not say
    more: bool = False


class LogLine(Struct, frozen=True):
    """One message of a server's log."""

    number: int  # increases by one with each message, including dropped ones
    at: float
    level: str  # debug … emergency; unknown levels stay unchanged
    logger: str
    text: str  # text, or other values as JSON; shortened at a limit


class ServerLog(Struct, frozen=True):
    """The last lines of a server's log."""

    lines: tuple[LogLine, ...] = ()
    dropped: int = 0  # number of older lines that are no longer stored


LONGEST = 8_192  # maximum characters of a template that are parsed

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
    """The names of the variables, without duplicates, in the order of the template."""
    names: dict[str, None] = {}
    for match in _EXPRESSION.finditer(template[:LONGEST]):
        names.update(dict.fromkeys(name for name, _, _ in _parts(match[2])))
    return tuple(names)


def optional(template: str) -> frozenset[str]:
    """The variables of a query or fragment. A URI without them is still valid."""
    found = ((match[1], name) for match in _EXPRESSION.finditer(template[:LONGEST]) for name, _, _ in _parts(match[2]))
    return frozenset(name for operator, name in found if operator in ("?", "&", ";", "#"))


def expand(template: str, values: Mapping[str, str]) -> str:
    """Expand the template to a URI.

    A variable without a value is left out. The value of an exploded variable is split: in a path at slashes, otherwise
    at commas.
    """
    return _EXPRESSION.sub(lambda match: _expression(match, values), template)


def _expression(match: re.Match[str], values: Mapping[str, str]) -> str:
    operator, parts = _OPERATORS[match[1]], tuple(_parts(match[2]))
    first, separator = operator[:2]
    if not parts:
        return match[0]  # not a template expression; the server may interpret it
    written = [piece for part in parts for piece in _expand_part(operator, part, values)]
    return first + separator.join(written) if written else ""


def _expand_part(operator: _Operator, part: tuple[str, bool, int], values: Mapping[str, str]) -> Iterator[str]:
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
    """Percent-encode a text. Existing percent escapes are kept where reserved characters are allowed."""
    if safe != _RESERVED:
        return quote(text, safe=safe, errors="replace")
    pieces = _ESCAPED.split(text)
    return "".join(piece if at % 2 else quote(piece, safe=safe, errors="replace") for at, piece in enumerate(pieces))


def _parts(inner: str) -> Iterator[tuple[str, bool, int]]:
    """Each variable of an expression as (name, exploded, prefix length or 0). An invalid expression has none."""
    found = [_VARIABLE.match(word) for word in inner.split(",")]
    for match in found if all(found) else ():
        if match is not None:
            yield match[1], match[2] == "*", int(match[3] or 0)
