"""Measures the time to detect personal data, whether it grows linearly, and how long an event loop is blocked.

    python benchmarks/privacy_speed.py [--brief]

Three measurements: a dense result of 50 kB, as text, as JSON with its keys, and for the complete path (values are
learnt when it arrives and masked when it leaves); adversarial texts of 1 MB, compared with a quarter of their length;
and the longest block of an event loop like the core's while a thread learns and masks 1 MB of each category. Times are
CPU times of this process, gaps are wall times; each gap is also printed without the time for which other programs had
the processors.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from privacy_negatives import negatives
from privacy_prose import passages
from privacy_shapes import Shapes

from workbench.privacy.detectors.detector import detect
from workbench.privacy.vault import Vault
from workbench.records import JsonValue

SEED = 20250304
SIZE = 50_000  # characters of a dense result
MEGABYTE = 1_000_000
GOAL_MS = 50.0
GOAL_GAP_MS = 20.0
TIMES = 5
PEOPLE = 240
# Pieces that, repeated, almost match a pattern and never do.
ADVERSARIAL = (
    "a@", "@", "1 ", "1-", "+1", "1.", "a:", "a=", "\"a\":", "<a>", "{", "[\"", "Rosa ", "Rosa, ", "1 Rosa ", "born ",
    "account no ", "name: ", "Dear Rosa ", "a|b|", "a,b\n", "key\n", "%40", "\\u0040", "AKIA", "://a:", "eyJ",
    "0:", "ab ", "\n", " ", "passport ", "-----BEGIN " + "PRIVATE KEY-----", "[EMAIL_1", "x" * 50 + " ",
    "Mr ", "12 Street ", "é", "<@U",
)  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    """Print the three tables."""
    _print_dense()
    _print_linear(ADVERSARIAL[::6] if "--brief" in arguments else ADVERSARIAL)
    asyncio.run(_print_gaps(MEGABYTE // 4 if "--brief" in arguments else MEGABYTE))


def dense() -> tuple[str, JsonValue]:
    """The same 50 kB as a text and as JSON values."""
    values: list[JsonValue] = []
    size = 0
    for one in Shapes(SEED).all(12):
        if not isinstance(one.value, str) and one.shape not in ("urls", "numbers"):
            values.append(one.value)
            size += len(one.printed.text) + 2
            if size > SIZE:
                break
    return json.dumps(values, ensure_ascii=False), values


def mixed(size: int) -> str:
    """Results of all shapes and prose, mixed, as text."""
    parts = [one.printed.text for one in Shapes(SEED).all(6)] + [one.printed.text for one in passages(1, SEED)]
    text = "\n\n".join(parts)
    return (text * (size // len(text) + 1))[:size]


def customers() -> tuple[JsonValue, str]:
    """Records of some persons, 50 kB as JSON, and 50 kB of prose that names some of them."""
    first, last = ("Rosa", "Greta", "Idris", "Mina", "Tomas", "Aiko"), ("Lund", "Iyer", "Okafor", "Novak", "Prieto")
    people: list[JsonValue] = []
    for number in range(PEOPLE):
        name = f"{first[number % 6]} {last[number % 5]}{'aeiou'[number % 5]}{'nrst'[number % 4]}"
        about = {"id": number, "name": name, "email": f"{name.lower().replace(' ', '.')}{number}@example.com"}
        where = {"phone": f"+44 20 7946 {number:04d}", "address": f"{number + 1} Birch Lane, E1 4QX London"}
        people.append({**about, **where, "state": "open", "plan": "yearly", "note": "asked for a later date"})
    plain = "the parcel was late again, and nobody had said why it was left at the depot for another week. " * 20
    prose = "".join(f"{plain}Then {person['name']} called. " for person in people[::9] if isinstance(person, dict))
    return people, prose


def _print_dense() -> None:
    text, value = dense()
    plain = mixed(SIZE)
    people, prose = customers()
    records = json.dumps(people)
    detect(plain)  # loads the model
    print(f"a dense result (goal {GOAL_MS:g} ms for reading 50 kB)")
    for name, work in (
        (f"read as text, {len(text) / 1000:.0f} kB of JSON", lambda: detect(text)),
        (f"read as text, {len(plain) / 1000:.0f} kB of everything", lambda: detect(plain)),
        ("learnt, with its keys", lambda: Vault("s").register(value, "crm")),
        ("learnt and masked, with its keys", lambda: _way(value, Vault.sanitize_json, value)),
        ("learnt with its keys, masked where a program prints it", lambda: _way(value, Vault.sanitize, text)),
        ("learnt and masked as text, of everything", lambda: _way(plain, Vault.sanitize, plain)),
        (f"{PEOPLE} people learnt", lambda: Vault("s").register(people, "crm")),
        (f"and masked as {len(records) / 1000:.0f} kB of JSON", lambda: _way(people, Vault.sanitize, records)),
        (f"and masked in {len(prose) / 1000:.0f} kB of prose", lambda: _way(people, Vault.sanitize, prose)),
    ):
        took = 1000 * min(_seconds(work) for _ in range(TIMES))
        print(f"  {name:58}{took:8.1f} ms" + (" <" if name.startswith("read") and took > GOAL_MS else ""))


def _way(value: JsonValue, mask: Callable[..., object], shown: JsonValue) -> None:
    vault = Vault("s")
    vault.register(value, "crm")
    mask(vault, shown)


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _print_linear(pieces: Sequence[str]) -> None:
    print(f"\n{'1 MB of':32}{'a quarter':>12}{'all':>12}{'times':>8}")
    for piece in pieces:
        took = []
        for size in (MEGABYTE // 4, MEGABYTE):
            text = piece * (size // len(piece))
            took.append(_seconds(lambda text=text: detect(text)))
        times = took[1] / max(took[0], 1e-6)
        print(f"{piece[:24]!r:32}{took[0]:10.2f} s{took[1]:10.2f} s{times:8.1f}" + (" <" if times > 6 else ""))


async def _print_gaps(size: int) -> None:
    made = "".join(piece for _, piece in negatives(size, SEED))[:size]
    print(f"\nlongest gap of a loop beside {size / 1e6:g} MB (goal {GOAL_GAP_MS:g} ms)")
    gc.freeze()  # the core does the same at its start
    ticking = asyncio.create_task(_longest_gap())  # noqa: TID251 - no core runs here
    await asyncio.sleep(2)
    ticking.cancel()
    _print_gap("nothing at all", await ticking, 2.0)
    for name, text in (("results and prose", mixed(size)), ("code, logs, tables", made), ("one letter", "x" * size)):
        vault = Vault("s")
        ticking = asyncio.create_task(_longest_gap())  # noqa: TID251 - no core runs here
        await asyncio.sleep(0.05)
        began = time.perf_counter()
        await asyncio.to_thread(vault.register, text, "crm")
        await asyncio.to_thread(vault.sanitize, text)
        took = time.perf_counter() - began
        ticking.cancel()
        _print_gap(name, await ticking, took)


def _print_gap(name: str, gaps: tuple[float, float], took: float) -> None:
    whole, own = (1000 * gap for gap in gaps)
    print(f"  {name:24}{whole:8.1f} ms, {own:6.1f} of its own, in {took:6.2f} s" + (" <" if own > GOAL_GAP_MS else ""))


async def _longest_gap() -> tuple[float, float]:
    """The longest gap in wall time, and without the time of other programs."""
    longest = own = 0.0
    last, waited = time.perf_counter(), _waited()
    try:
        while True:
            await asyncio.sleep(0.001)
            gap = time.perf_counter() - last - 0.001
            others = _waited()
            longest, own = max(longest, gap), max(own, gap - (others - waited))
            last, waited = time.perf_counter(), others
    except asyncio.CancelledError:
        return longest, own


def _waited() -> float:
    """Total seconds for which threads of this process were ready without a processor; 0 if the kernel does not report
    it.
    """
    times = [path.read_text(encoding="ascii").split()[1] for path in Path("/proc/self/task").glob("*/schedstat")]
    return sum(map(int, times)) / 1e9


if __name__ == "__main__":
    main(sys.argv[1:])
