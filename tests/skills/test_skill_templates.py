"""The text of a fresh SKILL.md."""

from __future__ import annotations

import asyncio

import pytest

from workbench.skills.skill_templates import beginning, body


def test_a_reader_learns_how_to_call_it_and_what_it_needs() -> None:
    code = 'async def add_up(a, b=1):\n    """Adds two numbers.\n\n    More."""\n'
    text = body("add-up", "Adds.", code, ("demo.list_orders",))
    assert text.startswith("# Add up\n\nAdds.\n")
    for part in ("## Usage", "## Features", "## Examples", "result = await add_up(a)", "- Adds two numbers."):
        assert part in text
    assert "- Calls the tool `demo.list_orders`." in text


def test_a_programs_own_words_are_used_where_it_has_no_function() -> None:
    assert "- Says hello." in body("hello", "", '"""Says hello."""\nprint("hello")', ())


def test_a_program_that_is_no_python_still_gets_its_text() -> None:
    assert "from skills.broken import broken" in body("broken", "Broken.", "async def (", ())


@pytest.mark.parametrize("words", ["Counts.", 'Says "\\n" and """ends""" with a quote"', "x" * 1024, "{braces} {0}"])
def test_a_new_skill_runs_as_it_stands_whatever_is_said_of_it(words: str) -> None:
    names: dict[str, object] = {}
    exec(beginning("class", words), names)
    made = names["class_"]
    assert callable(made)
    assert asyncio.run(made(limit=4)) == {"found": 4, "first": [0, 1, 2]}
