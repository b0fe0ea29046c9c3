from __future__ import annotations

from workbench.skills.skill_renaming import renamed, renamed_words


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
