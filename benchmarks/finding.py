"""Measures how fast the core answers the window's search box: `python benchmarks/finding.py [TOOLS] [RESOURCES]`.

Tools and resources are made up. The words are typed letter by letter, so most queries end in an incomplete word.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from search import entries_of, made_up

from workbench.records import Resource, ServerConfig, ServerState
from workbench.search.search_all import SearchAll
from workbench.search.search_index import SearchIndex
from workbench.search.search_learning import SearchLearning
from workbench.search.semantic.sentence_embeddings import SentenceModelSource
from workbench.servers.server import McpServer

QUESTIONS = ("who are my customers", "archive the shipment", "budget forecast", "invoice_12", "restaurants near me")


async def main(tools: int, resources: int) -> None:
    entries = entries_of(made_up(tools))
    folder = Path(tempfile.mkdtemp())
    # The vectors that are shipped with the workbench.
    source = SentenceModelSource(folder, folder / "rows", lambda: False)
    finder = SearchIndex(lambda: entries, SearchLearning(folder / "lessons"), source, _nobody)
    servers = [_server(resources)]
    everywhere = SearchAll(finder, lambda: servers)
    began = time.perf_counter()
    await everywhere.find("", (), 60)
    print(f"{tools:,} tools, {resources:,} resources; first answer after {time.perf_counter() - began:.2f} s")
    while not (await finder.ready())[1]:  # noqa: ASYNC110  # nobody tells when meaning has been read
        await asyncio.sleep(0.2)
    began = time.perf_counter()
    await everywhere.find("customer", (), 60)
    print(f"the index beside it, once it knows what is meant: {time.perf_counter() - began:.2f} s")
    times = [await _timed(everywhere, words[:end]) for words in QUESTIONS for end in range(1, len(words) + 1)]
    ordered = sorted(times)
    middle, late = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    print(
        f"{len(times)} questions, letter by letter: p50 {middle:.1f} ms, p95 {late:.1f} ms, most {ordered[-1]:.1f} ms"
    )
    await finder.close()


async def _timed(everywhere: SearchAll, words: str) -> float:
    began = time.perf_counter()
    await everywhere.find(words, (), 60)
    return (time.perf_counter() - began) * 1000


async def _nobody() -> None:
    """Called after indexing; does nothing."""


def _server(resources: int) -> McpServer:
    listed = tuple(
        Resource("files", f"file:///made/up/{at}.md", f"{at}.md", tool.name.replace("_", " "), tool.description)
        for at, tool in enumerate(made_up(resources))
    )
    offering = SimpleNamespace(resources=listed, templates=(), prompts=())
    made: Any = SimpleNamespace(name="files", offering=offering, state=ServerState(ServerConfig("files")))
    return cast(McpServer, made)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:3]]
    asyncio.run(main(*given, *(10_000, 2_000)[len(given) :]))
