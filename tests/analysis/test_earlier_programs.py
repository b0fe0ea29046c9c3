"""A program in a kept sandbox is judged with what ran there before it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.canonical_text import MAX_BYTES
from workbench.analysis.reading import assess, read_program
from workbench.records import EffectKind, Gate, Risk, Tool

DELETE = "import os\ndef tidy(path):\n    os.remove(path)\n"


def test_without_earlier_programs_nothing_is_different() -> None:
    assert read_program(DELETE, [], earlier=()).verdict == assess(DELETE, [])


def test_what_an_earlier_program_defined_is_known_when_a_later_one_calls_it() -> None:
    alone, together = (
        assess("tidy('workspace/a')", []),
        read_program("tidy('workspace/a')", [], earlier=[DELETE]).verdict,
    )
    assert alone.risk is Risk.LOW
    assert together.risk is not Risk.LOW
    assert together.sha == alone.sha
    assert together.sentence.startswith("Together with the program before it in this session: ")


def test_findings_and_effects_stand_at_the_lines_of_the_program_that_is_to_run() -> None:
    verdict = read_program(
        "print(1)\nimport shutil\nshutil.rmtree('workspace/b')", [], earlier=[DELETE, "x = 1"]
    ).verdict
    mine = [one for one in verdict.findings if "earlier program" not in one.message]
    theirs = [one for one in verdict.findings if "earlier program" in one.message]
    assert {one.span.line for one in theirs} == {1}
    assert {3} <= {one.span.line for one in mine} <= {1, 2, 3}
    earlier = [one for one in verdict.effects if "earlier program" in one.text]
    assert earlier
    assert all(one.kind is not EffectKind.WILL for one in earlier)
    assert "the 2 programs before it" in verdict.sentence


def test_a_program_may_have_stopped_before_it_rebound_a_name() -> None:
    """The second one fails at once, so that `f` still is the dangerous one."""
    earlier = ["import shutil\nf = shutil.rmtree", "1 / 0\nf = print"]
    found = read_program("f('workspace/precious')", [], earlier=earlier).verdict.findings
    assert "Deletes workspace/precious" in [one.message for one in found]


def test_returns_awaits_decorators_and_future_imports_of_earlier_programs_are_read() -> None:
    earlier = [
        "from __future__ import annotations\nimport functools\n@functools.cache\ndef f():\n    return 1\nreturn 2",
        "import asyncio\nawait asyncio.sleep(0)\nx: int = 3  # the end",
    ]
    verdict = read_program("from __future__ import annotations\nf() + x", [], earlier=earlier).verdict
    assert (verdict.risk, verdict.gate) == (Risk.LOW, Gate.AUTO)


@pytest.mark.parametrize("code", ["x = (", "import socket\nsocket.create_connection(('example.com', 80))"])
def test_a_program_that_goes_back_to_its_author_does_so_for_its_own_sake(code: str) -> None:
    assert read_program(code, [], earlier=["y = 1"]).verdict == assess(code, [])


def test_too_much_to_be_read_together_is_put_before_a_person() -> None:
    long = "x = '" + "a" * (MAX_BYTES // 2) + "'"
    verdict = read_program("print(1)", [], earlier=[long, long]).verdict
    assert (verdict.risk, verdict.gate) == (Risk.HIGH, Gate.ASK)
    assert any("too long to be analyzed" in words for words in verdict.not_assessed)


TEXT = ["x = 1", "def f():\n    pass", "if x:\n    y = 2\n", "'''a\nb'''", "# note", "", "f()\n\n"]


@given(st.lists(st.sampled_from(TEXT), max_size=4), st.sampled_from(["f()", "x + 1\n", "# only a note", "\n\ny"]))
def test_every_line_told_is_a_line_of_the_program(earlier: list[str], code: str) -> None:
    verdict = read_program(code, [], earlier=earlier).verdict
    lines = code.count("\n") + 1
    assert all(1 <= one.span.line <= lines for one in verdict.findings)
    assert all(1 <= one.line <= lines for one in verdict.effects)


def test_what_an_earlier_program_read_flows_from_before_the_first_line(tools: Sequence[Tool]) -> None:
    before = "from servers.web import fetch_page\npage = await fetch_page(url='https://x.org')\n"
    now = "from servers.demo import send_email\nawait send_email(to=page['mail'])\n"
    flows = read_program(now, tools, earlier=[before]).verdict.flows
    assert {(flow.source, flow.line, flow.sink, flow.sink_line) for flow in flows} == {
        ("web.fetch_page", 0, "demo.send_email.to", 2)
    }


MAIL = "from servers.demo import send_email\n"
SENT = MAIL + "await send_email(to='bob@acme.example')\n"


def test_a_call_that_an_earlier_program_has_finished_asks_once() -> None:
    for earlier in (SENT, MAIL + "for to in ['a', 'b']:\n    answer = await send_email(to=to)\n"):
        assert assess(earlier, None).gate is Gate.ASK
        verdict = read_program("print(1)", None, earlier=[earlier]).verdict
        assert (verdict.risk, verdict.gate, verdict.effects) == (Risk.LOW, Gate.AUTO, ())
    again = read_program("await send_email(to='eve@evil.example')", None, earlier=[SENT]).verdict
    assert again.gate is Gate.ASK
    assert [one.line for one in again.effects] == [1]
    assert "eve@evil.example" in again.sentence


@pytest.mark.parametrize(
    ("earlier", "code"),
    [
        ("async def go():\n    await send_email(to='bob')\nawait go()\n", "await go()"),
        ("import functools\nmail = functools.partial(send_email, to='bob')\n", "await mail(body='x')"),
        ("tools = [send_email]\n", "await tools[0](to='eve')"),
        ("later = send_email(to='bob')\n", "await later"),
        ("mails = (await send_email(to=to) for to in ['a', 'b'])\n", "async for _ in mails:\n    pass"),
        ("send = lambda: send_email(to='bob')\nawait send()\n", "await send()"),
        ("await send_email(to='bob')\nasync def again():\n    await send_email(to='bob')\n", "await again()"),
    ],
)
def test_what_an_earlier_program_left_for_later_still_asks(earlier: str, code: str) -> None:
    assert read_program(code, None, earlier=[MAIL + earlier]).verdict.gate is Gate.ASK
