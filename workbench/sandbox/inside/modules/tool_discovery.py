"""Finds tools from inside the sandbox, at increasing levels of detail, so that programs print only what is needed.

print(search_tools("orders"))                              names
print(search_tools("orders", detail_level="full"))         with signatures
print(get_tool_definition("mcp__demo__list_orders"))
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any  # Any: answers are text or JSON

_line: Any = None


class SearchResult(list[Any]):
    """Result of a search: names, or dicts with name, server, description and import.

    At full detail the dicts also have signature and schemas. It prints as short text and may be awaited.
    """

    text = ""

    def __str__(self) -> str:
        return self.text

    def __await__(self) -> Generator[None, None, SearchResult]:
        yield from ()
        return self


class _Text(str):
    """Text that may also be awaited, because half of all programs await it."""

    def __await__(self) -> Generator[None, None, _Text]:
        yield from ()
        return self


class _Table(dict[str, Any]):
    def __await__(self) -> Generator[None, None, _Table]:
        yield from ()
        return self


class _Rows(list[Any]):
    def __await__(self) -> Generator[None, None, _Rows]:
        yield from ()
        return self


def search_tools(
    query: str = "",
    detail_level: str = "name",
    server: str | None = None,
    category: str | None = None,
    limit: int | None = None,
) -> Any:
    """Search tools by text, best match first. An empty query returns all tools.

    `detail_level` is name, description or full. Returns at most 20 results unless `limit` is set.
    """
    wish = {"query": query, "detail_level": detail_level, "server": server or "", "category": category or ""}
    most = limit if limit is not None else 20 if query else 500
    return _kind(_line.ask_now("search", **wish, limit=int(most)))


def get_tool_definition(name: str, category: str | None = None) -> Any:
    """The definition of one tool by its server: description and schemas.

    `category`: its server or the server's category.
    """
    return _kind(_line.ask_now("definition", name=name, category=category or ""))


class ToolDiscovery:
    """The functions of this module as an object, for programs that expect one."""

    search_tools = staticmethod(search_tools)
    get_tool_definition = staticmethod(get_tool_definition)


def _kind(answer: Any) -> Any:
    if isinstance(answer, str):
        return _Text(answer)
    if isinstance(answer, dict) and answer.keys() == {"text", "records"}:
        found = SearchResult(answer["records"])
        found.text = answer["text"]
        return found
    if isinstance(answer, dict):
        return _Table(answer)
    return _Rows(answer) if isinstance(answer, list) else answer
