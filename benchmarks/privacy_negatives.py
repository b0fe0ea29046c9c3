"""Collects innocent text for `privacy.py`: code of installed packages, and generated logs, schemas, tables and ids.

Lines of code that may name persons (an at-sign, a copyright, an author) are left out, because masking them is correct.
Addresses such as 127.0.0.1 remain in the code; they are few, but count as wrongly masked.
"""

from __future__ import annotations

import datetime
import json
import random
import re
import string
import sysconfig
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path


def _words(text: str) -> list[str]:
    return text.split()


_PEOPLE = re.compile(
    r"@\w|\w@|copyright|\(c\)|©|author|written by|contributed|maintain|thanks|credit|license", re.IGNORECASE
)
_SIZE = 20_000  # characters of one piece, the size of a typical answer
_WORDS = _words("order cache queue worker index shard report batch price stock route parcel invoice page token session")
_STATES = ["ok", "failed", "retry", "pending", "done", "skipped"]


def negatives(total: int, seed: int) -> Iterator[tuple[str, str]]:
    """Pieces of innocent text with their category. Half of the characters are code, the rest is generated."""
    yield from _cut("code", _code(), total // 2)
    made: list[Callable[[random.Random], str]] = [_log, _schema, _ids, _measures, _metrics, _sql]
    for at, make in enumerate(made):
        yield from _cut(make.__name__.strip("_"), _endless(make, random.Random(seed + at)), total // 2 // len(made) + 1)


def _cut(sort: str, lines: Iterator[str], total: int) -> Iterator[tuple[str, str]]:
    """Combine complete lines to pieces until the category has enough characters."""
    piece: list[str] = []
    size = given = 0
    for line in lines:
        piece.append(line)
        size += len(line) + 1
        if size >= _SIZE or given + size >= total:
            yield sort, "\n".join(piece)
            given, size, piece = given + size, 0, []
            if given >= total:
                return


def _code() -> Iterator[str]:
    """Lines of the standard library, then of packages by name, in an order that depends on the installation only."""
    for place in ("stdlib", "purelib"):
        root = Path(sysconfig.get_path(place))
        for path in sorted(root.rglob("*.py")):
            if place == "purelib" or "site-packages" not in path.parts:
                text = path.read_text(encoding="utf-8", errors="ignore")
                yield from (line for line in text.splitlines() if not _PEOPLE.search(line))


def _endless(make: Callable[[random.Random], str], rng: random.Random) -> Iterator[str]:
    while True:
        yield make(rng)


def _word(rng: random.Random) -> str:
    return rng.choice(_WORDS)


def _moment(rng: random.Random) -> str:
    day, clock = rng.randrange(365), rng.randrange(86_400_000)
    moment = datetime.datetime(2025, 1, 1) + datetime.timedelta(days=day, milliseconds=clock)
    return moment.isoformat(timespec="milliseconds") + "Z"


def _log(rng: random.Random) -> str:
    return rng.choice(
        [
            (
                f"{_moment(rng)} INFO  [{_word(rng)}-{rng.randrange(99)}] request "
                f"{uuid.UUID(int=rng.getrandbits(128))} took {rng.randrange(9000)} ms"
            ),
            (
                f"{_moment(rng)} DEBUG {_word(rng)}.{_word(rng)}: {rng.randrange(10**6)} "
                f"rows, offset {rng.randrange(10**10)}, state={rng.choice(_STATES)}"
            ),
            (
                f"[{rng.randrange(10**5)}.{rng.randrange(10**6):06}] {_word(rng)}{rng.randrange(9)}: "
                f"buffer 0x{rng.getrandbits(48):012x} size {rng.randrange(10**7)}"
            ),
            (
                f"{rng.randrange(10**9, 2 * 10**9)} GET "
                f"/api/v{rng.randrange(4)}/{_word(rng)}/{rng.randrange(10**8)}?page={rng.randrange(90)} "
                f"200 {rng.randrange(10**6)}"
            ),
            f'  File "/srv/{_word(rng)}/{_word(rng)}.py", line {rng.randrange(2000)}, in {_word(rng)}_{_word(rng)}',
        ]
    )


def _schema(rng: random.Random) -> str:
    fields: dict[str, dict[str, str | int]] = {
        f"{_word(rng)}_{_word(rng)}": {
            "type": rng.choice(["string", "integer"]),
            "description": f"The {_word(rng)} of the {_word(rng)}.",
        }
        for _ in range(4)
    }
    fields |= {
        "email": {"type": "string", "format": "email"},
        "name": {"type": "string", "maxLength": rng.randrange(400)},
    }
    title = f"{_word(rng)}-{_word(rng)}"
    return json.dumps(
        {"title": title, "type": "object", "properties": fields, "required": ["name"]}, indent=rng.choice([None, 2])
    )


def _ids(rng: random.Random) -> str:
    letters = string.ascii_uppercase + string.digits
    return json.dumps(
        {
            "id": f"{rng.getrandbits(96):024x}",
            "uuid": str(uuid.UUID(int=rng.getrandbits(128))),
            "sha256": f"{rng.getrandbits(256):064x}",
            "ulid": "01" + "".join(rng.choices(letters, k=24)),
            "order_no": f"ORD-{rng.randrange(10**9):09}",
            "tracking": "".join(rng.choices(letters, k=18)),
            "ean": f"{rng.randrange(10**13):013}",
            "epoch_ms": rng.randrange(10**12, 2 * 10**12),
            "version": f"{rng.randrange(20)}.{rng.randrange(40)}.{rng.randrange(9)}",
            "etag": f'W/"{rng.getrandbits(64):x}"',
            "color": f"#{rng.getrandbits(24):06x}",
            "batch": rng.randrange(10**16),
        }
    )


def _measures(rng: random.Random) -> str:
    cells = [
        _moment(rng)[:19],
        f"s{rng.randrange(40)}",
        f"{rng.gauss(20, 9):.4f}",
        f"{rng.uniform(-90, 90):.6f}",
        f"{rng.uniform(-180, 180):.6f}",
    ]
    return ",".join([*cells, str(rng.randrange(10**6)), f"{rng.random():.12f}", rng.choice(_STATES)])


def _metrics(rng: random.Random) -> str:
    labels = f'shard="{rng.randrange(64)}",code="{rng.choice([200, 404, 500])}"'
    return f"{_word(rng)}_{_word(rng)}_total{{{labels}}} {rng.randrange(10**9)} {rng.randrange(10**12, 2 * 10**12)}"


def _sql(rng: random.Random) -> str:
    a, b = _word(rng), _word(rng)
    return rng.choice(
        [
            (
                f"SELECT {a}.id, count(*) FROM {a} JOIN {b} ON {b}.{a}_id = "
                f"{a}.id WHERE {a}.size > {rng.randrange(10**7)} GROUP BY 1;"
            ),
            (
                f"CREATE TABLE {a}_{b} (id bigint PRIMARY KEY, {a}_code "
                f"varchar({rng.randrange(255)}) NOT NULL, total numeric(12,2));"
            ),
            (
                f"INSERT INTO {a} VALUES ({rng.randrange(10**10)}, '{b}', "
                f"{rng.random() * 10**5:.2f}, '{_moment(rng)[:10]}');"
            ),
            (
                f"-- plan: Seq Scan on {a}  (cost=0.00..{rng.randrange(99999)}.{rng.randrange(99):02} "
                f"rows={rng.randrange(10**7)} width={rng.randrange(300)})"
            ),
        ]
    )
