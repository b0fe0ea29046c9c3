"""Every expression is looked into, and constants come out of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk

Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    "expression",
    [
        "[BODY]",
        "(1, BODY)",
        "{BODY}",
        "{'a': BODY}",
        "{BODY: 1}",
        "{**BODY}",
        "f'{BODY}'",
        "f'{x:{BODY}}'",
        "x + BODY",
        "x and BODY",
        "x < BODY",
        "not BODY",
        "x if BODY else y",
        "BODY if x else y",
        "(x := BODY)",
        "await BODY",
        "f(BODY)",
        "f(*BODY)",
        "f(a=BODY)",
        "f(**BODY)",
        "BODY.x",
        "BODY.x()",
        "BODY[0]",
        "x[BODY]",
        "x[BODY:1]",
        "[BODY for x in y]",
        "[x for x in BODY]",
        "[x for x in y if BODY]",
        "{x: BODY for x in y}",
        "(BODY for x in y)",
        "lambda: BODY",
        "lambda x=BODY: x",
        "[*BODY]",
    ],
)
def test_every_expression_is_looked_into(expression: str, rules: Rules) -> None:
    assert "process" in rules("import os\n" + expression.replace("BODY", 'os.system("id")'))


def test_yielding_is_looked_into(rules: Rules) -> None:
    assert "process" in rules("import os\ndef f():\n    yield os.system('id')\n    yield from os.system('id')")


@pytest.mark.parametrize("expression", ["2 ** 100_000_000", "1 << 10**8", "'a' * 10**10"])
def test_an_enormous_value_is_told(expression: str, rules: Rules) -> None:
    assert rules(expression) == {"resource": Risk.MEDIUM}


@pytest.mark.parametrize("expression", ["2 ** 64", "1 << 20", "'-' * 80", "x ** y"])
def test_ordinary_arithmetic_is_fine(expression: str, rules: Rules) -> None:
    assert rules(expression) == {}


def test_a_name_the_program_gives_a_builtin_is_its_own(rules: Rules) -> None:
    assert rules("def exec(x):\n    return x\nexec('a')") == {}


def test_look_alike_letters_of_a_name_are_read_as_python_reads_them(rules: Rules) -> None:
    assert "code.run" in rules("\U0001d4ee\U0001d4ff\U0001d4ea\U0001d4f5('1')")
