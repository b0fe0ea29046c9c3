"""Parses lists and contents of resources, templates, prompts and completions.

An invalid list entry causes a warning and does not affect the others; every text is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from workbench import tokens
from workbench.records import (
    Completion,
    Content,
    JsonObject,
    Outcome,
    Prompt,
    PromptAnswer,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
)
from workbench.records.resources_and_prompts import variables
from workbench.servers import call_results

_ADDRESS = 8_192  # characters of a URI; a longer one is invalid
_NAME = 512
_WORDS = 4_000  # characters stored of a description
_ARGUMENTS = 200  # arguments of one prompt
_WARNINGS = 20  # warnings about one list; the others are counted
Entry = TypeVar("Entry")


class ParsedList(Struct, Generic[Entry], frozen=True):
    """The usable entries of a list, and warnings about the others."""

    entries: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()


def resources(server: str, listed: Iterable[object]) -> ParsedList[Resource]:
    """Parse the resources with a valid URI; a duplicate URI counts once."""

    def make(raw: Mapping[str, Any]) -> Resource:  # Any: untrusted JSON
        size = raw.get("size")
        return Resource(
            server,
            raw["uri"],
            _name(raw, "uri"),
            *_title_and_description(raw),
            _text(raw.get("mimeType"), _NAME),
            size if isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 1 << 62 else -1,
        )

    return _read("Resource", "uri", _ADDRESS, listed, make)


def templates(server: str, listed: Iterable[object]) -> ParsedList[ResourceTemplate]:
    def make(raw: Mapping[str, Any]) -> ResourceTemplate:  # Any: untrusted JSON
        address = raw["uriTemplate"]
        mime = _text(raw.get("mimeType"), _NAME)
        return ResourceTemplate(
            server, address, _name(raw, "uriTemplate"), *_title_and_description(raw), mime, variables(address)
        )

    return _read("Template", "uriTemplate", _ADDRESS, listed, make)


def prompts(server: str, listed: Iterable[object]) -> ParsedList[Prompt]:
    def make(raw: Mapping[str, Any]) -> Prompt:  # Any: untrusted JSON
        return Prompt(server, raw["name"], *_title_and_description(raw), _arguments(raw.get("arguments")))

    return _read("Prompt", "name", _NAME, listed, make)


def _read(
    what: str,
    key: str,
    longest: int,
    listed: Iterable[object],
    make: Callable[[Mapping[str, Any]], Entry],  # Any: untrusted JSON
) -> ParsedList[Entry]:
    found: dict[str, Entry] = {}
    warnings: list[str] = []
    for position, raw in enumerate(listed, 1):
        fault = _unusable(raw, key, longest)
        if fault or not isinstance(raw, Mapping):
            warnings.append(f"{what} number {position} was left out: {fault}.")
        elif raw[key] in found:
            warnings.append(f"{what} {raw[key]:.80} is listed twice; the first entry is used.")
        else:
            found[raw[key]] = make(raw)
    more = len(warnings) - _WARNINGS
    if more > 0:
        warnings[_WARNINGS:] = [f"… and {more} more warnings."]
    return ParsedList(tuple(found.values()), tuple(warnings))


def _unusable(raw: object, key: str, longest: int) -> str:
    if not isinstance(raw, Mapping):
        return "it is not an object"
    value = raw.get(key)
    if not isinstance(value, str) or not value.strip():
        return f"it has no {key}"
    return f"its {key} is too long ({len(value)} characters)" if len(value) > longest else ""


def _arguments(listed: object) -> tuple[PromptArgument, ...]:
    found: dict[str, PromptArgument] = {}
    for raw in listed[:_ARGUMENTS] if isinstance(listed, list) else ():
        name = _text(raw.get("name"), _NAME) if isinstance(raw, Mapping) else ""
        if name and name not in found:
            found[name] = PromptArgument(name, *_title_and_description(raw), raw.get("required") is True)
    return tuple(found.values())


def _name(raw: Mapping[str, Any], key: str) -> str:  # Any: untrusted JSON
    return _text(raw.get("name"), _NAME) or raw[key][:_NAME]


def _title_and_description(raw: Mapping[str, Any]) -> tuple[str, str]:  # Any: untrusted JSON
    """Return title and description of an entry."""
    return _text(raw.get("title"), _NAME), _text(raw.get("description"), _WORDS)


def _text(value: object, longest: int) -> str:
    if not isinstance(value, str):
        return ""
    return value if len(value) <= longest else f"{value[:longest]}…"


_PARTS = 1_000  # contents or messages of one answer
_VALUES = 100  # suggestions of one completion, which is also the protocol's limit
_VALUE = 2_000  # characters of a suggestion; longer ones are dropped
_ROLE = 40
_SLICE = 100_000  # characters counted at a time, so that a thread releases the interpreter lock for the event loop


def resource(call_id: str, raw: JsonObject, ms: float) -> Outcome:
    """Convert the contents of a resource to an outcome."""
    contents = raw.get("contents")
    listed = contents if isinstance(contents, list) else [] if contents is None else [contents]
    content = tuple(_content(one) for one in listed[:_PARTS])
    if len(listed) > _PARTS:
        content = (*content, Content("text", f"… {len(listed) - _PARTS} more parts were left out."))
    size = sum(call_results.size_of(block.text) + call_results.size_of(block.data) for block in content)
    return Outcome(call_id, True, content, ms=ms, bytes=size, tokens=_cost(content))


def prompt(name: str, raw: JsonObject, ms: float) -> PromptAnswer:
    """Convert a prompt with its arguments filled in."""
    found = raw.get("messages")
    listed = found if isinstance(found, list) else []
    messages = tuple(_message(one) for one in listed[:_PARTS])
    if len(listed) > _PARTS:
        note = Content("text", f"… {len(listed) - _PARTS} more messages were left out.")
        messages = (*messages, PromptMessage("", note))
    description = raw.get("description")
    text = json.dumps(call_results.finite(raw), ensure_ascii=False)
    return PromptAnswer(
        name,
        description if isinstance(description, str) else "",
        messages,
        raw=text,
        ms=ms,
        bytes=call_results.size_of(text),
        tokens=_cost(tuple(message.content for message in messages)),
    )


def completion(raw: JsonObject) -> Completion:
    found = raw.get("completion")
    found = found if isinstance(found, Mapping) else {}
    values = found.get("values")
    texts = [one for one in values if isinstance(one, str) and len(one) <= _VALUE] if isinstance(values, list) else []
    total = found.get("total")
    number = total if isinstance(total, int) and not isinstance(total, bool) and 0 < total < 1 << 62 else 0
    return Completion(tuple(dict.fromkeys(texts))[:_VALUES], number, found.get("hasMore") is True)


def _content(raw: object) -> Content:
    """Convert one content block. Images and audio keep their MIME type, so that they can be shown."""
    if not isinstance(raw, Mapping):
        return Content("text", raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
    words = {key: raw[key] if isinstance(raw.get(key), str) else "" for key in ("uri", "mimeType", "text", "blob")}
    kind = words["mimeType"].split("/")[0].lower()
    if words["blob"]:
        kind = kind if kind in ("image", "audio") else "resource"
        return Content(kind, "", words["mimeType"], words["blob"], words["uri"])
    if isinstance(raw.get("text"), str):
        return Content("text", words["text"], words["mimeType"], uri=words["uri"])
    return Content("text", json.dumps(raw, ensure_ascii=False), uri=words["uri"])


def _message(raw: object) -> PromptMessage:
    if not isinstance(raw, Mapping):
        return PromptMessage("", call_results.read_block(raw))
    role = raw.get("role")
    return PromptMessage(role[:_ROLE] if isinstance(role, str) else "", call_results.read_block(raw.get("content")))


def _cost(content: tuple[Content, ...]) -> int:
    """Count the model tokens of the texts; images are not counted."""
    texts = [block.text for block in content if block.text]
    return sum(tokens.count(text[at : at + _SLICE]) for text in texts for at in range(0, len(text), _SLICE))
