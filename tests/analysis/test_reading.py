"""Whole programs: harmless ones pass, risky ones do not, and no text whatever makes the analyzer fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from workbench.analysis.canonical_text import canonicalize
from workbench.analysis.reading import assess, read_program
from workbench.analysis.verdict import RULES
from workbench.records import EffectKind, Gate, Risk, Span, Tool, Verdict
from workbench.records.common_types import at_least


def programs(name: str) -> list[str]:
    """Programs of a file, divided by lines of equal signs."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8").split("\n=====\n")


@pytest.mark.parametrize("code", programs("programs_harmless.txt"))
def test_a_harmless_program_runs_unasked(code: str, judge: Callable[[str], Verdict]) -> None:
    verdict = judge(code)
    assert (verdict.risk, verdict.gate) == (Risk.LOW, Gate.AUTO), verdict.sentence


@pytest.mark.parametrize("code", programs("programs_risky.txt"))
def test_a_risky_program_does_not(code: str, judge: Callable[[str], Verdict]) -> None:
    verdict = judge(code)
    assert at_least(verdict.risk, Risk.MEDIUM)
    assert verdict.gate in (Gate.ASK, Gate.REFUSED)
    assert verdict.sentence != "Only computes: it uses no tool, no file and no network."


@pytest.mark.parametrize("code", programs("programs_risky.txt") + programs("programs_harmless.txt"))
def test_every_span_lies_within_the_text(code: str, judge: Callable[[str], Verdict]) -> None:
    lines = canonicalize(code).text.split("\n")
    for finding in judge(code).findings:
        span = finding.span
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert (span.line, span.column) <= (span.end_line, span.end_column)
        assert span.end_column <= len(lines[span.end_line - 1])


def test_there_are_enough_programs_to_mean_something() -> None:
    assert min(len(programs("programs_harmless.txt")), len(programs("programs_risky.txt"))) >= 60


def test_a_finding_stands_exactly_where_the_code_is(judge: Callable[[str], Verdict]) -> None:
    (finding,) = judge("é = '日本'; import os; os.system('ls 😀')\n").findings
    assert finding.span == Span(1, 21, 1, 38)
    assert finding.subject == "ls 😀"


def test_a_finding_inside_an_f_string_stands_at_the_string_or_in_it(judge: Callable[[str], Verdict]) -> None:
    text = "import os\nx = f'''é\n{os.popen('id')}'''\n"
    (finding,) = judge(text).findings
    assert (2, 4) <= (finding.span.line, finding.span.column) <= (3, 1)


def test_a_program_that_does_not_parse_is_blocked_with_its_line(judge: Callable[[str], Verdict]) -> None:
    verdict = judge("x = 1\nif x\n    pass\n")
    assert verdict.gate is Gate.BLOCKED
    assert verdict.sentence == "Cannot run: line 2 does not parse: expected ':'."
    assert verdict.findings[0].span.line == 2


def test_hidden_characters_block(judge: Callable[[str], Verdict]) -> None:
    verdict = judge("x = 'a\u202eb'\n")
    assert verdict.gate is Gate.BLOCKED
    assert verdict.findings[0].rule == "text.bidi"


def test_an_unknown_tool_is_told_with_the_nearest_and_may_never_be_called(judge: Callable[[str], Verdict]) -> None:
    verdict = judge("from servers.demo import list_order\nawait list_order()\n")
    assert verdict.gate is Gate.ASK
    assert "demo.list_orders" in verdict.sentence


@pytest.mark.parametrize("name", ["__all__", "__name__", "_FILES"])
def test_what_python_keeps_of_a_package_is_no_tool(name: str, judge: Callable[[str], Verdict]) -> None:
    assert judge(f"import servers.demo\nprint(servers.demo.{name})\n").gate is Gate.AUTO


def test_importing_a_type_of_a_server_does_not_block(judge: Callable[[str], Verdict]) -> None:
    verdict = judge(
        "from servers.demo import list_orders, ListOrdersInput\nx: ListOrdersInput = ListOrdersInput(limit=1)\n"
    )
    assert verdict.gate is Gate.AUTO


def test_await_and_return_at_the_top_level_are_fine(judge: Callable[[str], Verdict]) -> None:
    assert judge("from servers.demo import list_orders\nif True:\n    return await list_orders()\n").gate is Gate.AUTO


@pytest.mark.parametrize(
    ("code", "gate"),
    [
        ("import os; os.system('id')", Gate.REFUSED),
        ("import requests; requests.get('http://x.org')", Gate.REFUSED),
        ("open('/etc/passwd').read()", Gate.REFUSED),
        ("open('report.csv', 'w')", Gate.REFUSED),
        ("import os; os.system('id'); open('workspace/a', 'w')", Gate.ASK),
        ("eval(x)", Gate.ASK),
    ],
)
def test_only_what_the_sandbox_surely_refuses_is_called_refused(
    code: str, gate: Gate, judge: Callable[[str], Verdict]
) -> None:
    assert judge(code).gate is gate


def test_constant_text_given_to_exec_is_read_as_a_program(judge: Callable[[str], Verdict]) -> None:
    verdict = judge("x = 1\nexec('from servers.demo import delete_customer; delete_customer(id=1)')\n")
    assert [(use.server, use.tool) for use in verdict.tools] == [("demo", "delete_customer")]
    assert all(finding.span.line == 2 for finding in verdict.findings)


def test_text_in_text_in_text_is_read_and_ends(judge: Callable[[str], Verdict]) -> None:
    code = "import os; os.remove('workspace/a')"
    for _ in range(2):
        code = f"exec({code!r})"
    assert "file.delete" in {finding.rule for finding in judge(code).findings}
    for _ in range(6):
        code = f"exec({code!r})"
    assert at_least(judge(code).risk, Risk.HIGH)


@pytest.mark.parametrize(
    "code", ["x = " + " + ".join(["1"] * 20_000), "f()\n" * 60_000, "a" + ".b()" * 3_000, "x = " + "-" * 5_000 + "1"]
)
def test_a_program_over_the_cap_asks_and_is_never_low(code: str, judge: Callable[[str], Verdict]) -> None:
    verdict = judge(code)
    assert (verdict.risk, verdict.gate) == (Risk.HIGH, Gate.ASK)


def test_a_verdict_names_its_rules_its_text_and_the_definitions_it_saw(
    judge: Callable[[str], Verdict], tools: Sequence[Tool]
) -> None:
    verdict = judge("from servers.demo import list_orders\nawait list_orders()\n")
    assert verdict.rules == RULES
    assert verdict.sha == canonicalize("from servers.demo import list_orders\nawait list_orders()").sha
    assert verdict.definitions == {"demo.list_orders": "hash of demo.list_orders"}


def test_without_a_catalogue_the_verdict_says_so() -> None:
    verdict = assess("from servers.x import get_y\nawait get_y()\n", None)
    assert verdict.gate is Gate.AUTO
    assert any("judged by their names" in words for words in verdict.not_assessed)
    assert assess("from servers.x import get_y\nawait get_y()\n", ()).gate is Gate.ASK


def test_an_effect_is_told_in_plain_words_with_its_line(judge: Callable[[str], Verdict]) -> None:
    (effect,) = judge("x = 1\nopen('workspace/a.csv', 'w')\n").effects
    assert (effect.kind, effect.text, effect.line, effect.reversible) == (
        EffectKind.WILL,
        "Writes workspace/a.csv",
        2,
        True,
    )


PIECES = [
    "import os",
    "os",
    ".system",
    "(",
    ")",
    "'id'",
    "\n",
    "    ",
    "for x in y:",
    "def f(a, *b, **c):",
    "class A:",
    "=",
    "[",
    "]",
    "{",
    "}",
    "await",
    "return",
    "lambda:",
    "exec",
    "eval",
    "getattr",
    ",",
    ":",
    "f'{x}'",
    "%",
    "*",
    "+",
    "open",
    "servers.demo",
    "from",
    "import",
    "list_orders",
    "try:",
    "except:",
    "with",
    "as",
    "match x:",
    "case _:",
    "del",
    "global",
    "yield",
    "é",
    "1",
    "b'a'",
    "@",
    "not",
    "if",
    "call_tool",
    "while",
    "pass",
    ";",
    "[::-1]",
    ".join",
    ".format",
    "vars",
    "globals()",
    "['x']",
    "is",
    "in",
    "else",
    ":=",
    "...",
]


@given(
    st.text()
    | st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join)
    | st.binary().map(lambda b: b.decode("latin-1"))
)
def test_no_text_makes_it_fail(text: str) -> None:
    verdict = assess(text, None)
    assert verdict.sentence
    assert (verdict.gate is Gate.AUTO) == (verdict.risk is Risk.LOW and verdict.gate is not Gate.BLOCKED)
    json.dumps(to_builtins(verdict))


EXPRESSIONS = st.recursive(
    st.sampled_from(
        [
            "1",
            "'a'",
            "x",
            "os",
            "b'b'",
            "None",
            "f'{x}'",
            "open",
            "exec",
            "servers",
            "1.5",
            "...",
            "call_tool",
            "__builtins__",
        ]
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: f"({p[0]} + {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} % {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"{p[0]}[{p[1]}]" if not p[0][0].isdigit() else f"({p[0]})[{p[1]}]"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]})({p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"getattr({p[0]}, {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]}).join({p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]}).format({p[1]}, a={p[0]})"),
        st.tuples(inner, inner).map(lambda p: f"[{p[0]} for x in {p[1]}]"),
        st.tuples(inner, inner).map(lambda p: f"{{{p[0]}: {p[1]}, **{p[0]}}}"),
        st.tuples(inner, inner).map(lambda p: f"(lambda x, y={p[0]}: {p[1]})({p[0]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} if {p[1]} else {p[0]})"),
        inner.map(lambda p: f"({p}).system({p}, *{p}, **{p})"),
        inner.map(lambda p: f"bytes([{p}, 300, -1])[{p}:{p}:0]"),
        inner.map(lambda p: f"__import__({p}).b64decode({p})"),
        inner.map(lambda p: f"chr({p})"),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_no_program_makes_it_fail(expression: str) -> None:
    verdict = assess(
        f"import os, base64, codecs, servers.demo\nx = {expression}\nfor y in x:\n    z = y({expression})\n", None
    )
    assert verdict.gate is not Gate.BLOCKED or "parse" in verdict.sentence


TOKEN = "[EMAIL_7.t778]"
COMPARED = (  # program, line of the comparison, whether the sandbox compares the value
    ('x == "TOKEN"', 1, True),
    ('y = "TOKEN"\nz = y\nprint(x != z)', 3, True),
    ('def same(one):\n    return x == one\nsame("TOKEN")', 2, True),
    ('print(x in ("a", "TOKEN"))', 1, True),
    ('rows = {}\nrows.get("TOKEN")\nrows["TOKEN"]', 2, True),
    ('match x:\n    case {"TOKEN": y}:\n        pass', 2, True),
    ('match x:\n    case "TOKEN" | "b":\n        pass', 2, True),
    ('[row for row in rows if row["email"] == "TOKEN"]', 1, True),
    ('await send(x) if x.startswith("TOKEN") else 1', 1, True),
    ('x == "[EMAIL" + "_7.t778]"', 1, True),
    ("x == f\"<{'TOKEN'}>\"", 1, True),
    ('x == "{} {}".format("a", "TOKEN")', 1, True),
    ('x == "TOKEN,b".split(",")[0]', 1, True),
    ('x < "TOKEN"', 1, False),
    ('"TOKEN".startswith(x)', 1, False),
    ('import re\nre.search("TOKEN", x)', 2, False),
    ('x.str.contains("TOKEN")', 1, False),
    ("exec('x == \"TOKEN\"')", 1, False),
)


def test_texts_with_tokens_that_are_compared_are_known_with_their_line_in_every_spelling():
    for program, line, restores in COMPARED:
        found = read_program(program.replace("TOKEN", TOKEN), ()).compared
        at_line = [one.restores for one in found if TOKEN in one.text and one.span.line == line]
        assert at_line, (program, found)
        assert all(at_line) is restores, (program, found)


def test_a_text_without_a_token_or_a_comparison_is_not_listed():
    for program in ('x == "EMAIL_7"', 'x == "[SECRET_KEY]"', f'print("{TOKEN}")', f'to = "{TOKEN}"\nawait send(to=to)'):
        assert read_program(program, ()).compared == (), program


def test_a_comparison_in_an_earlier_program_is_not_listed_again():
    reading = read_program(f'b = a == "{TOKEN}"', (), earlier=[f'x == "{TOKEN}"\na = 1'])
    assert [one.span.line for one in reading.compared] == [1]
