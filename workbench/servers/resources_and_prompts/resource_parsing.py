"""Parses lists of resources, templates and prompts. An invalid entry costs a warning and does not affect the others;
every text is bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from workbench.records import Prompt, PromptArgument, Resource, ResourceTemplate
from workbench.uri_template import variables

_ADDRESS = 8_192  # characters of an address; a longer one is none
_NAME = 512
_WORDS = 4_000  # characters kept of a description
_ARGUMENTS = 200  # of one prompt
_WARNINGS = 20  # sentences about one list; the rest is counted
Entry = TypeVar("Entry")


class ParsedList(Struct, Generic[Entry], frozen=True):
    """The usable entries, and what was wrong with the others."""

    entries: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()


def resources(server: str, listed: Iterable[object]) -> ParsedList[Resource]:
    """All that have an address; one that comes twice counts once."""

    def make(raw: Mapping[str, Any]) -> Resource:  # Any: foreign JSON
        size = raw.get("size")
        return Resource(
            server,
            raw["uri"],
            _name(raw, "uri"),
            *_told(raw),
            _text(raw.get("mimeType"), _NAME),
            size if isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 1 << 62 else -1,
        )

    return _read("Resource", "uri", _ADDRESS, listed, make)


def templates(server: str, listed: Iterable[object]) -> ParsedList[ResourceTemplate]:
    def make(raw: Mapping[str, Any]) -> ResourceTemplate:  # Any: foreign JSON
        address = raw["uriTemplate"]
        mime = _text(raw.get("mimeType"), _NAME)
        return ResourceTemplate(server, address, _name(raw, "uriTemplate"), *_told(raw), mime, variables(address))

    return _read("Template", "uriTemplate", _ADDRESS, listed, make)


def prompts(server: str, listed: Iterable[object]) -> ParsedList[Prompt]:
    def make(raw: Mapping[str, Any]) -> Prompt:  # Any: foreign JSON
        return Prompt(server, raw["name"], *_told(raw), _arguments(raw.get("arguments")))

    return _read("Prompt", "name", _NAME, listed, make)


def _read(
    what: str,
    key: str,
    longest: int,
    listed: Iterable[object],
    make: Callable[[Mapping[str, Any]], Entry],  # Any: foreign JSON
) -> ParsedList[Entry]:
    found: dict[str, Entry] = {}
    warnings: list[str] = []
    for position, raw in enumerate(listed, 1):
        fault = _unusable(raw, key, longest)
        if fault or not isinstance(raw, Mapping):
            warnings.append(f"{what} number {position} was left out: {fault}.")
        elif raw[key] in found:
            warnings.append(f"{what} {raw[key]:.80} is listed twice; the first one counts.")
        else:
            found[raw[key]] = make(raw)
    more = len(warnings) - _WARNINGS
    if more > 0:
        warnings[_WARNINGS:] = [f"… and {more} more such entries."]
    return ParsedList(tuple(found.values()), tuple(warnings))


def _unusable(raw: object, key: str, longest: int) -> str:
    if not isinstance(raw, Mapping):
        return "it is not an object"
    value = raw.get(key)
    if not isinstance(value, str) or not value.strip():
        return f"it has no {key}"
    return f"its {key} has {len(value)} characters" if len(value) > longest else ""


def _arguments(listed: object) -> tuple[PromptArgument, ...]:
    found: dict[str, PromptArgument] = {}
    for raw in listed[:_ARGUMENTS] if isinstance(listed, list) else ():
        name = _text(raw.get("name"), _NAME) if isinstance(raw, Mapping) else ""
        if name and name not in found:
            found[name] = PromptArgument(name, *_told(raw), raw.get("required") is True)
    return tuple(found.values())


def _name(raw: Mapping[str, Any], key: str) -> str:  # Any: foreign JSON
    return _text(raw.get("name"), _NAME) or raw[key][:_NAME]


def _told(raw: Mapping[str, Any]) -> tuple[str, str]:  # Any: foreign JSON
    """Title and description."""
    return _text(raw.get("title"), _NAME), _text(raw.get("description"), _WORDS)


def _text(value: object, longest: int) -> str:
    if not isinstance(value, str):
        return ""
    return value if len(value) <= longest else f"{value[:longest]}…"
