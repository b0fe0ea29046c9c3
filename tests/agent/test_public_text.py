"""What an agent reads of tools, skills and of the workbench itself stays as it was written, whatever became known.

A real core and the SDK's client; only what is known from private answers is replaced, and only where nobody vouches for
the text.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.agent.test_channels import answer_for_the_person
from workbench.agent.egress_filter import EgressFilter
from workbench.agent.tool_definitions import INSTRUCTIONS, TOOLS
from workbench.broker.agent_sessions import Sessions
from workbench.privacy.public_texts import PublicProgram
from workbench.privacy.text_kinds import TextKind
from workbench.records import EntryQuery
from workbench.runs import run_faults

TOKEN = re.compile(r"\[[A-Z_]+_\d+\.\w{4}\]")
SERVERS = Path(__file__).resolve().parent.parent / "mcp_servers"
PLANTING = str(SERVERS / "planting.py")
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
    core.services.settings.set(replace(core.settings, approval_wait_seconds=1))
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
        (session,) = (one for one in core.services.sessions.all() if one.claimed_name == "test agent")
        assert session.vault.learnt == 0


@pytest.fixture
async def planted(core):
    entry = {"command": sys.executable, "args": ["-S", PLANTING, NAME, MAIL]}
    core.paths.servers_file.write_text(json.dumps({"mcpServers": {"plant": entry}}), encoding="utf-8")
    await core.api.reload_servers()
    answer_for_the_person(core)
    await core.api.connect("plant", (await core.api.consent("plant")).sha)
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
    noted = [one for one in planted.services.journal.entries(EntryQuery()) if one.note.kind != "run.unpredicted_effect"]
    written = "\n".join(map(str, noted))
    for text in (answer, written):
        assert not re.search("wilhelm|qvortr", text, re.IGNORECASE), text
    assert "[EMAIL_1." in written or "[NAME_1." in written


@pytest.fixture
async def described(core):
    entry = {"command": sys.executable, "args": ["-S", str(SERVERS / "describing.py")]}
    core.paths.servers_file.write_text(json.dumps({"mcpServers": {"describe": entry}}), encoding="utf-8")
    await core.api.reload_servers()
    answer_for_the_person(core)
    await core.api.connect("describe", (await core.api.consent("describe")).sha)
    return core


PRINTED = {  # what programs print of definitions, and a piece of it that would be taken for somebody
    "names": ("print(search_tools())", "read_report"),
    "full": ("print(search_tools('report', detail_level='full'))", "read_report"),
    "records": ("print(list(search_tools('report', detail_level='full')))", "Mr Harlan Whitlock"),
    "result": ("result = search_tools('report', detail_level='full')", "async def read_report("),
    "a record": ("print(search_tools('report', detail_level='full')[0]['description'])", "owner: Hilda Brandt"),
    "definition": ("print(get_tool_definition('describe.read_report'))", "Dear Rosa Lund, 12 Harbour Street, Bergen"),
    "definition as result": ("result = get_tool_definition('describe.read_report')", "Wilma Ek <wilma@example.org>"),
    "indented": (
        "import json\nprint(json.dumps(get_tool_definition('describe.read_report'), indent=2))",
        '"maximum": 4929123456781234',
    ),
    "definition within": ("result = {'days': 3, 'tools': [get_tool_definition('describe.read_report')]}", "Ada King"),
    "wrapper": ("print(open('servers/describe/read_report.py').read())", "owner: Hilda Brandt"),
    "stub": ("print(open('servers/describe/read_report.pyi').read())", "Wilma Ek <wilma@example.org>"),
    "source": (
        "import inspect\nfrom servers.describe import read_report\nprint(inspect.getsource(read_report))",
        "owner: Hilda Brandt",
    ),
    "docstring": (
        "from servers.describe import read_report\nprint(read_report.__doc__)",
        "Contact Margaret Holloway for access",
    ),
}


async def test_nothing_is_guessed_in_definitions_that_a_program_prints_or_returns(described, agent):
    for what, (code, piece) in PRINTED.items():
        name = f"agent of {what}"
        async with agent(name) as client:
            before = await said(client, "execute_code", {"code": code, "description": "x"})
            (session,) = (one for one in described.services.sessions.all() if one.claimed_name == name)
            assert not any(held.text in before for _, held in session.vault.issued()), what
            assert TOKEN.search(await said(client, "execute_code", {"code": LEARN[0], "description": "x"})), what
            assert await said(client, "execute_code", {"code": code, "description": "x"}) == before, what
        assert piece in before.replace("\\n", "\n"), what
        assert not TOKEN.search(before), what


async def test_the_code_of_a_skill_that_a_program_prints_stays_as_it_is(core, agent):
    note = "note = 'name: Ada Pemberton, owner: Hilda Brandt'"
    draft = core.services.library.draft(
        "greet", "Greets.", f"{note}\n\ndef run():\n    raise KeyError('greeting')\n", "r", "agent"
    )
    core.services.library.keep("greet", draft.sha, "you")
    code = "import inspect\nfrom skills import greet\nprint(inspect.getsource(greet))\n"
    async with agent() as client:
        told = await said(client, "execute_code", {"code": code, "description": "x"})
        failed = await said(client, "execute_code", {"code": f"{code}greet.run()", "description": "x"})
    assert note in told
    assert "raise KeyError('greeting')" in failed
    assert not TOKEN.search(told + failed)


async def test_what_a_program_puts_beside_a_definition_and_a_line_like_one_are_data(described, agent):
    code = (
        "about = get_tool_definition('describe.read_report')['description']\n"
        "print(about.splitlines()[2] + ', owner: Hilda Brand')\n"  # a definition, and more
        "print('owner: Hilda Brand')\nprint('owner: Hilda Brandt')\n"  # one letter less; the line of the definition
        "result = {'owner': 'Hilda Brand', 'a': 'Ada King', 'about': about}"
    )
    async with agent() as client:
        lines = (await said(client, "execute_code", {"code": code, "description": "x"})).split("\n")
    assert "Hilda Brand," not in lines[0]
    assert TOKEN.search(lines[0])
    assert TOKEN.fullmatch(lines[1].removeprefix("owner: "))
    assert "Hilda Brand'" not in lines[3]
    assert "phone: +44 20 7946 0958" in lines[3]


async def test_a_search_for_somebody_makes_nobody_public(described, agent):
    code = "who = 'owner: ' + 'Hilda ' + 'Brandtner'\nprint(search_tools(who))\nprint(search_tools(server=who))"
    async with agent() as client:
        told = await said(client, "execute_code", {"code": code, "description": "x"})
    assert "Brandtner" not in told
    assert len(TOKEN.findall(told)) == 2


async def test_known_values_are_replaced_in_definitions_that_a_program_prints(planted, agent):
    ask = (
        "import json\nfor one in search_tools(server='plant', detail_level='full'):\n"
        "    print(json.dumps(one))\n    print(one)"
    )
    async with agent() as client:
        await said(client, "execute_code", {"code": f"{READ}print(person)", "description": "x"})
        async with asyncio.timeout(60):
            while "about" not in {tool.name for tool in planted.services.catalog.tools()}:
                await asyncio.sleep(0.01)
        told = await said(client, "execute_code", {"code": ask, "description": "x"})
    assert TOKEN.search(told), "its newest definition names somebody"
    assert not re.search("wilhelm|qvortr", told, re.IGNORECASE)


TRACES = {  # a program that fails, and what stays of its traceback
    "frames": (
        "def hilda_brandt(orders):\n    return orders['customer']\nhilda_brandt({})",
        ("  File \"<program>\", line 2, in hilda_brandt\n    return orders['customer']", "KeyError: 'customer'"),
    ),
    "a chain": (
        "try:\n    int('x')\nexcept ValueError as fault:\n    raise OSError('no') from fault",
        ("The above exception was the direct cause of the following exception:", "OSError: no"),
    ),
    "a tool's": (
        "from client import call_tool\nawait call_tool('describe', 'read_report', {'name': 'x'})",
        ("ToolError: ", "await call_tool('describe', 'read_report', {'name': 'x'})"),
    ),
}


async def test_nothing_is_guessed_in_the_frames_and_own_lines_of_a_traceback(described, agent):
    for what, (code, pieces) in TRACES.items():
        async with agent(f"agent of {what}") as client:
            told = await said(client, "execute_code", {"code": code, "description": "x"})
        assert all(piece in told for piece in pieces), what
        assert "Rosa Lund" not in told, "what a tool says of a failure is data"


def test_a_frame_that_names_nobody_of_the_program_is_data():
    session = Sessions(lambda: True).open("test agent")
    session.keep(json.dumps({"username": "bertak9"}), "crm")
    program = PublicProgram("def bertak9(): ...\ndef first(): ...")
    frames = [f'  File "<program>", line 3, in {name}' for name in ("first", "bertak9", "Berta Lund", "nobody")]
    found = [session.public_texts.stretches(frame, program) for frame in frames]
    assert list(map(len, found)) == [1, 1, 0, 0]
    assert "bertak9" not in session.mask_output(frames[1], program), "a known value is replaced all the same"


@given(
    st.lists(
        st.sampled_from(
            ["owner: Hilda Brandt", "name: str", f"{NAME} reads", "orders", "{'name': 'Ada King'}", "", "x" * 40]
        )
        | st.text(max_size=30)
    ),
    st.lists(st.sampled_from(["owner: Hilda Brandt", "name: str", f"{NAME} reads", "Ada King", "name"])),
    st.sampled_from(["\n", ", ", " ", "'", '"', "\\"]),
)
def test_no_text_that_was_handed_out_makes_a_known_value_leave(lines, handed, between):
    session = Sessions(lambda: True).open("test agent")
    session.keep(json.dumps({"email": MAIL, "name": NAME, "username": "orders"}), "crm")
    session.public_texts.add(list(handed))
    text = between.join(lines)
    for written in (text, repr(lines), json.dumps({"result": lines}), json.dumps(lines, indent=1)):
        stretches = session.public_texts.stretches(written)
        assert all(one.start < one.end for one in stretches)
        assert all(one.end <= other.start for one, other in pairwise(stretches))
        masked = session.mask_output(written)
        assert NAME not in masked
        assert not re.search(r"\borders\b", TOKEN.sub("", masked))
        assert session.mask_output(masked) == masked


@pytest.mark.parametrize("kind", TextKind)
async def test_each_kind_of_text_leaves_as_it_should(kind):
    session = Sessions(lambda: True).open("test agent")
    session.keep(json.dumps({"email": MAIL, "name": NAME, "username": "orders"}), "crm")
    text = f"The orders of {NAME} <{MAIL}>, name: str, Return the books to other@example.org"
    marked = session.text_kinds.mark(text, kind)
    message = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": marked}]}}
    left = json.loads(await EgressFilter(session).encode(message))["result"]["content"][0]["text"]
    if kind is TextKind.FIXED:
        assert left == text
    elif kind is TextKind.PUBLIC:
        assert re.fullmatch(
            r"The orders of \[NAME_1\.\w{4}\] <\[EMAIL_1\.\w{4}\]>, name: str, Return the books to other@example.org",
            left,
        )
        assert session.vault.counts_by_kind() == {"EMAIL": 1, "NAME": 1}
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
    yield from run_faults._HINTS.values()
    yield from run_faults._KINDS.values()
    yield run_faults._NO_NETWORK


def test_no_word_of_our_own_sentences_is_replaced_when_somebody_is_called_so():
    told = list(sentences())
    session = Sessions(lambda: True).open("test agent")
    words = {word for text in told for word in re.findall(r"[A-Za-z]{3,}", text)}
    for word in words:
        session.vault.learn("USERNAME", word, "crm")
    assert [session.mask_known(text) for text in told] == told


async def test_an_agents_own_program_comes_back_as_it_wrote_it_and_the_audit_masks_it(core, agent):
    code = 'people = ["Alice Johnson"]\nperson = {"name": "Maria Schneider"}\nraise ValueError("no such person")\n'
    async with agent() as client:
        said = await client.call_tool("execute_code", {"code": code, "description": "Ask for Alice Johnson."})
        text = said.content[0].text
        echoed = await client.call_tool(
            "execute_code", {"code": 'person = {"name": "Maria Schneider"}\n1 / 0  # Maria Schneider'}
        )
    assert 'raise ValueError("no such person")' in text
    assert "[NAME_" not in text
    assert "1 / 0  # Maria Schneider" in echoed.content[0].text
    notes = json.dumps([entry.note.detail["code"] for entry in core.journal.entries(EntryQuery(kind="run.proposed"))])
    assert "Maria Schneider" not in notes
    assert "[NAME_" in notes
