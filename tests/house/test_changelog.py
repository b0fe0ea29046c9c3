"""The changelog has each section and entry once, and no entry above the sections, after two branches were merged."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

CHANGELOG = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")


def test_no_line_stands_twice() -> None:
    lines = Counter(line for line in CHANGELOG.splitlines() if len(line) > 40)
    assert [line for line, times in lines.items() if times > 1] == []


def test_every_point_stands_below_a_sentence_that_says_what_it_is_about() -> None:
    for version in re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]:
        _, first, *_ = re.split(r"\n\n", version)
        assert not first.startswith("*"), f"put this into one of the sections: {first[:100]}"


def test_points_and_sections_are_apart() -> None:
    for before, line in zip(CHANGELOG.splitlines(), CHANGELOG.splitlines()[1:], strict=False):
        begins_section = bool(line) and line[0] not in "* #" and before.startswith(("*", "  "))
        assert not begins_section, f"an empty line is missing before: {line}"
