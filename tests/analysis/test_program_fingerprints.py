"""An approval is about one text in one meaning; whatever changes of that asks again, and says how little changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.analysis.canonical_text import canonicalize
from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.program_fingerprints import (
    ProgramFingerprints,
    changed_values,
    is_near,
    once_only,
    session_only,
)
from workbench.analysis.program_fingerprints import fingerprints as prints_of
from workbench.analysis.reading import assess
from workbench.records import Likeness, Origin, Proposal, RunProfile, Tool, ValueChange, Verdict

TICKET = "from servers.demo import create_ticket\n\nawait create_ticket(title='late', to='a@acme.com', days=3)\n"


def prints(proposal: Proposal, verdict: Verdict) -> ProgramFingerprints:
    return prints_of(proposal, verdict, ParsedProgram(proposal.code, python=proposal.language == "python"))


Propose = Callable[..., tuple[Proposal, Verdict]]


@pytest.fixture
def propose(tools: Sequence[Tool]) -> Propose:
    """A proposal and the verdict on it."""

    def make(code: str, **fields: str) -> tuple[Proposal, Verdict]:
        text = canonicalize(code)
        proposal = Proposal("p", text.text, text.sha, Origin.AGENT, "s", "an agent", **fields)
        return proposal, assess(code, tools)

    return make


@pytest.mark.parametrize(
    ("code", "likeness"),
    [
        (TICKET, Likeness.TEXT),
        (TICKET.replace("\n\n", "\n# a word\n\n\n").replace("title='late', ", "title = 'late',\n    "), Likeness.TREE),
        (TICKET.replace("days=3", "days=4"), Likeness.VALUES),
        (TICKET.replace("days=3", "days='3'"), None),
        (TICKET.replace("days=3", "urgent=True"), None),
        (TICKET + "print(1)\n", None),
    ],
)
def test_how_much_of_an_allowed_program_a_new_one_is(propose: Propose, code: str, likeness: Likeness | None) -> None:
    assert prints(*propose(TICKET)).likeness(prints(*propose(code))) is likeness


def test_what_the_text_means_here_is_part_of_what_was_approved(propose: Propose, tools: Sequence[Tool]) -> None:
    proposal, verdict = propose(TICKET)
    mine = prints(proposal, verdict)
    changed = [replace(tool, hash="another") if tool.name == "create_ticket" else tool for tool in tools]
    others = (
        prints(proposal, assess(TICKET, changed)),
        prints(proposal, replace(verdict, rules="other rules")),
        prints(proposal, replace(verdict, definitions={**verdict.definitions, "skills.totals": "kept anew"})),
        prints(proposal, replace(verdict, profile=RunProfile("read_only", workspace="read"))),
        prints(proposal, replace(verdict, required=("demo.create_ticket",))),
        prints(replace(proposal, state="mine"), verdict),
    )
    assert all(mine.likeness(other) is None for other in others)


def test_a_switch_is_no_value_and_a_name_is_none(propose: Propose) -> None:
    on, off = propose("a = True\nb = None\n"), propose("a = False\nb = None\n")
    assert prints(*on).likeness(prints(*off)) is None


def test_changed_values_are_told_with_their_lines_and_destinations_are_marked() -> None:
    after = TICKET.replace("late", "lost").replace("a@acme.com", "b@evil.org").replace("3", "30")
    assert changed_values(ParsedProgram(TICKET), ParsedProgram(after)) == (
        ValueChange(3, "'late'", "'lost'"),
        ValueChange(3, "'a@acme.com'", "'b@evil.org'", destination=True),
        ValueChange(3, "3", "30"),
    )


def test_neither_many_nor_long_values_hide_a_changed_place() -> None:
    def program(mark: str, to: str) -> str:
        return "\n".join([*(f"x{n} = '{mark}{n}'" for n in range(90)), f"send(to={to!r})"])

    changes = changed_values(ParsedProgram(program("a", "a@acme.com")), ParsedProgram(program("b", "b@evil.org")))
    assert (len(changes), changes[-1]) == (50, ValueChange(91, "'a@acme.com'", "'b@evil.org'", destination=True))
    padding = "word " * 100
    (change,) = changed_values(
        ParsedProgram(f"send({padding + 'a@acme.com'!r})"), ParsedProgram(f"send({padding + 'b@evil.org'!r})")
    )
    assert "a@acme.com" in change.before
    assert "b@evil.org" in change.after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("send('a@acme.com')", "send('b@acme.com')"),
        ("url = 'x'", "url = 'y'"),
        ("call({'recipients': ['x']})", "call({'recipients': ['y']})"),
        ("get('https://a.org/1')", "get('https://b.org/1')"),
        ("read('notes.txt')", "read('/etc/passwd')"),
    ],
)
def test_a_place_is_known_by_its_name_or_its_look(before: str, after: str) -> None:
    assert [change.destination for change in changed_values(ParsedProgram(before), ParsedProgram(after))] == [True]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("from servers.demo import list_orders\nprint(await list_orders())", ""),
        (TICKET, ""),
        ("from servers.demo import delete_customer\nawait delete_customer(id=1)", ""),
        ("from servers.old import frobnicate\nawait frobnicate()", "It has a high risk"),
        ("import helper\nhelper.go()", "whose code can change"),
        ("await call_tool('demo', name)", "analyzed completely"),
        ("import shutil\nshutil.rmtree('output')", "It has a high risk"),
        ("from servers.demo import (", "cannot run"),
    ],
)
def test_what_may_be_allowed_for_more_than_once(propose: Propose, tools: Sequence[Tool], code: str, words: str) -> None:
    found = once_only(*propose(code), tools)
    assert words in found
    assert bool(words) == bool(found)


def test_nothing_of_high_risk_is_allowed_for_good(propose: Propose) -> None:
    assert session_only(propose("from servers.demo import delete_customer\nawait delete_customer(id=1)")[1])
    assert not session_only(propose(TICKET)[1])


def test_programs_nobody_reads_and_those_of_a_state_are_asked_about_each_time(
    propose: Propose, tools: Sequence[Tool]
) -> None:
    script, verdict = propose("const a = 1;\n", language="typescript")
    assert "Programs in this language are not analyzed" in once_only(script, verdict, tools)
    assert prints(script, verdict).tree == ""
    assert "variables of other programs" in once_only(*propose(TICKET, state="mine"), tools)


def test_programs_with_most_lines_the_same_are_near() -> None:
    lines = "".join(f"a{number} = {number}\n" for number in range(20))
    assert is_near(lines, lines.replace("a3 = 3", "import os"))
    assert not is_near(lines, "print('something else')\n")


VALUES = st.recursive(
    st.text(max_size=8) | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_programs_of_one_skeleton_differ_in_what_is_told_and_nothing_else(first: object, second: object) -> None:
    before, after = f"x = call(to={first!r})\n", f"x = call(to={second!r})\n"
    proposals = [Proposal("p", code, str(hash(code)), Origin.AGENT, "s", "a") for code in (before, after)]
    verdict = assess("", ())
    likeness = prints(proposals[0], verdict).likeness(prints(proposals[1], verdict))
    if likeness is Likeness.VALUES:
        assert changed_values(ParsedProgram(before), ParsedProgram(after))
    if likeness is Likeness.TREE:
        assert ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))


def test_sql_of_another_kind_is_another_program(propose: Propose) -> None:
    def printed(sql: str) -> ProgramFingerprints:
        return prints(*propose(f"print({sql!r})"))

    added = printed("INSERT INTO orders VALUES (1)")
    assert added.likeness(printed("INSERT INTO orders VALUES (2)")) is Likeness.VALUES
    for other in ("DELETE FROM orders WHERE id = 1", "UPDATE orders SET paid = 1", "SELECT * FROM orders"):
        assert added.likeness(printed(other)) is None, other
    assert printed("Good morning").likeness(printed("Hello")) is Likeness.VALUES
