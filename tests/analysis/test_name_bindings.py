"""What the names of a program mean for certain."""

from __future__ import annotations

import ast

import pytest

from workbench.analysis.parsed_program import ParsedProgram


def meaning(code: str, name: str) -> str:
    return ParsedProgram(code).bindings.meaning(ast.parse(name, mode="eval").body)


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("from servers.a import b", "b", "servers.a.b"),
        ("from servers.a import b as c", "c", "servers.a.b"),
        ("import servers.a", "servers.a.b", "servers.a.b"),
        ("import servers.a as x", "x.b", "servers.a.b"),
        ("from servers import a", "a.b", "servers.a.b"),
        ("from servers.a import b\ndef f():\n    from servers.a import b", "b", "servers.a.b"),
        ("", "call_tool", "client.call_tool"),
        ("", "asyncio.run", "asyncio.run"),
        ("def f(): ...", "f", "here.f:1"),
    ],
)
def test_a_name_that_is_always_the_same_has_a_meaning(code: str, name: str, expected: str) -> None:
    assert meaning(code, name) == expected


@pytest.mark.parametrize(
    "other",
    [
        *("b = 1", "del b", "b += 1", "b: int = 1", "(b := 1)", "for b in x: ...", "with x as b: ...", "import b"),
        *("def b(): ...", "class b: ...", "def f(b): ...", "lambda b: b", "[b for b in x]", "from servers.z import b"),
        *(
            "try: ...\nexcept E as b: ...",
            "match x:\n    case b: ...",
            "match x:\n    case [*b]: ...",
            "from .a import b",
        ),
        *("match x:\n    case {**b}: ...", "globals()['b'] = 1", "exec(x)", "import importlib", "x.y = 1", "del x.y"),
        *(
            "from z import *",
            "sys.modules['servers.a'] = x",
            "f.__globals__['b'] = 1",
            "from unittest.mock import patch",
        ),
    ],
)
def test_a_name_that_may_become_something_else_has_none(other: str) -> None:
    assert meaning(f"from servers.a import b\n{other}", "b") == ""


def test_an_unheard_name_and_a_decorated_function_have_none() -> None:
    assert meaning("", "x.y") == ""
    assert meaning("@d\ndef f(): ...", "f") == ""
    assert meaning("def f(): ...\ndef f(): ...", "f") == ""


@pytest.mark.parametrize("code", ["exit()", "import sys\nsys.exit(0)", "raise SystemExit", "from os import _exit"])
def test_a_program_that_may_end_in_the_middle_is_known(code: str) -> None:
    assert ParsedProgram(code).bindings.leaves
    assert not ParsedProgram("print(1)").bindings.leaves
