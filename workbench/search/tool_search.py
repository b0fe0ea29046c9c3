"""Search results for agents at three levels of detail: names, names with one line each, or signatures.

The text is exactly what an agent receives, so every character costs model tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from workbench import tokens
from workbench.identifiers import package_name
from workbench.records import Depth, SearchAnswer, Tool, ToolSummary
from workbench.search.bm25_ranking import Bm25Ranking, SearchedTool
from workbench.search.embedding_index import EmbeddingModel
from workbench.wrappers.compact_signatures import signature

_LINE = 80  # maximum number of characters of a tool's first sentence
_LONGEST_QUERY = 1_000
_COMPANIONS = 5  # maximum number of tools listed as used together with the results
_SERVERS = 20  # maximum number of servers listed if the requested one does not exist
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_MORE = {
    Depth.NAME: 'ask for detail "description" or "full"',
    Depth.DESCRIPTION: 'ask for detail "full" for signatures',
    Depth.FULL: "",
}


class ToolSearch:
    """Index over one state of the catalogue. It is built once, by the first question or earlier."""

    def __init__(
        self, known: Iterable[SearchedTool], companions: Callable[[str, str], Sequence[tuple[str, str]]] = lambda *_: ()
    ) -> None:
        """`companions` returns the tools that often ran in one program with a tool."""
        self.entries = list(known)
        self._companions = companions
        self._ranking: Bm25Ranking[SearchedTool] | None = None
        self.reader: EmbeddingModel | None = None  # embedding model; None while the search is only lexical
        self._packages = {package_name(server): server for server in {entry.tool.server for entry in self.entries}}
        self._definition_tokens = sum(entry.tool.definition_tokens for entry in self.entries)

    @property
    def ranking(self) -> Bm25Ranking[SearchedTool]:
        self.prepare()
        assert self._ranking is not None
        return self._ranking

    def prepare(self) -> None:
        """Build the index. A long list takes a second, so this may be done on a thread in advance."""
        if self._ranking is None:
            self._ranking = Bm25Ranking(self.entries)

    def deepen(self, reader: EmbeddingModel) -> None:
        """Add semantic similarity, effective from the next question. Takes a while, so call it on a thread."""
        self.ranking.deepen(reader)
        self.reader = reader

    def answer(self, query: str, depth: Depth, limit: int = 20, server: str = "", category: str = "") -> SearchAnswer:
        """Answer a search. An unknown category is added to the words of the question."""
        wanted = category.strip().lower()
        known = wanted in {entry.category.lower() for entry in self.entries} if wanted else True
        asked = (query if known else f"{query} {wanted}").strip()[:_LONGEST_QUERY]
        shown, total = self._find(asked, max(1, limit), _filter(self._server(server), wanted if known else ""))
        header = self._unknown(server) or self._header(asked, depth, len(shown), total)
        lines = [header, *_body(shown, depth)]
        text = "\n".join(lines + (self._together(shown) if depth is Depth.FULL else []))
        return SearchAnswer(
            text=text,
            matches=tuple(summary(entry.tool, entry.function) for entry in shown),
            total=total,
            tokens=tokens.count(text),
            definition_tokens=self._definition_tokens,
            reader="" if self.reader is None else self.reader.name,
        )

    def _find(
        self, query: str, limit: int, among: Callable[[SearchedTool], bool] | None
    ) -> tuple[list[SearchedTool], int]:
        if not query:
            listed = [entry for entry in self.entries if among is None or among(entry)]
            return listed[:limit], len(listed)
        positions, total = self.ranking.rank(query, limit, among)
        return [self.entries[position] for position in positions], total

    def _together(self, shown: Sequence[SearchedTool]) -> list[str]:
        """Return the tools that often ran together with the results, except the results themselves."""
        here = {(entry.tool.server, entry.tool.name) for entry in shown}
        by_name = {(entry.tool.server, entry.tool.name): entry for entry in self.entries}
        often = dict.fromkeys(name for one in here for name in self._companions(*one))
        lines = [import_line(name[0], by_name[name].function) for name in often if name not in here and name in by_name]
        return ["\nOften used in the same programs:", *lines[:_COMPANIONS]] if lines else []

    def _server(self, name: str) -> str:
        """Return the name of a server, given its name or the name of its package."""
        if name in self._packages.values():
            return name
        return self._packages.get(name, name)

    def _unknown(self, server: str) -> str:
        """Return an explanation if a server has no tools here; "" if it has."""
        names = dict.fromkeys(entry.tool.server for entry in self.entries)
        if not server or self._server(server) in names:
            return ""
        more = f" and {len(names) - _SERVERS} more" if len(names) > _SERVERS else ""
        known = f"There are: {', '.join(list(names)[:_SERVERS])}{more}." if names else "No server's tools are known."
        return f"0 of {len(self.entries)} tools: {server[:80]!r} is not a server with tools. {known}"

    def _header(self, query: str, depth: Depth, shown: int, total: int) -> str:
        about = f" matching {query[:100]!r}" if query else ""
        if not total:
            return f"0 of {len(self.entries)} tools{about}. Try other words, or no query for the list."
        hints = [f"raise limit for the other {total - shown}"] if shown < total else []
        hints += [_MORE[depth]] if _MORE[depth] else []
        return f"{shown} of {total} tools{about}" + (f" ({'; '.join(hints)})" if hints else "")


def _filter(server: str, category: str) -> Callable[[SearchedTool], bool] | None:
    if not server and not category:
        return None
    return lambda one: (not server or one.tool.server == server) and (not category or one.category.lower() == category)


def summary(tool: Tool, function: str) -> ToolSummary:
    """Return a tool as a row of a list."""
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
    """Return the first sentence, at most 80 characters, cut at a word."""
    flat = " ".join(text[:2_000].split())
    sentence = _SENTENCE.split(flat, maxsplit=1)[0]
    if len(sentence) <= _LINE:
        return sentence
    return f"{sentence[: _LINE - 1].rsplit(' ', 1)[0][: _LINE - 1]}…"


def _body(entries: Sequence[SearchedTool], depth: Depth) -> list[str]:
    groups: dict[str, list[SearchedTool]] = {}
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


def _described(entry: SearchedTool) -> str:
    line = import_line(entry.tool.server, entry.function)
    told = first_sentence(entry.tool.description or entry.tool.title)
    return f"{line}  # {told}" if told else line
