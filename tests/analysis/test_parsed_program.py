"""Programs are read beside each other, and once more when Python stumbled over itself."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis import parsed_program
from workbench.analysis.canonical_text import canonicalize
from workbench.analysis.parsed_program import ParsedProgram, Positions
from workbench.records import Span

TEXT = "\n".join(f"value_{at} = [{{'a': ({at}, -{at})}} for one in range({at})]" for at in range(200))


def test_texts_are_read_on_several_threads() -> None:
    with ThreadPoolExecutor(4) as threads:
        assert {len(tree.body) for tree in threads.map(parsed_program.parse, [TEXT] * 16)} == {200}


def test_a_stumble_is_no_fault_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    real, stumbles = ast.parse, [SystemError("AST constructor recursion depth mismatch")] * 2

    def stumbling(text: str, name: str) -> ast.Module:
        if stumbles:
            raise stumbles.pop()
        return real(text, name)

    monkeypatch.setattr(ast, "parse", stumbling)
    assert len(parsed_program.parse("a = 1").body) == 1


def test_what_is_no_program_is_told() -> None:
    with pytest.raises(SyntaxError):
        parsed_program.parse("a = = 1")


def _call(text: str) -> ast.AST:
    return next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("x = f(1)", Span(1, 4, 1, 8)),
        ("é = f('ü')", Span(1, 4, 1, 10)),
        ("'日本'; f('😀')", Span(1, 6, 1, 12)),
        ("a\nf(\n  'é')", Span(2, 0, 3, 6)),
    ],
)
def test_a_node_stands_where_it_is_seen(text: str, span: Span) -> None:
    assert Positions(text).span(_call(text)) == span
    lines = text.split("\n")
    if span.line == span.end_line:
        assert lines[span.line - 1][span.column : span.end_column].startswith("f(")


def test_places_outside_of_the_text_are_clamped() -> None:
    node = ast.Name("x", lineno=9, col_offset=5, end_lineno=9, end_col_offset=80)
    assert Positions("x").span(node) == Span(9, 0, 9, 0)
    assert Positions("x").span(ast.Load()) == Span(1, 0, 1, 0)


WIDE = st.text(st.characters(codec="utf-8") | st.sampled_from("é日😀👩\u0301\u00a0 '\t"), max_size=12)


@given(WIDE, WIDE, WIDE)
def test_a_span_cuts_exactly_its_node_out_of_any_canonical_text(before: str, inside: str, after: str) -> None:
    text = canonicalize(f"{before!r}; f({inside!r},\n  g({after!r})) # {before!r}\n").text
    lines = text.split("\n")
    for node in (found for found in ast.walk(ast.parse(text)) if isinstance(found, ast.Call | ast.Constant)):
        span = Positions(text).span(node)
        cut = "\n".join(lines[span.line - 1 : span.end_line])
        cut = cut[span.column : len(cut) - (len(lines[span.end_line - 1]) - span.end_column)]
        assert ast.dump(ast.parse(cut, mode="eval").body) == ast.dump(node)


# ── what the names of a program mean for certain ─────────────────────────────────────────────────────
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
