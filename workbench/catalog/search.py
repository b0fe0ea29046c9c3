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
    """One state of the catalogue, ready to be asked. The index is built at the first question."""

    def __init__(self, known: Iterable[tuple[Tool, str, str]]) -> None:
        self._entries = [Entry(tool, function, about) for tool, function, about in known]
        self._ranking: Ranking | None = None
        self._definition_tokens = sum(entry.tool.definition_tokens for entry in self._entries)

    def answer(self, query: str, depth: Depth, limit: int = 20, server: str = "") -> SearchAnswer:
        asked = query.strip()[:_LONGEST_QUERY]
        found = [entry for entry in self._find(asked) if not server or _is(entry.tool.server, server)]
        shown = found[: max(1, limit)]
        text = "\n".join((self._header(asked, depth, len(shown), len(found)), *_body(shown, depth)))
        return SearchAnswer(
            text=text,
            matches=tuple(summary(entry.tool, entry.function) for entry in shown),
            total=len(found),
            tokens=tokens.count(text),
            definition_tokens=self._definition_tokens,
        )

    def _find(self, query: str) -> list[Entry]:
        if not query:
            return self._entries
        if self._ranking is None:
            self._ranking = Ranking(self._entries)
        return [self._entries[position] for position in self._ranking.rank(query)]

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


def _is(server: str, wanted: str) -> bool:
    return wanted in (server, package_name(server))
