"""The three steps of progressive disclosure as text: names, names with a line each, signatures. Exactly what an agent
receives, so every character is worth its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench import tokens
from workbench.catalog.ranking import Entry, Ranking
from workbench.records import Depth, SearchAnswer, Tool, ToolSummary
from workbench.wrappers.lean import signature
from workbench.wrappers.names import package_name

_LINE = 80  # characters of a tool's first sentence
_LONGEST_QUERY = 1_000
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_MORE = {
    Depth.NAME: 'ask for detail "description" or "full"',
    Depth.DESCRIPTION: 'ask for detail "full" for signatures',
    Depth.FULL: "",
}


class Search:
    """One state of the catalogue, ready to be asked. The index is built once, at the first question or before."""

    def __init__(self, known: Iterable[tuple[Tool, str, str]]) -> None:
        self._entries = [Entry(tool, function, about) for tool, function, about in known]
        self._ranking: Ranking | None = None
        self._packages = {package_name(server): server for server in {entry.tool.server for entry in self._entries}}
        self._definition_tokens = sum(entry.tool.definition_tokens for entry in self._entries)

    def prepare(self) -> None:
        """Build the index; a long list takes a second, so somebody may do it on a thread beforehand."""
        if self._ranking is None:
            self._ranking = Ranking(self._entries)

    def answer(self, query: str, depth: Depth, limit: int = 20, server: str = "") -> SearchAnswer:
        asked = query.strip()[:_LONGEST_QUERY]
        shown, total = self._find(asked, max(1, limit), self._server(server))
        text = "\n".join((self._header(asked, depth, len(shown), total), *_body(shown, depth)))
        return SearchAnswer(
            text=text,
            matches=tuple(summary(entry.tool, entry.function) for entry in shown),
            total=total,
            tokens=tokens.count(text),
            definition_tokens=self._definition_tokens,
        )

    def _find(self, query: str, limit: int, server: str) -> tuple[list[Entry], int]:
        if not query:
            listed = [entry for entry in self._entries if not server or entry.tool.server == server]
            return listed[:limit], len(listed)
        self.prepare()
        assert self._ranking is not None
        positions, total = self._ranking.rank(query, limit, server)
        return [self._entries[position] for position in positions], total

    def _server(self, name: str) -> str:
        """A server by its own name or by that of its package."""
        if name in self._packages.values():
            return name
        return self._packages.get(name, name)

    def _header(self, query: str, depth: Depth, shown: int, total: int) -> str:
        about = f" matching {query[:100]!r}" if query else ""
        if not total:
            return f"0 of {len(self._entries)} tools{about}. Try other words, or no query for the list."
        hints = [f"raise limit for the other {total - shown}"] if shown < total else []
        hints += [_MORE[depth]] if _MORE[depth] else []
        return f"{shown} of {total} tools{about}" + (f" ({'; '.join(hints)})" if hints else "")


def summary(tool: Tool, function: str) -> ToolSummary:
    """A tool as lists show it."""
    return ToolSummary(
        server=tool.server,
        name=tool.name,
        title=tool.title,
        summary=first_sentence(tool.description),
        hints=tool.hints,
        import_line=import_line(tool.server, function),
        definition_tokens=tool.definition_tokens,
    )


def import_line(server: str, function: str) -> str:
    return f"from servers.{package_name(server)} import {function}"


def first_sentence(text: str) -> str:
    """At most 80 characters, cut at a word."""
    flat = " ".join(text[:2_000].split())
    sentence = _SENTENCE.split(flat, maxsplit=1)[0]
    if len(sentence) <= _LINE:
        return sentence
    return f"{sentence[: _LINE - 1].rsplit(' ', 1)[0][: _LINE - 1]}…"


def _body(entries: Sequence[Entry], depth: Depth) -> list[str]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:  # in order of rank: the server with the best match comes first
        groups.setdefault(entry.tool.server, []).append(entry)
    if depth is Depth.NAME:
        return [f"{server}: {', '.join(one.function for one in group)}" for server, group in groups.items()]
    if depth is Depth.DESCRIPTION:
        return [_described(entry) for entry in entries]
    lines = []
    for group in groups.values():
        names = ", ".join(entry.function for entry in group)
        lines.append(f"\n{import_line(group[0].tool.server, names)}")
        lines.extend(signature(entry.tool, entry.function) for entry in group)
    return lines


def _described(entry: Entry) -> str:
    line = import_line(entry.tool.server, entry.function)
    told = first_sentence(entry.tool.description or entry.tool.title)
    return f"{line}  # {told}" if told else line
