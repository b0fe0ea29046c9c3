"""Measures masking on data that nobody of this project wrote.

    python benchmarks/privacy_others.py FOLDER [--only SET] [--peers] [--misses] [--whole] [--definitions FOLDER]

FOLDER contains the sets that `privacy_others_fetch.py` builds; each is compared with its frozen SHA-256. A value counts
if every character of it is masked, by any kind. Spans marked as EITHER (towns, titles, users such as root) count
neither as values nor as innocent. `whole` is the share of values masked whole, `innocent` the share of innocent
characters masked. The sets and the sources are listed in `privacy_others_sources.txt` and `privacy_others_sets.txt`.

Of logs without people, 8 MB are measured unless `--whole` is given. `--definitions` reads recorded tool lists, whose
definitions must not change. `--peers` runs the detectors of `privacy_peers.py` on fewer texts of the same sets.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from privacy_marked import Leaf, Sample, sample
from privacy_others_fetch import frozen
from privacy_peers import Find, Spans, ner_peers, peers

import workbench
from workbench.privacy.masked_documents import mask_document, masked_spans
from workbench.privacy.vault import Vault
from workbench.records import JsonValue

EITHER = "EITHER"
FULL_NAME = "full name"  # a NAME of several words, counted besides
VALUES = (
    "prose",
    "addresses",
    "address records",
    "mimesis",
    "faker-js",
    "databases",
    "numbers",
    "secrets",
    "log events",
)
CODE, LOGS = "code and documents", "logs without people"
LOG_SAMPLE = 8_000_000  # characters
PEER_TEXTS = 12  # texts of each part that peers read, at least; more if there are few parts
OTHER_SCRIPTS = {"Russian", "Greek", "Hebrew", "Arabic", "Hindi", "Chinese", "Japanese", "Korean"}
NETWORK = {"IP", "MAC"}  # values in logs, not innocent
# Lines of code and documents that may rightly be masked: authors, credits, licences, mentions, speakers, and references
# (initials before a surname, "et al").
PEOPLE = re.compile(
    r"(?i:copyright|\(c\)|©|author|contribut|maintain|thank|credit|licen[sc]e|signed-off|reported|speaker|\bby\b|"
    r"et al\b|@\w)|\b[A-Z]\. ?[A-Z][a-z]+"
)
STRUCTURED = {
    "EMAIL", "PHONE", "CARD", "IBAN", "SSN", "NATIONAL_ID", "IP", "MAC", "SECRET", "DOB", "USERNAME", "POSTCODE",
}  # fmt: skip


Peer = tuple[frozenset[str], Find]  # the languages that it reads, or none for all; what it finds
IsTrue = Callable[[str, int, int, str], bool]  # whether a masked span of an innocent text is masked rightly


@dataclass(slots=True)
class Tally:
    """Counts of one part of a set."""

    texts: int = 0
    characters: int = 0
    seconds: float = 0.0
    values: Counter[str] = field(default_factory=Counter)
    whole: Counter[str] = field(default_factory=Counter)
    innocent: int = 0
    masked: int = 0  # innocent characters
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def judge(self, leaf: Leaf, spans: Spans, shape: str) -> None:
        """Count the values of a text, and the innocent characters that the spans cover."""
        covered = bytearray(len(leaf.text))
        for start, end in spans:
            covered[start:end] = b"\1" * (min(end, len(covered)) - start)
        self.innocent += len(leaf.text)
        for start, end, kind in leaf.values:
            self.innocent -= end - start
            if kind != EITHER:
                self._count(kind, leaf, start, end, all(covered[start:end]), shape)
            covered[start:end] = bytes(end - start)
        self.masked += sum(covered)
        for match in re.finditer(b"\1+", covered):
            around = leaf.text[max(0, match.start() - 20) : match.start()]
            self.wrong.append(f"{shape}: {around}«{leaf.text[slice(*match.span())]}»")

    def _count(self, kind: str, leaf: Leaf, start: int, end: int, is_whole: bool, shape: str) -> None:
        text = leaf.text[start:end]
        kinds = [kind, FULL_NAME] if kind == "NAME" and re.search(r"\w[\s·・]\w", text) else [kind]
        self.values.update(kinds)
        if is_whole:
            self.whole.update(kinds)
        else:
            self.missed.append(f"{shape} {kind}: {leaf.text[max(0, start - 25) : start]}«{text}»")

    def add(self, other: Tally) -> None:
        self.texts += other.texts
        self.characters += other.characters
        self.seconds += other.seconds
        self.values += other.values
        self.whole += other.whole
        self.innocent += other.innocent
        self.masked += other.masked

    def count(self) -> int:
        return self.values.total() - self.values[FULL_NAME]

    def share(self, *kinds: str) -> float:
        """Per cent of the values of these kinds, or of all, that are masked whole."""
        chosen = kinds or [kind for kind in self.values if kind != FULL_NAME]
        every = sum(self.values[kind] for kind in chosen)
        return 100 * sum(self.whole[kind] for kind in chosen) / every if every else float("nan")

    def beside(self) -> float:
        return 100 * self.masked / max(1, self.innocent)

    def speed(self) -> float:
        return self.characters / max(1e-9, self.seconds) / 1e6


def load(folder: Path, name: str) -> list[tuple[str, str, JsonValue]]:
    """Part, shape and marked value of each text of a set; says whether the set is the frozen one."""
    data = (folder / f"{name.replace(' ', '-')}.jsonl").read_bytes()
    sha, known = hashlib.sha256(data).hexdigest(), frozen().get(name)
    state = "frozen set" if known is not None and sha == known[0] else "NOT the frozen set"
    lines = [json.loads(line) for line in data.splitlines()]
    print(f"\n{name}: {len(lines)} texts, SHA-256 {sha[:16]}…, {state}")
    return [(part, shape, marked) for part, shape, marked in lines]


def spans_of(value: JsonValue) -> tuple[dict[str, list[tuple[int, int, str]]], JsonValue, float]:
    """Spans and kinds by JSON pointer, the masked value, and processor seconds."""
    vault = Vault("benchmark")
    began = time.process_time()
    masked = mask_document(vault, value)
    seconds = time.process_time() - began
    spans: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for span in masked_spans(vault, value, masked):
        spans[span.pointer].append((span.start, span.end, span.kind))
    return spans, masked, seconds


def own(one: Sample) -> Tally:
    """The product's result for one text."""
    tally = Tally(texts=1, characters=len(one.printed.text))
    spans, masked, tally.seconds = spans_of(one.value)
    for leaf in one.leaves:
        tally.judge(leaf, [(start, end) for start, end, _ in spans[leaf.pointer]], one.shape)
    if not isinstance(one.value, str):
        keys = _keys(one.value)
        tally.innocent += sum(map(len, keys))
        changed = [key for key, other in zip(keys, _keys(masked), strict=True) if key != other]
        tally.masked += sum(map(len, changed))
        tally.wrong += [f"{one.shape} key: {key}" for key in changed]
    return tally


def _keys(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for child in value.values() for key in _keys(child))]
    return [key for child in value for key in _keys(child)] if isinstance(value, list) else []


def peer(one: Sample, find: Find) -> Tally:
    """A peer's result for one text, printed."""
    tally = Tally(texts=1, characters=len(one.printed.text))
    began = time.process_time()
    spans = find(one.printed.text)
    tally.seconds = time.process_time() - began
    tally.judge(one.printed, spans, one.shape)
    return tally


def print_values(folder: Path, name: str, misses: bool, others: Mapping[str, Peer]) -> Tally:
    """Measure a set with values: a row for each part, then recall by kind, then the peers on fewer texts."""
    parts: dict[str, list[Sample]] = defaultdict(list)
    for part, shape, marked in load(folder, name):
        parts[part].append(sample(shape, marked))
    names = "  full names" if name == "prose" else ""
    print(f"  {'part':30}{'texts':>7}{'values':>8}{'whole':>9}{names}   innocent   MB/s")
    total = Tally()
    scripts = {"Latin script": Tally(), "other scripts": Tally()}
    for part, samples in parts.items():
        found = [own(one) for one in samples]
        tally = _sum(found)
        total.add(tally)
        scripts["other scripts" if part in OTHER_SCRIPTS else "Latin script"].add(tally)
        _print_row(part, tally, name == "prose")
        if misses:
            _print_some("missed", [text for one in found for text in one.missed])
            _print_some("wrong", [text for one in found for text in one.wrong])
    if name == "prose":
        for script, tally in scripts.items():
            _print_row(script, tally, True)
    _print_row("all", total, name == "prose")
    kinds = [kind for kind, _ in total.values.most_common() if names or kind != FULL_NAME]
    print("  by kind: " + ", ".join(f"{kind} {total.share(kind):.2f} % of {total.values[kind]}" for kind in kinds))
    if others:
        _print_peers(parts, others, name == "prose")
    return total


def _print_peers(parts: Mapping[str, list[Sample]], others: Mapping[str, Peer], is_prose: bool) -> None:
    """Peers with patterns on some texts of every part, peers of one language on its prose, and the workbench beside."""
    most = max(PEER_TEXTS, 150 // len(parts))
    some = {part: random.Random(part).sample(samples, min(most, len(samples))) for part, samples in parts.items()}
    print("  peers, on some texts of each part:")
    every = [one for samples in some.values() for one in samples]
    _print_row("workbench", _sum(map(own, every)), is_prose)
    for name, (languages, find) in others.items():
        if not languages:
            _print_row(name, _sum(peer(one, find) for one in every), is_prose)
    for name, (languages, find) in others.items():
        chosen = [one for part in languages if is_prose for one in parts.get(part, [])]
        if chosen:
            _print_row(f"{name}, {', '.join(languages)}", _sum(peer(one, find) for one in chosen), is_prose)


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for one in tallies:
        total.add(one)
    return total


def _print_row(part: str, tally: Tally, has_names: bool) -> None:
    names = f"{tally.share(FULL_NAME):10.2f} %" if has_names else ""
    shares = f"{tally.share():7.2f} %{names}{tally.beside():9.3f} %"
    print(f"  {part:30}{tally.texts:7}{tally.count():8}{shares}{tally.speed():7.2f}")


def _print_some(title: str, found: list[str], most: int = 6) -> None:
    for one in found[:: max(1, len(found) // most)][:most]:
        print(f"      {title} {one!r}")


def print_code(folder: Path, misses: bool) -> None:
    """Measure code and documents: all masked characters, and those that are no true finding."""
    print_innocent(
        load(folder, CODE),
        misses,
        _is_true_in_code,
        "without e-mail addresses and lines of authors, credits and references",
    )


def _is_true_in_code(text: str, start: int, end: int, kind: str) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : _line_end(text, end)]
    return kind == "EMAIL" or PEOPLE.search(line) is not None


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def print_logs(folder: Path, misses: bool, whole: bool) -> None:
    pieces = load(folder, LOGS)
    size, chosen = 0, []
    for one in pieces:
        chosen.append(one)
        size += len(str(one[2]))
        if size > LOG_SAMPLE and not whole:
            break
    print_innocent(chosen, misses, lambda _text, _start, _end, kind: kind in NETWORK, "without IP and MAC addresses")


@dataclass(slots=True)
class Innocent:
    """Counts of characters in innocent texts."""

    size: int = 0
    masked: int = 0
    wrong: int = 0  # masked, and no true finding
    seconds: float = 0.0

    def row(self, part: str) -> str:
        shares = f"{100 * self.masked / self.size:10.4f} %{100 * self.wrong / self.size:10.4f} %"
        return f"  {part:30}{self.size / 1e6:7.2f}{shares}{self.size / max(self.seconds, 1e-9) / 1e6:8.2f}"


def print_innocent(pieces: Iterable[tuple[str, str, JsonValue]], misses: bool, is_true: IsTrue, rule: str) -> None:
    """Masked characters of innocent texts by part: all, and those that `is_true` does not call true."""
    parts: dict[str, Innocent] = defaultdict(Innocent)
    kinds: Counter[str] = Counter()
    examples: dict[str, list[str]] = defaultdict(list)
    for part, shape, text in pieces:
        assert isinstance(text, str)
        spans, _, seconds = spans_of(text)
        for counts in (parts[part], parts["all"]):
            counts.size += len(text)
            counts.seconds += seconds
        for start, end, kind in spans[""]:
            is_wrong = not is_true(text, start, end, kind)
            for counts in (parts[part], parts["all"]):
                counts.masked += end - start
                counts.wrong += is_wrong * (end - start)
            if is_wrong:
                kinds[kind] += end - start
                around = f"{text[max(0, start - 30) : start]}«{text[start:end]}»{text[end : end + 20]}"
                examples[part].append(f"{shape} {kind}: {around}")
    print(f"  {'part':30}{'MB':>7}{'masked':>12}{'wrongly':>12}{'MB/s':>8}   ({rule})")
    for part in [*(part for part in parts if part != "all"), "all"]:
        print(parts[part].row(part))
        if misses:
            _print_some("wrong", examples[part])
    print("  wrongly masked characters by kind: " + ", ".join(f"{kind} {n}" for kind, n in kinds.most_common()))


def print_definitions(folder: Path, misses: bool) -> None:
    """Masked characters in recorded tool definitions as programs print them."""
    files = sorted(folder.glob("*.json"))
    print(f"\ntool definitions of {len(files)} servers")
    print_innocent(list(_printed_definitions(files)), misses, lambda *_: False, "nothing in definitions is personal")


def _printed_definitions(files: Sequence[Path]) -> Iterator[tuple[str, str, JsonValue]]:
    for file in files:
        tools = json.loads(file.read_text(encoding="utf-8")).get("tools") or []
        for tool in tools:
            yield "JSON of one tool", file.stem, json.dumps(tool, ensure_ascii=False)
            yield "indented JSON", file.stem, json.dumps(tool, indent=2)
            yield "Python repr", file.stem, repr(tool)
        described = [(tool["name"], tool.get("description", "")) for tool in tools]
        yield "name → description", file.stem, "\n".join(f"{name} → {text}" for name, text in described)
        yield "Markdown list", file.stem, "\n".join(f"- **{name}**: {text}" for name, text in described)


def main(arguments: Sequence[str]) -> None:
    """Print the tables. The module's docstring lists the options."""
    folder = Path(arguments[0])
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    misses = "--misses" in arguments
    others = _peers() if "--peers" in arguments else {}
    print(f"workbench at {Path(workbench.__file__).parent}")
    began, total = time.perf_counter(), {}
    for name in VALUES:
        if only in ("", name):
            total[name] = print_values(folder, name, misses, others)
    if only in ("", CODE):
        print_code(folder, misses)
    if only in ("", LOGS):
        print_logs(folder, misses, "--whole" in arguments)
    if "--definitions" in arguments:
        print_definitions(Path(arguments[arguments.index("--definitions") + 1]), misses)
    _print_goals(total)
    print(f"{time.perf_counter() - began:.0f} s")


def _print_goals(total: dict[str, Tally]) -> None:
    """The goals of the product beside all sets of this run."""
    sets = Tally()
    for tally in total.values():
        sets.add(tally)
    if not sets.count():
        return
    kinds = [kind for kind, _ in sets.values.most_common() if kind != FULL_NAME]
    print(
        "\nall sets by kind: " + ", ".join(f"{kind} {sets.share(kind):.2f} % of {sets.values[kind]}" for kind in kinds)
    )
    structured = [kind for kind in kinds if kind in STRUCTURED]
    if structured:
        count = sum(sets.values[kind] for kind in structured)
        print(f"structured values, all sets: {sets.share(*structured):.2f} % of {count} (goal 99.5)")
    for name, part, kind, goal in (("names", "prose", "NAME", 92), ("addresses", "addresses", "ADDRESS", 85)):
        some = total.get(part, Tally())
        if some.values[kind]:
            print(f"{name} in prose: {some.share(kind):.2f} % of {some.values[kind]} (goal {goal})")
        if sets.values[kind] > some.values[kind]:
            print(f"{name} elsewhere: {_share_without(sets, some, kind)}")
    print(f"innocent characters masked: {sets.beside():.3f} % (goal 0.3)")


def _share_without(every: Tally, some: Tally, kind: str) -> str:
    """The share of a kind in all sets but one."""
    values, whole = every.values[kind] - some.values[kind], every.whole[kind] - some.whole[kind]
    return f"{100 * whole / values:.2f} % of {values}"


def _peers() -> dict[str, Peer]:
    found: dict[str, Peer] = {}
    for name, find in peers().items():
        if isinstance(find, str):
            print(f"{name}: {find}")
        else:
            found[name] = frozenset(), find
    for name, (languages, find) in ner_peers().items():
        if isinstance(find, str):
            print(f"{name}: {find}")
        else:
            found[name] = languages, find
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
