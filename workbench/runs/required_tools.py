"""Which tools a skill calls, and which of them nobody offers now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.records import Tool, Verdict
from workbench.similar_names import similar_names


def needed(verdict: Verdict | None) -> tuple[str, ...]:
    """As "server.tool": those its text names, whether they are there or not."""
    if verdict is None:
        return ()
    found = {f"{use.server}.{use.tool}" for use in verdict.tools}
    return tuple(sorted(found | {one.subject for one in verdict.findings if one.rule == "tool.unknown"}))


def missing(wanted: Iterable[str], tools: Sequence[Tool]) -> tuple[str, ...]:
    """Of these the ones that are not in the catalogue, each with what is most like it."""
    there = {f"{tool.server}.{tool.name}" for tool in tools}
    servers = sorted({tool.server for tool in tools})
    return tuple(_told(name, there, servers) for name in wanted if name not in there)


def _told(name: str, there: set[str], servers: Sequence[str]) -> str:
    server, _, tool = name.partition(".")
    own = [one.partition(".")[2] for one in there if one.startswith(f"{server}.")]
    if own:
        near = similar_names(tool, own, 2)
        return f"{name}: {server} has no such tool{f', but {_or(near)}' if near else ''}"
    near = similar_names(server, servers, 2)
    return f"{name}: there is no server {server}{f', but {_or(near)}' if near else ''}"


def _or(names: Sequence[str]) -> str:
    return " or ".join(names)
