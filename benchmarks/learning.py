"""Measures what the search learns from use: `python benchmarks/learning.py FOLDER [--semantic]`.

FOLDER is `dataset` of MetaTool (github.com/HowieHwong/MetaTool, MIT): 199 tools with a sentence each, and 20,614
queries with the tool that answers each. Some queries of every tool are tested; zero, three or thirty other queries of
the tool are recorded as earlier uses. Nothing was fitted to these queries.
"""

from __future__ import annotations

import csv
import json
import random
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from search import Find, with_sentences, with_vectors, with_words

from workbench.records import Tool
from workbench.search.bm25_ranking import SearchedTool

PAST = (0, 3, 30)  # number of earlier queries recorded per tool
ASKED = 10  # tested queries per tool


def main(folder: Path, semantic: bool) -> None:
    told = json.loads((folder / "plugin_des.json").read_text(encoding="utf-8"))
    questions = _questions(folder / "data" / "all_clean_data.csv")
    print(f"{len(told)} tools, {ASKED} questions each\npast    ranking      R@1   R@5   MRR")
    with tempfile.TemporaryDirectory() as place:
        builds = {"ours": with_vectors, "words only": with_words}
        if semantic:
            builds["sentences"] = with_sentences(Path(place) / "meanings.sqlite")
        for past in PAST:
            entries = [_entry(name, words, questions[name][ASKED : ASKED + past]) for name, words in told.items()]
            for name, build in builds.items():
                _print(f"{past:<7} {name:<10}", build(entries), entries, questions)


def _questions(file: Path) -> Mapping[str, list[str]]:
    """The queries of each tool in a fixed order, without duplicates."""
    found: dict[str, list[str]] = defaultdict(list)
    with file.open(encoding="utf-8", newline="") as lines:
        for words, tool in sorted({(row["Query"], row["Tool"]) for row in csv.DictReader(lines)}):
            found[tool].append(words)
    for some in found.values():
        random.Random(4).shuffle(some)
    return found


def _entry(name: str, words: str, past: Sequence[str]) -> SearchedTool:
    return SearchedTool(Tool("metatool", name, description=words), name, "", "", tuple(past))


def _print(title: str, find: Find, entries: Sequence[SearchedTool], questions: Mapping[str, list[str]]) -> None:
    places = []
    for entry in entries:
        for words in questions[entry.name][:ASKED]:
            found = [entries[at].name for at in find(words)]
            places.append(found.index(entry.name) + 1 if entry.name in found else float("inf"))
    shares = [100 * statistics.fmean(place <= k for place in places) for k in (1, 5)]
    middle = 100 * statistics.fmean(1 / place for place in places)
    print(f"{title}  {shares[0]:5.1f} {shares[1]:5.1f} {middle:5.1f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), "--semantic" in sys.argv)
