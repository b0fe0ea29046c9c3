"""What an agent reads of tools, skills and of the workbench itself stays as it was written, whatever became known.

A real core and the SDK's client; only what is known from private answers is replaced, and only where nobody vouches for
the text.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.test_channels import answer_for_the_person
from workbench.agent.edge import Edge
from workbench.agent.tools import INSTRUCTIONS, TOOLS
from workbench.privacy.text_kinds import TextKind
from workbench.records import EntryQuery
from workbench.runs import reasons
from workbench.runs.sessions import Sessions

TOKEN = re.compile(r"\[[A-Z_]+_\d+\.\w{4}\]")
PLANTING = str(Path(__file__).resolve().parent.parent / "servers" / "planting.py")
NAME, MAIL = "Wilhelmina Qvortrup", "wilhelmina@qvortrup.org"
LEARN = (  # what made the workbench's own words into people
    "print('HOME=/home/orders')",
    "print('HOME=/home/sandbox', 'USERNAME=program')",
    "print('author: mcp-workbench, login=hint')",
    "from servers.demo import list_customers\nprint(await list_customers(limit=20))",
)
OWN = (  # what the workbench says by itself
    ("list_skills", {}),
    ("search_skills", {"query": "wait"}),
    ("load_skill", {"name": "wait-for-message"}),
    ("load_skill", {"name": "no-such-skill"}),
    ("search_tools", {}),
    ("search_tools", {"detail_level": "full", "server": "demo"}),
    ("get_tool_definition", {"name": "demo.list_orders"}),
    ("get_tool_definition", {"name": "demo.list_program"}),
    ("execute_code", {"code": "x = 1", "description": "x"}),
    ("execute_code", {"code": "import subprocess", "description": "x"}),
    ("execute_code", {"code": "print(", "description": "x"}),
    ("execute_code", {"code": "while True: pass", "description": "x", "timeout": 0.5}),
    (
        "execute_code",
        {"code": "from servers.demo import list_orders\nawait list_orders(name='x', state=1)", "description": "x"},
    ),
)


async def said(client, tool, arguments):
    answer = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in answer.content if part.type == "text")


async def test_definitions_skills_errors_and_hints_stay_as_they_were_when_values_become_known(core, agent):
    core._set_settings(replace(core.settings, approval_wait_seconds=1))
    async with agent() as client:
        listed = await client.list_tools()
        before = [await said(client, *asked) for asked in OWN]
        for code in LEARN:
            assert TOKEN.search(await said(client, "execute_code", {"code": code, "description": "x"})), code
        for asked, told in zip(OWN, before, strict=True):
            assert await said(client, *asked) == told
        unknown = await said(client, "get_run", {"run_id": "none"})  # its hint names the last runs
        assert unknown.startswith("There is no run 'none' of yours. Your last runs are r")
        assert not TOKEN.search(unknown)
        assert await client.list_tools() == listed
    assert not any(map(TOKEN.search, before))
    assert {tool.name: tool.description for tool in listed.tools} == {
        tool.name: tool.description if tool.name != "execute_code" else listed.tools[0].description for tool in TOOLS
    }


async def test_nothing_is_learnt_from_definitions_and_skills(core, agent):
    async with agent() as client:
        for asked in OWN[:8]:
            await said(client, *asked)
        (session,) = (one for one in core.rooms.sessions.all() if one.called == "test agent")
        assert session.vault.learnt == 0


@pytest.fixture
async def planted(core):
    entry = {"command": sys.executable, "args": ["-S", PLANTING, NAME, MAIL]}
    core.paths.servers_file.write_text(json.dumps({"mcpServers": {"plant": entry}}), encoding="utf-8")
    await core.desk.reload_servers()
    answer_for_the_person(core)
    await core.desk.connect("plant", (await core.desk.consent("plant")).sha)
    return core


READ = "from servers.plant import record\nperson = (await record())['customer']\n"


@pytest.mark.parametrize(
    "made_up", ["person['email']", "person['name'].split()[0]", "person['name'].replace(' ', '_')"]
)
async def test_a_known_value_is_replaced_in_the_name_of_a_tool_that_a_program_makes_up_and_in_the_audit(
    planted, agent, made_up
):
    code = f"{READ}from client import call_tool\nawait call_tool('plant', {made_up}, {{'about': {made_up}}})"
    async with agent() as client:
        answer = await said(client, "execute_code", {"code": code, "description": "x"})
    assert TOKEN.search(answer)
    noted = [one for one in planted.rooms.journal.entries(EntryQuery()) if one.note.kind != "run.unforeseen"]
    written = "\n".join(map(str, noted))
    for text in (answer, written):
        assert not re.search("wilhelm|qvortr", text, re.IGNORECASE), text
    assert "[EMAIL_1." in written or "[NAME_1." in written


@pytest.mark.parametrize("kind", TextKind)
async def test_each_kind_of_text_leaves_as_it_should(kind):
    session = Sessions(lambda: True).open("test agent")
    session.register(json.dumps({"email": MAIL, "name": NAME, "username": "orders"}), "crm", json.loads)
    learnt = session.vault.learnt
    text = f"The orders of {NAME} <{MAIL}>, name: str, Return the books to other@example.org"
    marked = session.text_kinds.mark(text, kind)
    message = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": marked}]}}
    left = json.loads(await Edge(session).leave(message))["result"]["content"][0]["text"]
    if kind is TextKind.FIXED:
        assert left == text
    elif kind is TextKind.PUBLIC:
        assert re.fullmatch(
            r"The orders of \[NAME_1\.\w{4}\] <\[EMAIL_1\.\w{4}\]>, name: str, Return the books to other@example.org",
            left,
        )
        assert session.vault.learnt == learnt
    else:
        assert "other@example.org" not in left
        assert re.match(r"The \[USERNAME_1\.\w{4}\] of \[NAME_1", left)


@given(st.data())
def test_text_that_a_program_marks_itself_is_data(data):
    session = Sessions(lambda: True).open("test agent")
    kind = data.draw(st.sampled_from(TextKind))
    other = Sessions(lambda: True).open("another")
    inner = data.draw(st.text(max_size=9))
    text = other.text_kinds.mark(f"{inner}{MAIL}", kind)
    assert [kind for _, kind in session.text_kinds.parts(text)] == [TextKind.DATA]
    whole = "".join(part for part, _ in session.text_kinds.parts(f"a{session.text_kinds.mark(inner, kind)}b"))
    assert whole == f"a{inner}b"


def sentences():
    """What the workbench says to agents by itself."""
    yield INSTRUCTIONS
    for tool in TOOLS:
        yield tool.description
    yield from reasons._HINTS.values()
    yield from reasons._KINDS.values()
    yield reasons._NO_NETWORK


def test_no_word_of_our_own_sentences_is_replaced_when_somebody_is_called_so():
    told = list(sentences())
    session = Sessions(lambda: True).open("test agent")
    words = {word for text in told for word in re.findall(r"[A-Za-z]{3,}", text)}
    for word in words:
        session.vault.learn("USERNAME", word, "crm")
    assert [session.mask_known(text) for text in told] == told
