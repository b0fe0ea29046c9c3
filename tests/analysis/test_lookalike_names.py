"""Names that read as another name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk

Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    "code",
    [
        "рrint = 1",  # the first letter is Cyrillic
        "total = 1\ntоtal = 2\nprint(total)",  # the second one's o is Cyrillic
        "import json as јson2\nimport math as оs",
        "def сonfirm(): pass\ndef confirm(): pass",
        "𝓮𝔁𝓮𝓬 = 1",
        "ｐrint(1)",
    ],
)
def test_a_name_that_reads_as_another_is_high(code: str, rules: Rules) -> None:
    assert rules(code)["name.lookalike"] is Risk.HIGH


@pytest.mark.parametrize(
    "code",
    [
        "α, β = 1, 2\nΔ = α * β\na = 1",
        "größe = 1\nnaïve = 2",
        "имя = 'Анна'\nprint(имя)",
        "print('рrint')  # only inside a text: сonfirm",
        "名前 = 1",
        "e\u0301t\u00e9 = 1",
    ],
)
def test_a_name_of_another_script_alone_is_honest(code: str, rules: Rules) -> None:
    assert "name.lookalike" not in rules(code)


def test_the_name_is_told_where_it_first_stands(judge: Callable[[str], object]) -> None:
    verdict = judge("x = 'ö'; рrint = 1\nрrint")
    (finding,) = [f for f in verdict.findings if f.rule == "name.lookalike"]  # type: ignore[attr-defined]
    assert (finding.span.line, finding.span.column) == (1, 9)
