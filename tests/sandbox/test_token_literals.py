"""Programs with tokens do what the same programs with the values would do, before and after the values are known."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sandbox.inside.program_transform import prepare
from workbench.sandbox.inside.token_literals import TABLE, TokenTable, digest_of, has_tokens

TOKEN = "[NAME_3.k7q2]"
OTHER = "%5bphone_12.0a1b%5D"


def run(code: str, values: dict[str, Any], *, ahead: bool = False, **names: Any) -> Any:
    """The result of a program whose function `read` makes the values known."""
    table = TokenTable()
    program = prepare(code, "<program>", table)

    def read() -> None:
        places = [[token, [token], 0, 1_000] for token in values if token in code]
        table.learn(places, values)

    names |= {TABLE: table, "read": read}
    if ahead:
        read()
    program.start(names)
    return program.answer(None, names)


FORMS = """
def forms(value, texts, words):
    early_set, early_dict, early_list = {TOKEN, "q"}, {TOKEN: 1, "q": 2}, [TOKEN, "q"]
    read()
    table = {text: number for number, text in enumerate(texts)}
    def matched(one):
        match one:
            case TOKEN:
                return 1
            case {TOKEN: number}:
                return number
        return 0
    return [
        [value == TOKEN, TOKEN == value, value != TOKEN, not (TOKEN != value)],
        [text == TOKEN for text in texts], [text in early_set for text in texts],
        [text in early_list for text in texts],
        [early_dict.get(text, 0) for text in texts], [early_dict[text] if text in early_dict else 0 for text in texts],
        [TOKEN in texts, TOKEN in set(texts), TOKEN in frozenset(texts), TOKEN in table, TOKEN not in table],
        [table.get(TOKEN, -1), table[TOKEN] if TOKEN in table else -1, texts.count(TOKEN)],
        sorted(set(texts) - early_set), len(set(texts) & {TOKEN}), {TOKEN}.isdisjoint(texts),
        sorted(set(texts) - {TOKEN}),
        TOKEN in words, words.startswith(TOKEN), words.endswith((TOKEN, "zz")), words.find(TOKEN), words.count(TOKEN),
        words.replace(TOKEN, "-"), words.split(TOKEN), [*words.partition(TOKEN)], words.removeprefix(TOKEN),
        [text.lower() == TOKEN.lower() for text in texts], [matched(text) for text in texts], TOKEN == TOKEN,
        next((number for number, text in enumerate(texts) if text == TOKEN), None), "a" in {"a": 1}, [1, 2][-1], 7 - 2,
        early_dict[TOKEN], TOKEN in early_set, TOKEN in early_dict, len({TOKEN, TOKEN}),
    ]
result = forms(VALUE, TEXTS, WORDS)
"""
LETTERS = st.text("abA", min_size=1, max_size=3)


@given(LETTERS, st.lists(LETTERS, max_size=5), st.lists(LETTERS, max_size=5).map("".join), st.booleans())
def test_a_token_does_what_its_value_would_do(value: str, texts: list[str], words: str, ahead: bool) -> None:
    given = {"VALUE": value, "TEXTS": texts, "WORDS": words}
    plain = run(FORMS.replace("TOKEN", json.dumps(value)), {}, **given)
    token = run(FORMS.replace("TOKEN", json.dumps(TOKEN)), {TOKEN: value}, ahead=ahead, **given)
    assert token == plain


def test_a_token_of_an_unknown_value_is_the_text_that_it_was() -> None:
    given = {"VALUE": "Ada", "TEXTS": ["Ada", "Bo", TOKEN], "WORDS": f"Ada {TOKEN}"}
    code = FORMS.replace("TOKEN", json.dumps(TOKEN))
    names: dict[str, Any] = {"read": lambda: None, **given}
    program = prepare(code)
    program.start(names)
    assert run(code, {}, **given) == program.answer(None, names)


def test_a_token_is_printed_joined_copied_and_sent_as_it_is_written() -> None:
    code = f"""
read()
token, other = "{TOKEN}", "{OTHER}"
result = [
    token, str(token), f"{{token}} {{other!r}}", token + other, [*{{token: 1}}], "%s" % token, token[:5], len(token),
]
"""
    names: dict[str, Any] = {}
    found = run(code, {TOKEN: "Ada", OTHER: 4711}, ahead=True, **names)
    text = [TOKEN, TOKEN, f"{TOKEN} {OTHER!r}", TOKEN + OTHER, [TOKEN], TOKEN, TOKEN[:5], len(TOKEN)]
    assert json.loads(json.dumps(found)) == text
    token = found[0]
    assert pickle.loads(pickle.dumps(token)) == TOKEN  # made here
    assert type(pickle.loads(pickle.dumps(token))) is str  # made here
    assert copy.deepcopy([token])[0] == "Ada"
    assert "Ada" not in repr(vars(token.token))
    assert not hasattr(token, "__dict__")


def test_numbers_equal_their_tokens() -> None:
    code = f'read()\nresult = [4711 == "{OTHER}", 4712 == "{OTHER}", 4711 in {{"{OTHER}"}}, {{4711: 1}}.get("{OTHER}")]'
    assert run(code, {OTHER: 4711}) == [True, False, True, 1]


def test_values_are_found_in_variables_and_files_by_hints_only(tmp_path: Path) -> None:
    table, salt = TokenTable(), b"s" * 16
    prepare(f'x = ["{TOKEN}", "{OTHER}"]', "<program>", table)
    (tmp_path / "people.csv").write_text("name\nBo Lind\n")
    names = {"deep": [{"a": ("x", {"Ada Lovelace"})}], "__name__": "Ada Lovelace"}
    hints = {
        TOKEN: {"salt": salt.hex(), "digest": digest_of(salt, "Ada Lovelace"), "length": 12},
        OTHER: {"file": "people.csv", "start": 5, "end": 12},
    }
    table.learn_ahead(hints, names, tmp_path)
    assert not table.needs_values
    checked = prepare(f'result = ["{TOKEN}" == "Ada Lovelace", "{OTHER}" == "Bo Lind"]', "<program>", table)
    found: dict[str, Any] = {TABLE: table}
    checked.start(found)
    assert checked.answer(None, found) == [True, True]


@pytest.mark.parametrize("places", [[["x", [], 0, 1]], [[TOKEN, ["a", "b"], 0, 1]], [[TOKEN, [[9]], 0, 1]]])
def test_a_place_that_does_not_exist_is_ignored(places: list[Any]) -> None:
    table = TokenTable()
    prepare(f'x = "{TOKEN}"', "<program>", table)
    table.learn(places, {"a": "x"})
    assert table.needs_values


def test_only_programs_with_tokens_are_changed() -> None:
    assert not has_tokens('x = "[SECRET_KEY]"; y = "[NAME_1]"; z = rows[name_1.count]')
    assert has_tokens(f"x = '{TOKEN}'")
    assert has_tokens(OTHER)
    code = f'"""Docs of {TOKEN}."""\ndef f(*, x: "{TOKEN}" = "{TOKEN}"): return x\nresult = [f(), __doc__]'
    assert run(code, {}) == [TOKEN, f"Docs of {TOKEN}."]
