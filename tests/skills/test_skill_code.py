"""Kept programs become importable functions; the shipped ones really run against the demo server."""

from __future__ import annotations

import ast
import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from workbench.analysis.parsed_program import ParsedProgram
from workbench.errors import WorkbenchError
from workbench.records import Skill, SkillState
from workbench.skills.skill_code import (
    called_with,
    calling,
    missing_module,
    module_source,
    renamed,
    renamed_words,
    schema_of,
    usage,
)


def call(code: str, *given: Any) -> Any:
    """Import the module made from a program named `skill`, and call it."""
    scope: dict[str, Any] = {"__name__": "skill"}
    exec(compile(module_source(ParsedProgram(code), "skill"), "skill.py", "exec"), scope)
    return asyncio.run(scope["skill"](*given))


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("result = 5", 5),
        ("x = 2\nx + 3", 5),
        ("return 5", 5),
        ("import asyncio\nawait asyncio.sleep(0)\nresult = 5\nprint('done')", 5),
        ("if True:\n    result = 5", 5),
        ("for result in range(6): pass", 5),
        ("print('x')", None),
        ("'''Doc.'''\nfrom math import sqrt\nint(sqrt(25))", 5),
        ("from __future__ import annotations\nresult: int = 5", 5),
        ("count = 0\ndef up():\n    global count\n    count += 5\nup()\nresult = count", 5),
        ("def double(n): return 2 * n\nclass Box:\n    size = double(2)\nBox.size + 1", 5),
        ("async def other(): return 5\nresult = await other()", 5),
        ("'''Only words.'''", None),
        ("", None),
    ],
)
def test_a_plain_program_becomes_the_body_of_its_function(code: str, result: object) -> None:
    assert call(code) == result


def test_a_program_with_the_function_is_left_as_it_is() -> None:
    code = "LIMIT = 3  # a comment\n\nasync def skill(n): return n + LIMIT\n"
    assert module_source(ParsedProgram(code), "skill") == code
    assert call(code, 2) == 5


def test_what_tries_the_function_out_does_not_run_at_import() -> None:
    code = "LIMIT = 3\nasync def skill(n): return n + LIMIT + more()\n"
    code += "result = await skill(1)\ndef more(): return 0\nprint(result)\n"
    assert call(code, 2) == 5


def test_no_python_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        module_source(ParsedProgram("async def ("), "skill")


def test_a_missing_skill_says_why() -> None:
    with pytest.raises(ImportError, match='the "reason"\nhere'):
        exec(missing_module("skill", 'the "reason"\nhere'))


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("result = 5", "result = await skill()"),
        ("async def skill(a, b=1, *, c, d=2): ...", "result = await skill(a, c=c)"),
        ("def skill(a): ...", "result = skill(a)"),
        ("not python (", "result = await skill()"),
    ],
)
def test_the_usage_shows_the_arguments_that_are_needed(code: str, line: str) -> None:
    assert usage(ParsedProgram(code), "skill") == f"from skills.skill import skill\n\n{line}"


def test_pending_orders_are_summarised_in_a_few_lines(run_starter: Callable[[str, str], Any]) -> None:
    found = run_starter("pending_orders_summary", "minimum_amount=500, show=3")
    assert found["read"] == 10_000
    assert 0 < found["pending"] < 1_000
    assert len(found["largest"]) == 3
    assert abs(sum(found["per_product"].values()) - found["amount"]) < 0.1
    assert len(json.dumps(found)) < 1_000


def test_waiting_ends_with_the_message(run_starter: Callable[[str, str], Any]) -> None:
    found = run_starter("wait_for_message", "every=0.1, seconds=30")
    assert found["found"] is True
    assert found["message"].startswith("deployment complete")
    assert found["looks"] > 1


def test_waiting_gives_up_and_says_so(run_starter: Callable[[str, str], Any]) -> None:
    found = run_starter("wait_for_message", "'never written', every=0.05, seconds=0.1")
    assert found["found"] is False


def test_discovery_asks_for_less_the_deeper_it_looks(run_starter: Callable[[str, str], Any]) -> None:
    found = run_starter("mcp_progressive_discovery", "'orders'")
    assert found == {
        "names": "name of 20 for orders",
        "described": "description of 5 for orders",
        "best": "full of 1 for orders",
    }


CODE = """
from typing import Literal, Optional

async def add_up(numbers: list[int], by: Literal["sum", "max"] = "sum", *, note: str | None = None, more: Thing = 3):
    return sum(numbers)
"""


def skill(code: str, name: str = "add-up") -> Skill:
    return Skill(name, "Adds.", code, SkillState.KEPT)


def test_annotations_become_a_schema() -> None:
    schema = schema_of(skill(CODE))
    assert schema["required"] == ["numbers"]
    assert schema["properties"] == {
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "by": {"enum": ["sum", "max"], "default": "sum"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "more": {"default": 3},
    }
    assert schema_of(skill("result = 1"))["properties"] == {}


@pytest.mark.parametrize(
    "code", ["async def add_up(", "x" * 10, "", "def add_up(*a, **k): ...", "def add_up(x='%s'): ..."]
)
def test_any_code_has_a_schema(code: str) -> None:
    assert schema_of(skill(code))["type"] == "object"


def test_a_call_says_what_was_given_and_is_read_back() -> None:
    text = calling(skill(CODE), {"numbers": [1, 2], "note": 'a "quote" \n'})
    assert ast.parse(text)
    assert "await add_up(" in text
    assert called_with(text, "add-up") == {"numbers": [1, 2], "note": 'a "quote" \n'}
    assert called_with(calling(skill("def add_up():\n    return 1\n"), {}), "add-up") == {}
    assert "await" not in calling(skill("def add_up():\n    return 1\n"), {})


def test_wrong_arguments_are_refused_with_the_right_ones() -> None:
    with pytest.raises(WorkbenchError, match="has no argument 'nmbers'") as caught:
        calling(skill(CODE), {"nmbers": []})
    assert "numbers, by, note, more" in caught.value.hint
    with pytest.raises(WorkbenchError, match="needs numbers"):
        calling(skill(CODE), {})
    with pytest.raises(WorkbenchError, match="contains only instructions"):
        calling(skill(""), {})


@pytest.mark.parametrize("code", ["add_up(x)", "add_up(1)", "add_up(a=1); add_up(a=2)", "f(", "add_up(**x)", "other()"])
def test_arguments_that_are_not_written_out_are_not_guessed(code: str) -> None:
    assert called_with(code, "add-up") is None


def test_only_names_change() -> None:
    code = 'async def a_b(x):\n    """a_b"""\n    # a_b\n    return await a_b(x.a_b, "a_b")  # ä a_b\n'
    after = renamed(code, "a_b", "c")
    assert after == 'async def c(x):\n    """a_b"""\n    # a_b\n    return await c(x.c, "a_b")  # ä a_b\n'
    assert renamed("def (", "a", "b") == "def ("


def test_words_of_a_card_follow() -> None:
    assert renamed_words("a-b, a-b-c, a_b()", "a-b", "new-one") == "new-one, a-b-c, new_one()"


def test_what_only_an_editor_takes_for_a_line_end_moves_nothing() -> None:
    code = "x = 'a\x0cb\u2028c'\n\n\ndef old():\n    return old, 'old'\n"
    assert renamed(code, "old", "new") == code.replace("def old", "def new").replace("return old", "return new")
