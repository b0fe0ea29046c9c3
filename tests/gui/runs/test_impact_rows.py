"""The rows that say what a program touches in all."""

from __future__ import annotations

from workbench.gui.runs.effects_view import impact_rows
from workbench.records import Gate, Impact, Risk, Verdict


def _verdict(impact: Impact, lines: int = 0, forks: int = 0) -> Verdict:
    return Verdict("0" * 64, Risk.LOW, Gate.AUTO, "", impact=impact, lines=lines, forks=forks)


def test_each_kind_is_a_row_with_its_names() -> None:
    found = Impact(changed=("workspace/a", "workspace/b"), tools={"sends": ("mail.send",)}, lasting=1)
    assert impact_rows(_verdict(found, lines=12, forks=3)) == [
        ("Changes", "workspace/a, workspace/b"),
        ("Tools that send", "mail.send"),
        ("Cannot be undone", "1 effect"),
        ("To read", "12 lines, 3 branches and loops"),
    ]


def test_many_names_are_counted() -> None:
    ((_, words),) = impact_rows(_verdict(Impact(read=tuple(f"f{n}" for n in range(20)))))
    assert words.endswith("f11 and 8 more")


def test_a_verdict_of_before_has_no_rows() -> None:
    assert impact_rows(_verdict(Impact())) == []
