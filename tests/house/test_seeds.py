"""Every row of the five papers' checklist is listed exactly once, and the names in the list exist."""

from __future__ import annotations

import re
from pathlib import Path

ROWS = 174
ROW = re.compile(r"\| (\d+) \| [^|]+ \| `([^`]+)` \| [^|]*\|")
NAMED = re.compile(r"`((?:docs|benchmarks|tests|workbench|resources|skills)/[\w./-]+)`")
TEST = re.compile(r"def (test_row_[\w]+)\(")


def rows(root: Path) -> list[tuple[int, str]]:
    text = (root / "docs/seeds.md").read_text(encoding="utf-8")
    return [(int(number), place) for number, place in ROW.findall(text)]


def test_every_row_is_told_once(root: Path) -> None:
    assert [number for number, _ in rows(root)] == list(range(1, ROWS + 1))


def test_every_place_that_is_named_exists(root: Path) -> None:
    named = {place for _, place in rows(root)} | set(NAMED.findall((root / "docs/seeds.md").read_text("utf-8")))
    assert sorted(place for place in named if not (root / place).exists()) == []


def test_tests_of_rows_name_rows_that_there_are(root: Path) -> None:
    found = [name for file in (root / "tests/flows/seeds").glob("test_*.py") for name in TEST.findall(file.read_text())]
    numbers = {int(number) for name in found for number in re.findall(r"(?<=_)(\d{3})(?=_)", name)}
    assert len(numbers) > 100
    assert numbers <= set(range(1, ROWS + 1))
