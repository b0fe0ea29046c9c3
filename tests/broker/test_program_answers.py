"""How a call's outcome is passed to a program."""

from __future__ import annotations

import asyncio
import base64
import json
import math
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.broker import program_answers
from workbench.broker.program_answers import failure, program_value, readable_texts
from workbench.errors import WorkbenchError
from workbench.events import RunChanged
from workbench.records import (
    CallDecision,
    Content,
    Decision,
    EntryQuery,
    Fault,
    Origin,
    Outcome,
    Permission,
    RunState,
    ServerConfig,
    Tool,
    ToolCall,
)
from workbench.sandbox.program import JsonText

PICTURE = Content("image", mime="image/png", data="eA==")
CALL = ToolCall("c", "s", "t", {"titel": "x"}, Origin.AGENT, "session")
TOOL = Tool("s", "t", input_schema={"type": "object", "properties": {"title": {}, "body": {}}, "required": ["title"]})


def parts(*content):
    answer = program_value(Outcome("c", True, content=content))
    assert answer.shape == "blocks"
    return json.loads(answer.text)


def test_structure_comes_first_then_json_then_text():
    assert program_value(Outcome("c", True, (Content("text", "{}"),), '{"a": 1}')) == JsonText('{"a": 1}')
    assert program_value(Outcome("c", True, (Content("text", "[1, 2]"),))) == JsonText("[1, 2]")
    assert program_value(Outcome("c", True, (Content("text", "plain"),))) == "plain"
    assert program_value(Outcome("c", True, (Content("text", "[Infinity]"),))) == [math.inf]


def test_a_picture_beside_structure_is_not_lost():
    answer = program_value(Outcome("c", True, (Content("text", "a"), PICTURE), '{"a": 1}'))
    assert answer.shape == "structured"
    structured, (text, picture) = json.loads(answer.text)
    assert (structured, text["text"], picture["data"]) == ({"a": 1}, "a", "eA==")


def test_parts_travel_as_the_protocol_has_them():
    assert parts(Content("text", "a"), PICTURE) == [
        {"type": "text", "text": "a"},
        {"type": "image", "mimeType": "image/png", "data": "eA=="},
    ]
    assert parts(
        Content("resource", "r", "text/plain", uri="file:///a"), Content("resource", data="AA==", uri="b")
    ) == [
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "r"}},
        {"type": "resource", "resource": {"uri": "b", "mimeType": "", "blob": "AA=="}},
    ]
    assert parts(Content("link", "The file", "text/csv", uri="file:///b", name="b.csv", note="All.")) == [
        {
            "type": "resource_link",
            "uri": "file:///b",
            "name": "b.csv",
            "title": "The file",
            "description": "All.",
            "mimeType": "text/csv",
        }
    ]
    assert parts() == []


def test_a_failure_says_whose_it_was():
    def code(outcome, tool=TOOL):
        return failure(outcome, CALL, tool).code

    assert code(Outcome("c", False, fault=Fault("No."), tool_error=True)) == "tool"
    assert code(Outcome("c", False, fault=Fault("No."), refused=True)) == "refused"
    assert code(Outcome("c", False, fault=Fault("Too long.", code="timeout"))) == "timeout"
    assert code(Outcome("c", False, fault=Fault("Gone."))) == "server"
    assert code(Outcome("c", False)) == "server"


def test_wrong_parameters_bring_the_right_ones_and_an_unknown_tool_its_neighbours():
    wrong = failure(Outcome("c", False, fault=Fault("Bad.", "Hint."), tool_error=True), CALL, TOOL)
    assert (wrong.message, wrong.hint) == ("Bad.", "Hint.")
    assert (wrong.valid_parameters, wrong.suggestions) == (("title", "body"), ("title",))
    unknown = failure(Outcome("c", False, fault=Fault("None.", code="unknown_tool"), refused=True), CALL, None, ["tt"])
    assert (unknown.code, unknown.valid_parameters, unknown.suggestions) == ("unknown_tool", (), ("tt",))


def test_whatever_a_program_can_read_of_an_answer_is_among_its_texts():
    file = Content("resource", data=base64.b64encode(b"in a file").decode(), uri="file:///a")
    link = Content("link", uri="https://evil.example/x", name="n", note="read me")
    fault = Fault("It failed for eve", "Ask mallory.")
    assert set(readable_texts(Outcome("c", False, (Content("text", "a"), file, link), fault=fault))) == {
        "a", "in a file", "file:///a", "https://evil.example/x", "n", "read me", "It failed for eve", "Ask mallory.",
    }  # fmt: skip
    assert readable_texts(Outcome("c", True, (Content("text", "a"),), '{"a": 1}')) == ('{"a": 1}',)
    assert "a" in readable_texts(Outcome("c", True, (Content("text", "a"), PICTURE), '{"a": 1}'))


ABOVE = Path(__file__).resolve().parents[2]
ECHO = Path(__file__).resolve().parents[1] / "mcp_servers" / "echoing.py"


async def with_echo_server(demo):
    """A core with the demo's customers and a second server that echoes its input. Every program is allowed."""
    await demo.catalog.add(ServerConfig("echo", sys.executable, (str(ECHO),), {"PYTHONPATH": str(ABOVE)}))
    await demo.catalog.connect("echo")
    settings = {"approval_auto_medium": True, "isolation_medium": "process", "isolation_high": "process"}
    demo.settings = replace(demo.settings, **settings)

    def hear(event):
        if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
            decision = Decision(
                event.run.id, event.run.proposal.sha, allow=True, by="you", fingerprint=event.run.fingerprint
            )
            asyncio.get_running_loop().call_soon(demo.run_manager.decide, decision)

    demo.bus.listen(hear)
    return demo


@pytest.fixture
async def office(demo):
    return await with_echo_server(demo)


async def finished(core, session, code, **more):
    async with asyncio.timeout(40):
        return await core.run_manager.wait_until_finished(core.run_manager.submit(code, session, **more).id)


def seal(core, tool, data="", server="demo"):
    found = core.catalog.tool(server, tool)
    return core.services.rules.set_rule(Permission("", "sealed", CallDecision.DENY, server, tool, data=data), found)


async def customers(core, **arguments):
    """The server's real answer."""
    from workbench.broker.broker import Broker
    from workbench.records import Origin, ToolCall

    call = ToolCall("c", "demo", "list_customers", arguments, Origin.PERSON, "person")
    return json.loads((await Broker(core.services).call(call)).structured)["customers"]


SPY = """
import gc, os, pathlib, re, sys
from servers.demo import get_customer, list_customers
patterns, found = [re.compile(one) for one in WORDS], set()
def look(text):
    found.update(number for number, one in enumerate(patterns) if one.search(text))
page = await list_customers(limit=3)
one = await get_customer(customer_id=page["customers"][0]["id"])
try:
    await get_customer(customer_id="C-9999")
except Exception as fault:
    look(repr(fault.__dict__))
for seen in (page, one, dict(os.environ), sys.argv):
    look(repr(seen))
for holder in gc.get_objects():
    if isinstance(holder, (dict, list, tuple, set)):
        for inner in list(holder.values() if isinstance(holder, dict) else holder)[:5000]:
            if isinstance(inner, (str, bytes, bytearray)):
                look(inner if isinstance(inner, str) else bytes(inner).decode("latin-1"))
for path in [*pathlib.Path("/bench").rglob("*"), *map(pathlib.Path, ("/proc/self/environ", "/proc/self/cmdline"))]:
    try:
        look(path.read_text(errors="replace"))
    except OSError:
        pass
try:
    with open("/proc/self/mem", "rb") as memory:
        for line in open("/proc/self/maps"):
            place, rights, *_ = line.split()
            begin, end = (int(part, 16) for part in place.split("-"))
            if rights.startswith("rw") and end - begin < 40_000_000:
                memory.seek(begin)
                look(memory.read(end - begin).decode("latin-1"))
except OSError:
    pass
result = sorted(found)
"""


async def test_nothing_real_of_a_sealed_tool_is_in_the_memory_the_files_or_the_environment_of_a_program(office):
    real = await customers(office, limit=3)
    words = [value for one in real for key, value in one.items() if key in ("name", "email", "phone")]
    spelled = ["".join(f"\\u{ord(letter):04x}" for letter in word) for word in (*words, real[0]["id"])]
    code = SPY.replace("WORDS", repr(spelled))  # encoded, because otherwise the values would be in the program's text
    rules = [seal(office, tool) for tool in ("list_customers", "get_customer")]
    done = await finished(office, office.services.sessions.open("test agent"), code)
    assert done.state is RunState.DONE, done.fault
    assert json.loads(done.result) == [len(words)], "nothing but the number of a customer, which nobody sealed"
    assert "demo.list_customers and demo.get_customer are sealed" in done.model_view
    for rule in rules:
        office.services.rules.revoke(rule.id)
    plain = await finished(office, office.services.sessions.open("test agent"), code)
    assert json.loads(plain.result) == [*range(len(words) + 1)], "without a seal they are all there"


async def test_a_program_works_with_tokens_and_asks_about_what_it_does_not_hold(office):
    real = (await customers(office, limit=1))[0]
    seal(office, "list_customers", "email")
    seal(office, "list_customers", "customers[].phone")
    seal(office, "list_customers", "name")
    code = """
from client import ToolError, domain_of, equal, initials, last4, masked
from servers.demo import list_customers, search_customers, send_email, list_outbox
one = (await list_customers(limit=1))["customers"][0]
again = (await search_customers(query=one["email"]))["customers"][0]
try:
    last4(one["name"])
except ToolError as fault:
    refused = str(fault)
await send_email(to=one["email"], subject=f"Dear {one['name']},", body=f"Is {one['phone']} right?")
result = {
    "one": one, "again": again, "same": equal(one["email"], again["email"]), "domain": domain_of(one["email"]),
    "last4": last4(one["phone"]), "initials": initials(one["name"]), "masked": masked(one["email"]),
    "guess": equal(one["email"], "somebody@example.org"), "refused": refused,
}
print(f"wrote to {one['name']}")
"""
    agent = office.services.sessions.open("test agent")
    done = await finished(office, agent, code)
    assert done.state is RunState.DONE, done.fault
    result = json.loads(done.result)
    assert result["one"]["email"].startswith("[EMAIL_")
    assert result["one"]["id"] == real["id"]
    assert result["again"]["email"] == result["one"]["email"], "also of a tool that nobody sealed"
    assert result["same"] is True
    assert result["guess"] is False
    assert result["domain"] == real["email"].partition("@")[2]
    assert result["last4"] == "".join(filter(str.isalnum, real["phone"]))[-4:]
    assert result["initials"] == "".join(f"{part[0]}." for part in real["name"].split())
    assert result["masked"] == f"{real['email'][0]}…@{result['domain']}"
    assert "does not work for names" in result["refused"]
    assert done.output == f"wrote to {result['one']['name']}\n"
    outbox = (
        await finished(
            office,
            office.services.sessions.person,
            "from servers.demo import list_outbox\nresult = await list_outbox()",
        )
    ).result
    (sent,) = json.loads(outbox)
    assert (sent["to"], sent["subject"]) == (real["email"], f"Dear {real['name']},")
    assert sent["body"] == f"Is {real['phone']} right?"


async def test_what_a_tool_echoes_comes_back_as_tokens_in_answers_errors_and_notes(office):
    seal(office, "list_customers", "email")
    real = (await customers(office, limit=1))[0]["email"]
    office.services.rules.set_rule(
        Permission("", "restore", CallDecision.ALLOW, "echo", "say", data="EMAIL"), office.catalog.tool("echo", "say")
    )
    code = """
from client import ToolError, call_tool
from servers.demo import list_customers
token = (await list_customers(limit=1))["customers"][0]["email"]
said = await call_tool("echo", "say", {"text": f"<{token}>"})
try:
    await call_tool("echo", "say", {"text": token, "fail": True})
except ToolError as fault:
    failure = str(fault)
result = [token, said, failure]
print(said, failure)
"""
    agent = office.services.sessions.open("test agent")
    done = await finished(office, agent, code)
    assert done.state is RunState.DONE, done.fault
    token, said, failure = json.loads(done.result)
    assert said["text"] == f"<{token}>"
    assert said["upper"].casefold() != real.casefold()
    assert "[EMAIL_" in said["hex"]
    assert token in failure
    told = [done.model_view, done.output, *(str(entry.note) for entry in office.journal.entries(EntryQuery()))]
    assert not [text for text in told if real.casefold() in text.casefold()]
    noted = next(e.note.detail for e in office.journal.entries(EntryQuery(text="echo.say answered")))
    assert noted["restored"] == [{"kind": "EMAIL", "count": 1, "of": "demo", "to": "echo.say"}]


async def test_what_was_restored_for_one_call_comes_back_as_its_token_without_any_seal(office):
    agent = office.services.sessions.open("test agent")
    agent.vault.register({"email": "ada@northwind.example.org"}, "echo")
    token = agent.mask("ada@northwind.example.org")
    code = f"from client import call_tool\nresult = await call_tool('echo', 'say', {{'text': {token!r}}})"
    done = await finished(office, agent, code)
    assert json.loads(done.result)["text"] == token


async def test_a_project_may_add_seals_and_guesses_are_bounded(office):
    office.settings = replace(office.settings, privacy_sealed="demo.list_customers:email")
    agent = office.services.sessions.open("test agent")
    code = """
from client import equal
from servers.demo import list_customers
one = (await list_customers(limit=1))["customers"][0]
for number in range(300):
    equal(one["email"], f"guess{number}@example.org")
"""
    done = await finished(office, agent, code)
    assert done.state is RunState.FAILED
    assert "200 times in this session" in done.fault.message


async def test_parts_of_a_sealed_answer_that_are_no_text_stay_outside(office):
    agent, tool = office.services.sessions.open("agent"), office.catalog.tool("demo", "list_customers")
    email = "ada@northwind.example.org"
    agent.vault.register({"email": email}, "demo")
    parts = (Content("image", mime="image/png", data="QUJD"), Content("text", text=f"mail {email}"))
    link = Content("link", uri=f"mailto:{email}", name=email, note="a link")
    made = Outcome("c", ok=False, content=(*parts, link), fault=Fault(f"No {email}.", detail=f'{{"email": "{email}"}}'))
    sealed = await program_answers.seal_answer(made, tool, agent, ("email",))
    assert email not in repr(sealed)
    assert sealed.content[0].text == "[image/png, 3 bytes: withheld, because its tool is sealed]"
    with pytest.raises(WorkbenchError, match="token alone"):
        program_answers.answer_about_sealed_values(
            agent, {"operation": "domain_of", "values": [f"to {agent.mask(email)}"]}
        )
