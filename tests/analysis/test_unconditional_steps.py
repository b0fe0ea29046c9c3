"""Which calls of a program are reached whenever it runs."""

from __future__ import annotations

import ast

import pytest

from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.unconditional_steps import ProgramStep, StepWalker


def steps(code: str) -> list[ProgramStep]:
    found: list[ProgramStep] = []
    program = ParsedProgram(code)
    assert program.tree is not None
    StepWalker(program.bindings, found.append).walk(program.tree)
    return found


def certain(code: str) -> set[str]:
    """The names that are certainly called."""
    calls = [step.node.func for step in steps(code) if isinstance(step.node, ast.Call) and step.is_certain]
    return {call.id for call in calls if isinstance(call, ast.Name)}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a()\nb(c())", {"a", "b", "c"}),
        ("x = [a(), {'k': b()}, f'{c()}', -d(), e() + f()]", set("abcdef")),
        ("if a():\n    b()\nelse:\n    c()\nd()", {"a", "d"}),
        ("if a():\n    return\nb()", {"a"}),
        ("for x in a():\n    b()\nc()", {"a", "c"}),
        ("for x in (1, 2):\n    a()\n    break\n    b()", {"a"}),
        ("for x in [*y]:\n    a()", set()),
        ("while a():\n    b()", set()),
        ("try:\n    a()\nexcept E:\n    b()\nc()", {"c"}),
        ("try:\n    a()\nfinally:\n    b()", {"a"}),
        ("def f():\n    try:\n        a()\n    finally:\n        return 1\nf()", {"f"}),
        ("with open(p) as x:\n    a()", {"open", "a"}),
        ("def open(p): ...\nwith open(p) as x:\n    a()", {"open"}),
        ("with other(p) as x:\n    a()", {"other"}),
        ("async def m():\n    async with asyncio.timeout(1):\n        a()\nawait m()", {"m", "a"}),
        ("def f():\n    a()\nf()", {"f", "a"}),
        ("def f():\n    a()\n", set()),
        ("def f():\n    f()\n    a()\nf()", {"f", "a"}),
        ("async def f():\n    a()\nf()\nb()", {"f", "b"}),
        ("async def f():\n    a()\nf()", {"f", "a"}),
        ("async def f():\n    a()\nasyncio.run(f())", {"f", "a"}),
        ("a() and b()", {"a"}),
        ("b() if a() else c()", {"a"}),
        ("a() < b() < c()", {"a"}),
        ("[b() for x in a()]", set()),
        ("lambda: a()", set()),
        ("class X:\n    a()", set()),
        ("match a():\n    case 1:\n        b()", set()),
        ("a()\nraise b()\nc()", {"a"}),
        ("a()\nexit()", set()),
    ],
)
def test_only_the_straight_way_is_certain(code: str, expected: set[str]) -> None:
    assert certain(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("await a()", True),
        ("a()\n1", False),
        ("await asyncio.gather(a(), x)", True),
        ("await asyncio.gather(a(), return_exceptions=True)", False),
        ("await asyncio.gather(a(), **x)", False),
        ("t = asyncio.gather(a())", False),
        ("await asyncio.wait_for(a(), 1)", True),
        ("asyncio.run(a())", True),
        ("t = asyncio.create_task(a())", False),
        ("await other(a())", False),
    ],
)
def test_a_call_is_awaited_where_its_failure_is_the_programs(code: str, expected: bool) -> None:
    (step,) = [step for step in steps(code) if isinstance(step.node, ast.Call) and ast.unparse(step.node.func) == "a"]
    assert step.is_awaited is expected


def test_calls_and_imports_off_the_way_are_told_as_uncertain() -> None:
    found = steps("if x:\n    from a import b\n    while y:\n        c(d())")
    assert len(found) == 3
    assert not any(step.is_certain for step in found)
