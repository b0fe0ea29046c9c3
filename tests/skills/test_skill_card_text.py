"""The text of a fresh SKILL.md."""

from __future__ import annotations

from workbench.skills.skill_card_text import body


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
