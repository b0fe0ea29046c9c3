"""What a skill takes is read from its function; the program that calls it says exactly that."""

from __future__ import annotations

import ast

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Skill, SkillState
from workbench.skills.skill_signature import called_with, calling, schema_of

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
    with pytest.raises(WorkbenchError, match="takes no 'nmbers'") as caught:
        calling(skill(CODE), {"nmbers": []})
    assert "numbers, by, note, more" in caught.value.hint
    with pytest.raises(WorkbenchError, match="needs numbers"):
        calling(skill(CODE), {})
    with pytest.raises(WorkbenchError, match="instructions only"):
        calling(skill(""), {})


@pytest.mark.parametrize("code", ["add_up(x)", "add_up(1)", "add_up(a=1); add_up(a=2)", "f(", "add_up(**x)", "other()"])
def test_arguments_that_are_not_written_out_are_not_guessed(code: str) -> None:
    assert called_with(code, "add-up") is None
