"""Which arguments of a call are known before it is made, in every spelling; a constant is never overlooked."""

from __future__ import annotations

import pytest

from workbench.analysis.reading import read_program
from workbench.records import Hints, Tool

FIELDS = {"to": {"type": "string"}, "from": {"type": "string"}}
MAIL = Tool("demo", "send_email", input_schema={"properties": FIELDS}, hints=Hints(read_only=False), hash="h")
BOB, EVE = "bob@acme.example", "eve@evil.example"
KNOWN = {
    f'await send_email(to="{BOB}", from_="x")': [{"to": BOB, "from": "x"}],
    f'await send_email({{"to": "{BOB}"}})': [{"to": BOB}],
    f'await client.call_tool("demo", "send_email", {{"to": "{EVE}"}})': [{"to": EVE}],
    f'await client.call_tool(server="demo", tool="send_email", arguments={{"to": "{EVE}"}})': [{"to": EVE}],
    f'await client.call_mcp_tool("mcp__demo__send_email", {{"to": "{EVE}"}})': [{"to": EVE}],
    f'for who in ["{BOB}", "{EVE}"]:\n    await send_email(to=who)': [{"to": BOB}, {"to": EVE}],
    f'who = "{BOB}"\nif input():\n    who = "{EVE}"\nawait send_email(to=who)': [{"to": BOB}, {"to": EVE}],
    f'async def mail(x):\n    await send_email(to=x)\nawait mail("{BOB}")\nawait mail("{EVE}")': [
        {"to": BOB},
        {"to": EVE},
    ],
    f'all = ["{BOB}"]\nall += ["{EVE}"]\nawait send_email(to=all)': [{"to": [BOB, EVE]}],
    f'd = {{"a": "{BOB}", "b": "{EVE}"}}\nfor k in d:\n    await send_email(to=d[k])': [{"to": BOB}, {"to": EVE}],
}
UNKNOWN = (
    "await send_email(to=input())",
    'await send_email(to=f"{input()}@acme.example")',
    f'a = {{"to": "{BOB}"}}\na["to"] = input()\nawait send_email(**a)',
    f'a = {{"to": "{EVE}"}}\nawait client.call_tool("demo", "send_email", a)',
    f'all = ["{BOB}"]\nall[0] = "{EVE}"\nawait send_email(to=all)',
    'for n in range(99):\n    await send_email(to=f"{n}@acme.example")',
)
START = "from servers.demo import send_email\nimport client\n"


@pytest.mark.parametrize("code", KNOWN)
def test_constants_are_known_in_every_spelling(code: str) -> None:
    (call,) = read_program(START + code, [MAIL]).calls
    found = call.known_arguments
    assert sorted(map(repr, (one.values for one in found))) == sorted(map(repr, KNOWN[code]))
    assert not any(one.unknown for one in found)


@pytest.mark.parametrize("code", UNKNOWN)
def test_what_is_only_known_when_the_program_runs_is_not_taken_for_a_constant(code: str) -> None:
    (call,) = read_program(START + code, [MAIL]).calls
    assert all(one.unknown and "to" not in one.values for one in call.known_arguments)
