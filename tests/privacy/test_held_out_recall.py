"""Recall on held-out sentences in other scripts and languages: floors a little below what was measured."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from workbench.privacy.detectors.detector import detect

SETS = Path(__file__).parent / "held_out"
MARKED = re.compile(r"\{([A-Z_]+):([^{}]*)\}")


def samples(path: Path) -> list[tuple[str, str, list[tuple[int, int, str]]]]:
    """Group, text and values (start, end, kind) of each line."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            group, _, marked = line.partition("\t")
            marked = marked.replace("\\n", "\n")
            text, at, values = "", 0, []
            for match in MARKED.finditer(marked):
                text += marked[at : match.start()]
                values.append((len(text), len(text) + len(match[2]), match[1]))
                text += match[2]
                at = match.end()
            found.append((group, text + marked[at:], values))
    return found


@pytest.mark.parametrize(
    ("name", "count", "floors", "most_innocent"),
    [
        (
            "other_scripts.txt",
            312,
            {"NAME": 0.97, "ADDRESS": 0.97, "PHONE": 0.97, "CARD": 1, "IBAN": 1, "EMAIL": 1, "NATIONAL_ID": 0.98},
            0.03,
        ),
        ("third_set.txt", 121, {"NAME": 0.95, "ADDRESS": 1, "PHONE": 1, "NATIONAL_ID": 0.88}, 0.03),
        ("second_set.txt", 119, {"NAME": 0.95, "ADDRESS": 0.94, "PHONE": 1, "CARD": 1, "NATIONAL_ID": 0.71}, 0.035),
    ],
)
def test_values_are_masked_whole_and_little_else(
    name: str, count: int, floors: dict[str, float], most_innocent: float
) -> None:
    whole, total = Counter[str](), Counter[str]()
    innocent = masked = 0
    for _, text, values in samples(SETS / name):
        covered = {at for span in detect(text) for at in range(span.start, span.end)}
        inside = {at for start, end, _ in values for at in range(start, end)}
        for start, end, kind in values:
            whole[kind] += covered.issuperset(range(start, end))
            total[kind] += 1
        innocent += len(text) - len(inside)
        masked += len(covered - inside)
    assert total.total() == count
    assert {kind: whole[kind] / total[kind] for kind in floors if whole[kind] / total[kind] < floors[kind]} == {}
    assert masked / innocent <= most_innocent
