"""Measures the model tokens of code mode, compared with loading every definition and calling tools one by one.

    python benchmarks/tokens.py [FOLDER]

First the programs of `docs/examples` are run against the demo server. If FOLDER contains recorded tool lists as JSON
files, the second part counts the steps to one tool in a catalogue of all of them: search, read, call. Every text is
counted as it would be sent. The counter is o200k if rs-bpe is installed (`pip install rs-bpe`), and otherwise the
built-in estimator.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from examples import a_project, run_all
from wrappers import recorded

from workbench import tokens
from workbench.agent.tool_definitions import INSTRUCTIONS, TOOLS
from workbench.demo.server import _TOOLS as DEMO  # the definitions as the server sends them
from workbench.identifiers import python_names
from workbench.records import Depth, Tool
from workbench.search.bm25_ranking import SearchedTool
from workbench.search.tool_search import ToolSearch, first_sentence
from workbench.servers.tool_definitions.definition_parsing import read
from workbench.wrappers.python_source import call_source

PAPER = {  # scenario → the matching example, and the saving that the paper claims
    "simple tool call": ("one_call", "97.6%"),
    "data filtering": ("filter_orders", "98.1%"),
    "multi-step workflow": ("issue_from_a_talk", "97.5%"),
    "polling loop": ("wait_for_a_message", "99.1%"),
}
SAMPLE = 200  # number of sampled tools of the corpus
Count = Callable[[str], int]


def main(folder: Path | None) -> None:
    count, counter = _counter()
    entry = count(INSTRUCTIONS) + sum(count(_definition(tool.name, tool.description, tool.schema)) for tool in TOOLS)
    print(f"Counted with {counter}. The workbench's own tools cost {entry:,} tokens, once a conversation.\n")
    costs = _examples(count, entry)
    if folder:
        tools = recorded(folder)
        _scenarios(costs, tools, count)
        _corpus(tools, count, entry)


def _counter() -> tuple[Count, str]:
    """The counter, which is also set for the package so that all texts are counted alike."""
    return tokens.count, tokens.EXACT if tokens.take_vocabulary() else "the built-in estimator (≈ o200k)"


def _definition(name: str, description: str, schema: object) -> str:
    return json.dumps({"name": name, "description": description, "inputSchema": schema})


def _examples(count: Count, entry: int) -> dict[str, tuple[int, int]]:
    """Tokens of each example's direct calls, and of its code.

    Direct: all definitions, each call's arguments and its answer. Code: our tools, one search, program, answer.
    """
    costs: dict[str, tuple[int, int]] = {}
    definitions = 2 * sum(count(json.dumps(tool.definition())) for tool in DEMO.values())
    searchable = _search(read("demo", [tool.definition() for tool in DEMO.values()]).tools)
    folder, paths = a_project()
    with folder:
        told = asyncio.run(run_all(paths))
    print(f"{'example':<22}{'calls':>6}{'their tokens':>14}{'direct':>10}{'code':>8}{'saved':>8}")
    for one in told:
        if not one.run.ledger.direct or one.run.fault:
            raise SystemExit(f"{one.name} did not run: {one.run.fault}")
        calls = sum(_call_tokens(call.arguments, call.tokens, count) for call in one.run.calls)
        looked = count(searchable.answer(" ".join(one.name.split("_")), Depth.FULL, 5).text)
        code = entry + looked + count(one.code) + count(one.run.model_view)
        direct = definitions + calls
        costs[one.name] = calls, code
        saved = f"{1 - code / direct:.1%}"
        print(f"{one.name:<22}{len(one.run.calls):>6}{calls:>14,}{direct:>10,}{code:>8,}{saved:>8}")
    print(f"\nDirect use loads {definitions:,} tokens of definitions (2 × {len(DEMO)} tools) before its first call.\n")
    return costs


def _scenarios(costs: dict[str, tuple[int, int]], tools: Sequence[Tool], count: Count) -> None:
    """The papers' table: claimed savings, and those of the examples with all these tools loaded."""
    definitions = sum(count(json.dumps(dict(tool.raw))) for tool in tools)
    print(
        f"The design paper's scenarios, with the {definitions:,} tokens of {len(tools):,} recorded definitions loaded:"
    )
    print(f"{'scenario':<22}{'example':<20}{'claimed':>9}{'direct':>11}{'code':>8}{'saved':>8}")
    for scenario, (example, claimed) in PAPER.items():
        calls, code = costs[example]
        direct = definitions + calls
        print(f"{scenario:<22}{example:<20}{claimed:>9}{direct:>11,}{code:>8,}{1 - code / direct:>8.1%}")
    print()


def _call_tokens(arguments: str, answer: int, count: Count) -> int:
    return count(arguments) + answer


def _corpus(tools: Sequence[Tool], count: Count, entry: int) -> None:
    """Tokens to find, read and call one tool among all of them."""
    search = _search(tools)
    whole = sum(count(json.dumps(dict(tool.raw))) for tool in tools)
    chosen = random.Random(7).sample(list(tools), min(SAMPLE, len(tools)))
    ways = [_way(tool, search, count) for tool in chosen]
    median, most = statistics.median(ways), max(ways)
    print(f"{len(tools):,} recorded tools of {len({tool.server for tool in tools})} servers: {whole:,} tokens.")
    print(f"Find, read and call one of them ({len(chosen)} tried): median {median:,.0f} tokens, at most {most:,};")
    print(f"with the workbench's own tools {median + entry:,.0f}: {1 - (median + entry) / whole:.2%} less.")
    _break_even(tools, count, entry + int(median))


def _break_even(tools: Sequence[Tool], count: Count, code: int) -> None:
    """The number of tools below which loading all definitions is cheaper for a single call."""
    mean = statistics.mean(count(json.dumps(dict(tool.raw))) for tool in tools)
    print(
        f"A definition costs {mean:,.0f} tokens on average: below {code / mean:.0f} such tools direct use is cheaper."
    )


def _way(tool: Tool, search: ToolSearch, count: Count) -> int:
    asked = first_sentence(tool.description) or tool.name
    found = search.answer(asked, Depth.NAME, 20).text
    definition = search.answer(tool.name, Depth.FULL, 1, tool.server).text
    function = python_names([tool.name])[tool.name]
    return count(asked) + count(found) + count(definition) + count(call_source(tool, function, {}))


def _search(tools: Sequence[Tool]) -> ToolSearch:
    by_server: dict[str, list[str]] = {}
    for tool in tools:
        by_server.setdefault(tool.server, []).append(tool.name)
    names = {server: python_names(known) for server, known in by_server.items()}
    return ToolSearch(SearchedTool(tool, names[tool.server][tool.name], "") for tool in tools)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
