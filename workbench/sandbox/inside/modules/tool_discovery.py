"""Finds tools from inside the sandbox, little by little, so that only what is needed is read.

print(search_tools("orders"))                              names
print(search_tools("orders", detail_level="full"))         with the call's signature
print(get_tool_definition("mcp__demo__list_orders"))
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any  # Any: what the workbench answers is text or JSON

_line: Any = None


class Found(list[Any]):
    """What a search found: names, or dicts with name, server, description and import, at full detail also with
    signature and schemas. It prints as a short text, and may be awaited."""

    text = ""

    def __str__(self) -> str:
        return self.text

    def __await__(self) -> Generator[None, None, Found]:
        yield from ()
        return self


class _Text(str):
    """Text that may also be awaited, because half of all programs do."""

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
    """Tools that fit the words, best first: 20 unless `limit` says otherwise. detail_level: name, description or full.
    Without a query: all of them."""
    wish = {"query": query, "detail_level": detail_level, "server": server or "", "category": category or ""}
    most = limit if limit is not None else 20 if query else 500
    return _kind(_line.ask_now("search", **wish, limit=int(most)))


def get_tool_definition(name: str, category: str | None = None) -> Any:
    """Everything the server says of one tool: description and schemas. `category`: its server, or that one's kind."""
    return _kind(_line.ask_now("definition", name=name, category=category or ""))


class ToolDiscovery:
    """The same as an object, for programs that were written that way."""

    search_tools = staticmethod(search_tools)
    get_tool_definition = staticmethod(get_tool_definition)


def _kind(answer: Any) -> Any:
    if isinstance(answer, str):
        return _Text(answer)
    if isinstance(answer, dict) and answer.keys() == {"text", "records"}:
        found = Found(answer["records"])
        found.text = answer["text"]
        return found
    if isinstance(answer, dict):
        return _Table(answer)
    return _Rows(answer) if isinstance(answer, list) else answer
