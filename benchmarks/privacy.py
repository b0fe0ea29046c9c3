"""Measures how much personal data and how much innocent text is masked, and how fast, on generated sets.

    python benchmarks/privacy.py [--brief] [--results] [--strictness] [--peers] [--misses] [--fresh-misses]

The sets are generated from a fixed seed and were written independently of the detector's rules: 750 tool results in 25
shapes (`privacy_shapes.py`), more in shapes that were never inspected while rules were written (`privacy_fresh.py`), 40
passages of prose with ten sets of persons each (`privacy_prose.py`), 10,000 single values of each kind
(`privacy_singles.py`, `privacy_values.py`), and 5 MB of innocent text (`privacy_negatives.py`). What
`mask_document` masks is evaluated. A value counts as masked if every character of it is masked, by any kind; all
characters outside of values are innocent. `--strictness` prints only what each step of strictness masks, the figures
that the window shows. `--brief` uses 300 values of each context and 1 MB; `--peers` also runs
presidio-analyzer and scrubadub if they are installed; `--misses` shows some values of tool results that were not masked
completely.

The targets are those of the product. Figures that miss their target are marked with `<`.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from privacy_fresh import Fresh
from privacy_marked import Leaf, Sample
from privacy_negatives import negatives
from privacy_peers import Find, Spans, peers
from privacy_prose import passages
from privacy_shapes import Shapes
from privacy_singles import GROUPS

from workbench.privacy.detection_rules import DetectionRules
from workbench.privacy.detector_preview import preview_masking
from workbench.privacy.detectors.detector import detect
from workbench.privacy.masked_documents import mask_document, masked_spans
from workbench.privacy.strictness import MEASURED, rules_at
from workbench.privacy.vault import Vault
from workbench.records import JsonValue, StrictnessFigures

SEED = 20250304
RECALL_FIRST = DetectionRules(recall_first=True)
EACH = 30  # results per shape
WHOLE = 99.0  # target: per cent of the values in tool results that are masked completely
INNOCENT = 0.8  # limit: per cent of innocent characters that are masked


@dataclass(slots=True)
class Tally:
    """Counts of masked values and of masked innocent characters."""

    whole: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    masked: int = 0  # innocent characters
    innocent: int = 0
    seconds: float = 0.0
    missed: list[tuple[str, str, str]] = field(default_factory=list)  # shape, kind, context of the value

    def judge(self, leaf: Leaf, spans: Spans, shape: str = "") -> None:
        """Count the values of a text, and the innocent characters that the spans cover."""
        covered = bytearray(len(leaf.text))
        for start, end in spans:
            covered[start:end] = b"\1" * (min(end, len(covered)) - start)
        for start, end, kind in leaf.values:
            self.values[kind] += 1
            if all(covered[start:end]):
                self.whole[kind] += 1
            else:
                self.missed.append((shape, kind, f"{leaf.text[max(0, start - 25) : start]}«{leaf.text[start:end]}»"))
            covered[start:end] = bytes(end - start)
        self.masked += sum(covered)

    def share(self, kind: str = "") -> float:
        """Per cent of the values of one kind, or of all kinds, that are masked completely."""
        if kind:
            return 100 * self.whole[kind] / max(1, self.values[kind])
        return 100 * self.whole.total() / max(1, self.values.total())

    def beside(self) -> float:
        return 100 * self.masked / max(1, self.innocent)


def measure(samples: Iterable[Sample], find: Find | None = None) -> Tally:
    """Evaluate the command's answers to samples, or what a peer finds in the printed samples."""
    tally = Tally()
    for one in samples:
        tally.innocent += len(one.printed.text) - sum(end - start for start, end, _ in one.printed.values)
        began = time.process_time()
        if find is None:
            vault = Vault("benchmark")
            masked = mask_document(vault, one.value)
            tally.seconds += time.process_time() - began
            _judge_masked(tally, one, masked, vault)
        else:
            spans = find(one.printed.text)
            tally.seconds += time.process_time() - began
            tally.judge(one.printed, spans, one.shape)
    return tally


def _judge_masked(tally: Tally, one: Sample, masked: JsonValue, vault: Vault) -> None:
    spans: dict[str, Spans] = defaultdict(list)
    for span in masked_spans(vault, one.value, masked):
        spans[span.pointer].append((span.start, span.end))
    for leaf in one.leaves:
        tally.judge(leaf, spans[leaf.pointer], one.shape)
    tally.masked += masked_keys(one.value, masked)


def masked_keys(value: JsonValue, masked: JsonValue) -> int:
    """The number of characters of keys that were changed. Keys contain no values in these sets."""
    if isinstance(value, dict) and isinstance(masked, dict):
        changed = sum(len(key) for key, other in zip(value, masked, strict=True) if key != other)
        return changed + sum(map(masked_keys, value.values(), masked.values()))
    if isinstance(value, list) and isinstance(masked, list):
        return sum(map(masked_keys, value, masked))
    return 0


def still_read(samples: Iterable[Sample]) -> tuple[int, int]:
    """The number of values that are still readable when a program prints an earlier result, and the number of
    values.
    """
    left = every = 0
    for one in samples:
        vault = Vault("trial")
        vault.register(one.value, "trial")
        shown = vault.sanitize(one.value if isinstance(one.value, str) else repr(one.value))
        for start, end, _ in one.printed.values:
            every += 1
            left += bool(re.search(rf"(?<!\w){re.escape(one.printed.text[start:end])}(?!\w)", shown))
    return left, every


def main(arguments: Sequence[str]) -> None:
    """Print the tables. The module's docstring lists the options."""
    brief = "--brief" in arguments
    others = peers() if "--peers" in arguments else {}
    for name, find in others.items():
        if isinstance(find, str):
            print(f"{name}: {find}")
    finders = {name: find for name, find in others.items() if not isinstance(find, str)}
    if "--strictness" in arguments:
        _print_strictness()
        return
    _print_results("Tool results", list(Shapes(SEED).all(EACH)), finders, "--misses" in arguments)
    _print_results("Held apart", list(Fresh(SEED).all(EACH)), finders, "--fresh-misses" in arguments)
    _print_prose("--misses" in arguments)
    if "--results" in arguments:
        return
    _print_singles(brief, finders)
    _print_negatives(1_000_000 if brief else 5_200_000, finders)


def _print_results(title: str, samples: list[Sample], finders: dict[str, Find], misses: bool) -> None:
    tallies = {"workbench": measure(samples)} | {name: measure(samples, find) for name, find in finders.items()}
    own = tallies["workbench"]
    size = sum(len(one.printed.text) for one in samples) / 1e6
    print(
        f"\n{title}: {len(samples)} in {len({one.shape for one in samples})} "
        f"shapes, {own.values.total()} values, {size:.2f} MB"
    )
    print(f"{'values masked whole':24}{'n':>6}" + "".join(f"{name:>30}" for name in tallies))
    for kind in sorted(own.values):
        print(f"{kind:24}{own.values[kind]:6}" + "".join(f"{one.share(kind):28.2f} %" for one in tallies.values()))
    print(
        f"{f'all (target {WHOLE:g})':30}"
        + "".join(f"{one.share():28.2f} %" for one in tallies.values())
        + _mark(own.share(), WHOLE)
    )
    beside = "".join(f"{one.beside():28.2f} %" for one in tallies.values())
    print(f"{f'innocent (at most {INNOCENT:g})':30}{beside}" + (" <" if own.beside() > INNOCENT else ""))
    print(f"{'MB/s':30}" + "".join(f"{size / one.seconds:28.3f}  " for one in tallies.values()))
    left, every = still_read(samples)
    print(f"printed by a program after it came in: {left} of {every} values can be read ({100 * left / every:.3f} %)")
    _print_shapes(samples)
    if misses:
        _print_misses(own)


def _print_prose(misses: bool) -> None:
    """Print the results for prose, with the default rules and with `RECALL_FIRST`, which mask more."""
    samples = list(passages(10, SEED))
    print(f"\n{'prose, ' + str(len(samples)) + ' passages':34}{'NAME':>11}{'ADDRESS':>11}{'innocent':>12}")
    for mode, rules, wanted, most in (
        ("as it is", DetectionRules(), 75.0, 100.0),
        ("recall first", RECALL_FIRST, 90.0, 2.0),
    ):
        tally = measure(
            samples, lambda text, rules=rules: [(one.start, one.end) for one in preview_masking(text, rules).spans]
        )
        marks = _mark(tally.share("NAME"), wanted) or _mark(-tally.beside(), -most)
        goals = f"{mode} (goals {wanted:g}, 45{f', {most:g}' if most < 100 else ''})"
        line = "".join(f"{tally.share(kind):9.2f} %" for kind in ("NAME", "ADDRESS"))
        print(f"{goals:34}{line}{tally.beside():10.2f} %{marks}")
        if misses:
            _print_misses(tally)


def _print_strictness() -> None:
    """Print what each step of strictness masks in prose and in tool results, as `MEASURED` in
    `workbench/privacy/strictness.py` has it, and mark steps whose figures have changed."""
    prose, results = list(passages(10, SEED)), list(Shapes(SEED).all(EACH))
    print(f"per cent: {', '.join(StrictnessFigures.__struct_fields__)}")
    for step, known in MEASURED.items():
        in_prose, in_results = (_measure_step(samples, step) for samples in (prose, results))
        shares = (in_prose.share("NAME"), in_prose.share("ADDRESS"), in_prose.beside())
        figures = [round(share, 2) for share in (*shares, in_results.share(), in_results.beside())]
        shown = ", ".join(f"{share:.2f}" for share in figures)
        print(f"    {step.upper()}: StrictnessFigures({shown}),{' <' * (StrictnessFigures(*figures) != known)}")


def _measure_step(samples: Sequence[Sample], step: str) -> Tally:
    rules = rules_at(step, DetectionRules())
    return measure(samples, lambda text: [(one.start, one.end) for one in preview_masking(text, rules).spans])


def _print_shapes(samples: list[Sample]) -> None:
    shapes: dict[str, list[Sample]] = defaultdict(list)
    for one in samples:
        shapes[one.shape].append(one)
    print(f"\n{'shape':24}{'values':>8}{'whole':>11}{'innocent':>12}")
    for shape, some in shapes.items():
        tally = measure(some)
        short = (_mark(tally.share(), WHOLE) if tally.values else "") or _mark(-tally.beside(), -INNOCENT)
        print(f"{shape:24}{tally.values.total():8}{tally.share():9.2f} %{tally.beside():10.2f} %{short}")


def _print_misses(tally: Tally) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for shape, kind, around in tally.missed:
        seen[shape, kind] += 1
        if seen[shape, kind] <= 3:
            print(f"  missed {shape} {kind}: {around!r}")


def _print_singles(brief: bool, finders: dict[str, Find]) -> None:
    ways = Counter(group.kind for group in GROUPS)
    print(
        f"\n{'single values':28}{'n':>7}{'target':>9}{'whole':>11}{'innocent':>12}"
        + "".join(f"{name:>30}" for name in finders)
    )
    for at, group in enumerate(GROUPS):
        count = 300 if brief else -(-10_000 // ways[group.kind])
        tally = measure(group.samples(count, SEED + at))
        target = f"{group.target:g}" if group.target is not None else "none"
        line = f"{group.kind + ' ' + group.way:28}{count:7}{target:>9}{tally.share():9.2f} %{tally.beside():10.2f} %"
        for find in finders.values():
            line += f"{measure(group.samples(300, SEED + at), find).share():28.2f} %"
        print(line + _mark(tally.share(), group.target or 0))
    if finders:
        print("(peers: the first 300 of each)")


def _print_negatives(total: int, finders: dict[str, Find]) -> None:
    sizes: Counter[str] = Counter()
    masked: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    took: dict[str, float] = defaultdict(float)
    pieces = list(negatives(total, SEED))
    for sort, piece in pieces:
        began = time.process_time()
        found = detect(piece)
        took[sort] += time.process_time() - began
        sizes[sort] += len(piece)
        masked[sort] += sum(one.end - one.start for one in found)
        kinds.update(one.kind for one in found)
    print(f"\n{'innocent text':16}{'MB':>7}{'masked':>11}{'MB/s':>9}")
    for sort, size in [*sizes.items(), ("all", sizes.total())]:
        hidden, seconds = (masked.total(), sum(took.values())) if sort == "all" else (masked[sort], took[sort])
        print(f"{sort:16}{size / 1e6:7.2f}{100 * hidden / size:9.3f} %{size / 1e6 / seconds:9.2f}")
    print("found per MB: " + ", ".join(f"{kind} {n / sizes.total() * 1e6:.1f}" for kind, n in kinds.most_common()))
    for name, find in finders.items():
        _print_peer(name, find, [piece for _, piece in pieces][:: max(1, len(pieces) // 15)])


def _print_peer(name: str, find: Callable[[str], Spans], pieces: list[str]) -> None:
    tally = Tally()
    began = time.process_time()
    for piece in pieces:
        tally.innocent += len(piece)
        tally.judge(Leaf("", piece, ()), find(piece))
    seconds = time.process_time() - began
    print(
        f"{name}: {tally.beside():.3f} % of {tally.innocent / 1e6:.2f} "
        f"MB of it, {tally.innocent / 1e6 / seconds:.3f} MB/s"
    )


def _mark(share: float, target: float) -> str:
    return " <" if share < target else ""


if __name__ == "__main__":
    main(sys.argv[1:])
