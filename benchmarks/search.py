"""Measures the tool search against plain BM25: `python benchmarks/search.py FOLDER [OPTIONS]`.

FOLDER contains recorded tool lists as JSON files; the queries are in `search_queries.tsv`, each with its correct tools.
They are run on 500 of the recorded tools, on all of them, and on all of them with made-up tools up to 3,000 and 10,000.
A query counts as answered at k if one of its tools is among the first k. Each query is run three times, and the fastest
run counts, so that other work on the machine is not measured.

--semantic  also with the sentence model (`mcp-workbench search build`), which embeds each tool once: in "build s"
--misses    the queries whose tools are not among the first five
"""

from __future__ import annotations

import math
import random
import re
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wrappers import recorded

from workbench.identifiers import python_names
from workbench.paths import models_folder, resources
from workbench.records import Tool
from workbench.search.bm25_ranking import Bm25Ranking, SearchedTool
from workbench.search.semantic.embedding_cache import EmbeddingCache
from workbench.search.semantic.sentence_embeddings import SentenceEmbeddings
from workbench.search.semantic.sentence_model import NAME, SentenceModel
from workbench.search.word_vectors import VECTORS, WordVectors

QUERIES = Path(__file__).with_name("search_queries.tsv")
FEW, SIZES = 500, (0, 3_000, 10_000)  # 0: the recorded tools only
DEPTH = 50
TIMES = 3
Find = Callable[[str], list[int]]


@dataclass(frozen=True)
class Question:
    """A query and its correct tools."""

    words: str
    answers: frozenset[tuple[str, str]]


def main(folder: Path, options: Sequence[str]) -> None:
    questions, real = read_questions(), recorded(folder)
    known = {(tool.server, tool.name) for tool in real}
    asked = [question for question in questions if question.answers & known]
    print(f"{len(real)} recorded tools, {len(asked)} of {len(questions)} questions have an answer among them")
    print(f"{'tools':>7} {'ranking':10} hit@1 hit@5 hit@10 MRR   p50 ms  p95 ms  build s  memory MB")
    with tempfile.TemporaryDirectory() as place:
        builds = _builds(Path(place) / "meanings.sqlite" if "--semantic" in options else None)
        for tools in (_some(real, asked), *([*real, *made_up(max(0, size - len(real)))] for size in SIZES)):
            for name, build in builds.items():
                _measure(name, entries_of(tools), asked, build)
        for name, build in builds.items():
            if name != "BM25":
                _exact_names(name, build(entries_of(real)), entries_of(real))
        if "--misses" in options:
            _print_misses(entries_of(real), asked, builds["sentences" if "--semantic" in options else "ours"])


def _builds(kept: Path | None) -> dict[str, Callable[[Sequence[SearchedTool]], Find]]:
    """The search configurations. `kept` is the folder of the sentence model's rows; `None`: without the model."""
    found: dict[str, Callable[[Sequence[SearchedTool]], Find]] = {"ours": with_vectors}
    if kept is not None:
        found["sentences"] = with_sentences(kept)
    return found | {"words only": with_words, "BM25": Plain.finder}


def _some(real: Sequence[Tool], asked: Sequence[Question]) -> list[Tool]:
    """The correct tools of all queries, and other tools up to 500."""
    answers = {answer for question in asked for answer in question.answers}
    first = [tool for tool in real if (tool.server, tool.name) in answers]
    rest = [tool for tool in real if (tool.server, tool.name) not in answers]
    return [*first, *random.Random(3).sample(rest, min(len(rest), max(0, FEW - len(first))))]


def read_questions() -> list[Question]:
    found = []
    for line in QUERIES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            words, answers = line.split("\t")
            pairs = (answer.split("/", 1) for answer in answers.split("|"))
            found.append(Question(words, frozenset((server, tool) for server, tool in pairs)))
    return found


def entries_of(tools: Sequence[Tool]) -> list[SearchedTool]:
    by_server: dict[str, list[Tool]] = defaultdict(list)
    for tool in tools:
        by_server[tool.server].append(tool)
    found = []
    for some in by_server.values():
        functions = python_names([tool.name for tool in some])
        found += [SearchedTool(tool, functions[tool.name], "") for tool in some]
    return found


def with_words(entries: Sequence[SearchedTool]) -> Find:
    ranking = Bm25Ranking(entries)
    return lambda words: ranking.rank(words, DEPTH)[0]


def with_vectors(entries: Sequence[SearchedTool]) -> Find:
    """The search in its default configuration."""
    ranking = Bm25Ranking(entries)
    ranking.deepen(WordVectors(resources() / VECTORS))
    return lambda words: ranking.rank(words, DEPTH)[0]


def with_sentences(kept: Path) -> Callable[[Sequence[SearchedTool]], Find]:
    """The search with the sentence model, without its cache of repeated queries."""
    model = SentenceModel(models_folder() / NAME)
    shelf = EmbeddingCache(kept, model.digest)

    def build(entries: Sequence[SearchedTool]) -> Find:
        ranking = Bm25Ranking(entries)
        ranking.deepen(SentenceEmbeddings(model, shelf))

        def find(words: str) -> list[int]:
            model.question.cache_clear()
            return ranking.rank(words, DEPTH)[0]

        return find

    return build


def _measure(name: str, entries: Sequence[SearchedTool], asked: Sequence[Question], build: Callable[..., Find]) -> None:
    began = time.perf_counter()
    find = build(entries)
    took = time.perf_counter() - began
    tracemalloc.start()
    kept = build(entries)
    memory = tracemalloc.get_traced_memory()[0] / 2**20
    tracemalloc.stop()
    del kept
    places, times = [], []
    for question in asked:
        tries = []
        for _ in range(TIMES):
            began = time.perf_counter()
            found = find(question.words)
            tries.append((time.perf_counter() - began) * 1000)
        times.append(min(tries))
        places.append(_place(entries, found, question))
    shares = [100 * statistics.fmean(place <= k for place in places) for k in (1, 5, 10)]
    middle = 100 * statistics.fmean(1 / place for place in places)
    ordered = sorted(times)
    print(
        f"{len(entries):7,} {name:10} {shares[0]:4.1f}  {shares[1]:4.1f}  {shares[2]:4.1f}   {middle:4.1f}  "
        f"{statistics.median(ordered):6.2f}  {ordered[int(len(ordered) * 0.95)]:6.2f}  {took:7.2f}  {memory:6.1f}"
    )


def _place(entries: Sequence[SearchedTool], found: Sequence[int], question: Question) -> float:
    """The rank of the first correct tool, from 1; infinite if none was found."""
    for place, position in enumerate(found, 1):
        tool = entries[position].tool
        if (tool.server, tool.name) in question.answers:
            return place
    return math.inf


def _print_misses(
    entries: Sequence[SearchedTool], asked: Sequence[Question], build: Callable[[Sequence[SearchedTool]], Find]
) -> None:
    find = build(entries)
    for question in asked:
        found = find(question.words)
        if _place(entries, found, question) > 5:
            first = ", ".join(f"{entries[at].tool.server}/{entries[at].tool.name}" for at in found[:3])
            print(f"  missed: {question.words!r}\n    wanted {sorted(question.answers)}\n    first: {first}")


def _exact_names(ranking: str, find: Find, entries: Sequence[SearchedTool]) -> None:
    """Measure names typed exactly, and with one wrong letter."""
    draw = random.Random(7)
    exact = typo = 0
    for entry in entries:
        name = entry.tool.name
        at = draw.randrange(len(name))
        exact += any(entries[position].tool.name == name for position in find(name)[:1])
        wrong = name[:at] + draw.choice("abcdefghijklmnopqrstuvwxyz") + name[at + 1 :]
        typo += any(entries[position].tool.name == name for position in find(wrong)[:1])
    share = 100 / len(entries)
    print(f"typed names that come first ({ranking}): exact {share * exact:.1f} %, one typo {share * typo:.1f} %")


def made_up(number: int) -> list[Tool]:
    """Made-up tools with sentences of verbs and nouns; the same tools for the same number."""
    draw, verbs, nouns = random.Random(11), _VERBS.split(), _NOUNS.split()
    found = []
    for at in range(number):
        verb, noun, other = draw.choice(verbs), draw.choice(nouns), draw.choice(nouns)
        told = f"{verb.capitalize()} the {noun} of a {other}. Returns the {draw.choice(nouns)} with its {noun}."
        schema = {"type": "object", "properties": {f"{other}_id": {"type": "string", "description": f"Which {other}"}}}
        found.append(Tool(f"made-up-{at // 25}", f"{verb}_{other}_{noun}_{at}", "", told, schema))
    return found


_VERBS = """list get create update delete search start stop export import validate archive restore assign compare count
estimate publish schedule share tag translate upload download watch rotate resolve reject approve"""
_NOUNS = """invoice shipment warehouse policy claim patient appointment ticket contract lease vehicle sensor firmware
campaign audience segment coupon refund ledger budget forecast grant course lesson exam student article draft review
playlist episode subtitle recipe menu table reservation flight seat cabin voucher parcel route depot crew shift badge
permit licence survey ballot donor fund asset bond option dividend meter valve turbine harvest field crop herd vaccine
sample assay dataset model feature cluster queue topic bucket snapshot volume network firewall certificate"""


class Plain:
    """BM25 over name, description and parameters as one bag of words, as in most tool searches."""

    def __init__(self, entries: Sequence[SearchedTool], k: float = 1.5, b: float = 0.75) -> None:
        documents = [self.words(_text(entry.tool)) for entry in entries]
        mean = statistics.fmean(len(document) for document in documents)
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, document in enumerate(documents):
            for word, times in Counter(document).items():
                postings[word].append((position, times))
        self._impacts: dict[str, list[tuple[int, float]]] = {}
        for word, posting in postings.items():
            rarity = math.log((len(documents) - len(posting) + 0.5) / (len(posting) + 0.5) + 1)
            self._impacts[word] = [
                (at, rarity * times * (k + 1) / (times + k * (1 - b + b * len(documents[at]) / mean)))
                for at, times in posting
            ]

    @staticmethod
    def words(text: str) -> list[str]:
        return [word for word in re.split(r"[\W_]+", text.lower()) if len(word) > 1]

    @classmethod
    def finder(cls, entries: Sequence[SearchedTool]) -> Find:
        return cls(entries).find

    def find(self, words: str) -> list[int]:
        total: dict[int, float] = defaultdict(float)
        for word in self.words(words):
            for position, impact in self._impacts.get(word, ()):
                total[position] += impact
        return sorted(total, key=lambda at: -total[at])[:DEPTH]


def _text(tool: Tool) -> str:
    properties = tool.input_schema.get("properties")
    parts = [tool.name, tool.description]
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        parts += [name, str(schema.get("description", "")) if isinstance(schema, dict) else ""]
    return " ".join(parts)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
