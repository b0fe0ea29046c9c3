"""Long programs are shortened to what matters at a place, and no line changes its number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.editor_completion.program_shortening import LONG, shorten

FILLER = "\n".join(f"def f{number}(a):\n    return a + {number}\n" for number in range(LONG // 3 + 1))
HEAD = 'import json\n\n\n@decorated\ndef used(x):\n    """Text\ndef not_one():\n    """\n    return json.dumps(x)\n\n\n'


def test_short_programs_stay_as_they_are() -> None:
    assert shorten("def a(): pass\n", 1) == ("def a(): pass\n", ())


def test_what_is_near_stays_and_the_rest_is_named() -> None:
    code = f"{HEAD}{FILLER}\nclass Here:\n    def go(self):\n        return used(1).\n\nvalue = f7(3)\n"
    line = code.split("\n").index("        return used(1).") + 1
    short, others = shorten(code, line)
    assert short.count("\n") == code.count("\n")
    assert short.split("\n")[line - 1] == "        return used(1)."
    assert "@decorated\ndef used(x):" in short
    assert "return json.dumps(x)" in short
    assert "def f7(a):" in short
    assert "def f8(a):" not in short
    assert ("f8", "function") in others
    assert {name for name, _ in others}.isdisjoint({"used", "Here", "f7", "not_one"})


@given(
    st.lists(st.sampled_from(["def a():", "    x = 1", "@b", "class C:", ")", '"""', "y = 2", "# c", ""]), max_size=30),
    st.integers(1, LONG + 30),
)
def test_no_line_moves_or_changes(parts: list[str], line: int) -> None:
    code = "\n".join([*parts, *["z = 3"] * LONG])
    short, _ = shorten(code, line)
    pairs = list(zip(short.split("\n"), code.split("\n"), strict=True))
    assert all(one in ("", other) for one, other in pairs)
