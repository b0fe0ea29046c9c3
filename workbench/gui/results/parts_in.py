"""Finds the parts of tools' answers in what a program returned: pictures and sounds, whatever holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.records import Content, JsonValue

_MOST = 60  # parts
_DEEPEST = 8  # levels of lists and objects


def parts_in(value: JsonValue) -> tuple[Content, ...]:
    """All parts where the value is a list of nothing else; else its pictures and sounds."""
    if isinstance(value, list) and value and all(_is_part(item) for item in value):
        return tuple(_part(item) for item in value[:_MOST])
    return tuple(part for part, _ in zip(_media(value, _DEEPEST), range(_MOST), strict=False))


def _media(value: JsonValue, deepest: int) -> Iterator[Content]:
    if isinstance(value, Mapping) and value.get("type") in ("image", "audio") and _is_part(value):
        yield _part(value)
    elif deepest and isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _media(item, deepest - 1)


def _is_part(value: JsonValue) -> bool:
    """As the protocol writes them."""
    if not isinstance(value, Mapping):
        return False
    match value.get("type"):
        case "text":
            return isinstance(value.get("text"), str)
        case "image" | "audio":
            return isinstance(value.get("data"), str) and isinstance(value.get("mimeType"), str)
        case "resource_link":
            return isinstance(value.get("uri"), str)
        case "resource":
            return isinstance(value.get("resource"), Mapping)
    return False


def _part(value: Mapping[str, JsonValue]) -> Content:
    inner = value["resource"] if value["type"] == "resource" else value
    words = {key: found if isinstance(found := inner.get(key), str) else "" for key in _KEYS}
    kind = "link" if value["type"] == "resource_link" else str(value["type"])
    text = words["text"] or ((words["title"] or words["name"]) if kind == "link" else "")
    return Content(kind, text, words["mimeType"], words["data"] or words["blob"], words["uri"])


_KEYS = ("text", "title", "name", "mimeType", "data", "blob", "uri")
