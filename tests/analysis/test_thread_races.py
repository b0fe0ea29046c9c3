"""Programs are read on worker threads beside the loop: with threads switched very often, each reading is its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from workbench.analysis.certain_failures import find_certain_failures
from workbench.analysis.reading import Reading, read_program
from workbench.analysis.used_skills import read_all
from workbench.records import Hints, Skill, SkillState, Tool

SCHEMA = {"type": "object", "properties": {"status": {"type": "string"}}, "additionalProperties": False}
TOOLS = tuple(
    Tool("demo", f"tool_{number}", hints=Hints(number % 2 == 0, number % 3 == 0, open_world=number % 5 == 0),
         input_schema=SCHEMA, hash=str(number))
    for number in range(20)
)  # fmt: skip
SKILLS = (Skill("double", "", "def double(n=2):\n    return 2 * n\n", SkillState.KEPT, 1, "e"),)


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def program(number: int) -> str:
    tool, other = f"tool_{number % 20}", f"tool_{(number + 7) % 20}"
    return (
        f"from servers.demo import {tool}, {other}\nfrom skills.double import double\n"
        f"rows = await {tool}(status='s{number}')\nfor row in rows:\n"
        f"    await {other}(statu=row, status=double({number}))\n"
        f"await {tool}(wrong={number})\n"
    )


def judged(number: int) -> tuple[object, ...]:
    reading = read_all(program(number), TOOLS, SKILLS)
    return reading.verdict, reading.constants, find_certain_failures(reading, TOOLS)


def test_programs_read_beside_each_other_have_the_verdicts_that_they_have_alone() -> None:
    alone = [judged(number) for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(judged, [*range(12)] * 2)) == alone * 2


def test_one_reading_answers_the_same_to_threads_that_ask_at_once() -> None:
    def answers(reading: Reading) -> tuple[object, ...]:
        return reading.mentioned_words, reading.constants, reading.literals, reading.modules, [*reading.texts()]

    for number in range(5):
        alone, asked = answers(read_program(program(number), TOOLS)), read_program(program(number), TOOLS)
        with ThreadPoolExecutor(4) as pool:
            assert [found[:2] for found in pool.map(answers, [asked] * 8)] == [alone[:2]] * 8
