from __future__ import annotations

import pytest

from workbench.spreadsheet_escaping import safe_cell


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])
def test_a_formula_becomes_a_text(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", [-5, 1.5, None, True, "", "a=1", "1-2"])
def test_everything_else_stays_as_it_is(value: object) -> None:
    assert safe_cell(value) is value
