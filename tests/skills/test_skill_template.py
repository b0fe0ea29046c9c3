from __future__ import annotations

import asyncio

import pytest

from workbench.skills.skill_template import beginning


@pytest.mark.parametrize("words", ["Counts.", 'Says "\\n" and """ends""" with a quote"', "x" * 1024, "{braces} {0}"])
def test_a_new_skill_runs_as_it_stands_whatever_is_said_of_it(words: str) -> None:
    names: dict[str, object] = {}
    exec(beginning("class", words), names)
    made = names["class_"]
    assert callable(made)
    assert asyncio.run(made(limit=4)) == {"found": 4, "first": [0, 1, 2]}
