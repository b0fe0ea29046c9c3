"""PII tokens in a call are replaced by their values as far as rules allow; the user's own calls replace them on
request.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench import offload
from workbench.analysis.reading import read_program
from workbench.broker.broker import Broker
from workbench.broker.token_release import (
    count_release,
    find_announced_tokens,
    release_details,
    restore_arguments,
)
from workbench.events import CallHeld, RunChanged
from workbench.permissions.release_rules import ReleaseDecision
from workbench.privacy.vault import Restoration
from workbench.records import (
    CallDecision,
    Decision,
    EntryQuery,
    HeldCallAnswer,
    Hints,
    Origin,
    Permission,
    RunState,
    ServerConfig,
    Tool,
    ToolCall,
)

MAILS = Restoration("EMAIL", 2, "crm", "gmail", foreign=True, tool="send")
CARD = Restoration("CARD", 1, "crm", "gmail", foreign=True, tool="send")


def test_what_was_given_is_told_without_values(core) -> None:
    given = (ReleaseDecision(MAILS, CallDecision.ASK), ReleaseDecision(CARD, CallDecision.ALLOW))
    assert release_details(given)[0] == {"kind": "EMAIL", "count": 2, "of": "crm", "to": "gmail.send"}
    session = core.services.sessions.open("agent")
    count_release(given, session)
    count_release(given, session)
    assert session.released_values["EMAIL", "crm", "gmail", "send"] == 4


@pytest.mark.parametrize("letters", [10, 2 * offload.TOKEN_SEARCH.limit])
async def test_a_value_of_another_server_is_restored_also_in_long_arguments(demo, letters) -> None:
    session, tool = demo.services.sessions.person, demo.catalog.tool("demo", "send_email")
    session.vault.register({"email": "ada@northwind.example.org"}, "crm")
    token = session.mask("ada@northwind.example.org")
    call = ToolCall("c", "demo", "send_email", {"body": "x" * letters + token}, Origin.PERSON, "person")
    assert (await restore_arguments(call, tool, session))["body"].endswith("ada@northwind.example.org")


async def test_a_persons_own_call_says_what_its_tokens_give_away_before_it_goes(demo) -> None:
    session = demo.services.sessions.person
    session.vault.register({"email": "ada@northwind.example.org"}, "crm")
    token = session.mask("ada@northwind.example.org")
    broker = Broker(demo.services)
    search = ToolCall("c", "demo", "search_customers", {"query": token}, Origin.PERSON, "person")
    question = await broker.call(search)
    assert question.needs_confirmation
    assert question.fault.message == "1 e-mail address from crm would be sent to demo.search_customers."
    assert (await broker.call(replace(search, confirmed=True))).ok
    send = replace(search, tool="send_email", arguments={"to": token, "subject": "s", "body": "b"})
    both = (await broker.call(send)).fault.message
    assert "may send data outside" in both, "the tool's own risk is said beside it"
    assert "1 e-mail address from crm would be sent to demo.send_email." in both


ABOVE = Path(__file__).resolve().parents[2]
READ = "from servers.demo import list_customers\nfound = await list_customers(limit=2)\n"
SHOW = f'{READ}print([one["email"] for one in found["customers"]])'
IMPORTS = "from servers.crm import find\nfrom servers.gmail import send\n"
TOOLS = (Tool("crm", "find", hints=Hints(read_only=True)), Tool("gmail", "send", hints=Hints(read_only=False)))
TOKEN, OTHER = "[EMAIL_1.k7q2]", "[PHONE_2.aaaa]"


@pytest.fixture
async def office(demo):
    """A second server besides the demo server. Programs of low and medium risk run without approval."""
    own = demo.catalog.server("demo").state.config
    await demo.catalog.add(ServerConfig("post", own.command, own.args, {"PYTHONPATH": str(ABOVE)}))
    await demo.catalog.connect("post")
    settings = {"approval_auto_medium": True, "isolation_medium": "process", "isolation_high": "process"}
    demo.settings = replace(demo.settings, **settings)
    return demo


class Person:
    """A simulated user: approves every program, answers held calls in order, and records the requests."""

    def __init__(self, core, *words):
        self.core, self.words = core, list(words)
        self.lines, self.held_calls = [], []
        core.bus.listen(self.hear)

    def hear(self, event):
        loop = asyncio.get_running_loop()
        if isinstance(event, CallHeld):
            self.held_calls.append(event.held_call)
            answer = HeldCallAnswer(event.held_call.id, allow=self.words.pop(0))
            loop.call_soon(self.core.run_manager.held_calls.answer, answer)
        elif isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
            self.lines.append(event.run.verdict.asks)
            decision = Decision(
                event.run.id, event.run.proposal.sha, allow=True, by="you", fingerprint=event.run.fingerprint
            )
            loop.call_soon(self.core.run_manager.decide, decision)


async def finished(core, session, code):
    async with asyncio.timeout(30):
        return await core.run_manager.wait_until_finished(core.run_manager.submit(code, session).id)


async def tokens(core, session):
    """The two addresses as the agent received them."""
    run = await finished(core, session, SHOW)
    assert run.state is RunState.DONE, run.fault
    assert "@" not in run.model_view
    return [part.strip("'") for part in run.model_view.strip().strip("[]").split(", ")]


def _made_when_it_runs(token):
    """An expression whose value, this token, is not visible in the program's text."""
    return f"__import__('textwrap').dedent({token[:4]!r}) + {token[4:]!r}"


def sending(to, body="'b'"):
    return f"from servers.post import send_email\nawait send_email(to={to}, subject='s', body={body})"


async def outbox(core, server="post"):
    session = core.services.sessions.open("looker")
    run = await finished(core, session, f"from servers.{server} import list_outbox\nresult = await list_outbox()")
    return json.dumps(json.loads(run.result))


def told(code: str) -> frozenset[tuple[str, str, str]]:
    return find_announced_tokens(read_program(code, TOOLS))


def test_tokens_inside_of_a_call_go_to_its_tool_and_others_to_any() -> None:
    code = f"{IMPORTS}names = {OTHER!r}\nawait find(id=1)\nawait send(to=[{TOKEN!r}, f'{{names}}'])\n"
    assert told(code) == {
        ("gmail", "send", "EMAIL_1.K7Q2"),
        ("gmail", "send", "PHONE_2.AAAA"),
        ("crm", "find", "PHONE_2.AAAA"),
    }
    script = read_program(f"crm.find(); gmail.send({{to: {TOKEN!r}}})", TOOLS, language="typescript")
    assert find_announced_tokens(script) == {(*place, "EMAIL_1.K7Q2") for place in PLACES}
    assert told(f"{IMPORTS}await send(to=names)") == frozenset()


def test_spelling_decides_nothing_about_where_a_token_goes() -> None:
    """In any spelling of tool and token, the tool receives the value. A second tool is analyzed but not called."""
    for code in (
        f"await send(to={TOKEN!r})",
        f"await send({{'to': {TOKEN!r}}})",
        f"await send(to={TOKEN[:4]!r} + {TOKEN[4:]!r})",
        f"await send(to=''.join([{TOKEN[:4]!r}, {TOKEN[4:]!r}]))",
        f"write = send\nawait write(to={TOKEN!r})",
        f"await getattr(servers.gmail, 'send')(to={TOKEN!r})",
        f"await ｓｅｎｄ(to={TOKEN!r})",
        f"await call_tool('gmail', 'send', {{'to': {TOKEN!r}}})",
        f"await call_tool(tool='send', server='gmail', arguments={{'to': {TOKEN!r}}})",
        f"async def helper(to):\n    return await send(to=to)\nawait helper({TOKEN[:4]!r} + {TOKEN[4:]!r})",
        f"from functools import partial\nawait partial(send, to={TOKEN!r})()",
        f"await asyncio.gather(*map(send, [{TOKEN!r}]))",
    ):
        assert ("gmail", "send", "EMAIL_1.K7Q2") in told(f"{IMPORTS}import servers\nawait find(id=1)\n{code}\n"), code


PLACES = (("crm", "find"), ("gmail", "send"))


async def test_a_program_with_tokens_for_another_server_shows_one_line_and_is_not_asked_about_again(office):
    agent = office.services.sessions.open("test agent")
    first, second = await tokens(office, agent)
    person = Person(office)
    done = await finished(office, agent, sending(repr(first), repr(second)))
    assert done.state is RunState.DONE, done.fault
    assert person.lines == [("2 e-mail addresses from demo would be sent to post.send_email.",)]
    assert not person.held_calls
    assert (await outbox(office)).count("@example.com") == 2
    sent = next(entry.note for entry in office.journal.entries(EntryQuery(text="send_email was called")))
    assert sent.detail["restored"] == [{"kind": "EMAIL", "count": 2, "of": "demo", "to": "post.send_email"}]
    assert agent.released_values["EMAIL", "demo", "post", "send_email"] == 2


async def test_what_only_the_call_shows_waits_there_and_a_rule_made_of_the_answer_lets_the_next_one_pass(office):
    agent = office.services.sessions.open("test agent")
    first, second = await tokens(office, agent)
    person = Person(office, False, True)
    hidden = sending(_made_when_it_runs(first))
    denied = await finished(office, agent, hidden)
    assert denied.state is RunState.FAILED
    assert "denied" in denied.fault.message
    (held_call,) = person.held_calls
    assert held_call.why == ("1 e-mail address from demo would be sent to post.send_email.",)
    (rule,) = held_call.offers
    assert rule.label == "E-mail addresses may be sent to post.send_email without asking."
    assert (await finished(office, agent, hidden)).state is RunState.DONE
    assert (await finished(office, agent, hidden)).state is RunState.DONE, "this value may go there"
    assert len(person.held_calls) == 2
    office.services.rules.set_rule(rule, office.catalog.tool("post", "send_email"))
    again = await finished(office, agent, sending(_made_when_it_runs(second)))
    assert again.state is RunState.DONE, again.fault
    assert len(person.held_calls) == 2
    assert office.services.rules.view().rules[0].count == 1


async def test_a_denial_holds_for_tokens_and_for_values_that_the_program_holds(office):
    agent = office.services.sessions.open("test agent")
    first, _ = await tokens(office, agent)
    Person(office)
    never = Permission("", "restore", CallDecision.DENY, "post", data="EMAIL")
    office.services.rules.set_rule(never, None)
    plain = f'{READ}from servers.post import send_email\nto = found["customers"][0]["email"]\n'
    for code in (sending(_made_when_it_runs(first)), f"{plain}await send_email(to=to, subject='s', body='b')"):
        refused = await finished(office, agent, code)
        assert refused.state is RunState.FAILED
        assert "1 e-mail address from demo would be sent to post.send_email" in refused.fault.message
        assert "may never be sent to any tool of post" in refused.fault.message
    assert await outbox(office) == "[]"


async def test_private_values_that_the_program_holds_are_named_in_the_same_words(office):
    agent = office.services.sessions.open("test agent")
    person = Person(office, False)
    code = f"""{READ}
from client import call_tool
to = "ines@northwind.example.org"
tool = found.get("tool", "send_email")
await call_tool("post", tool, {{"to": to, "subject": "s", "body": found["customers"][0]["email"]}})
"""
    await finished(office, agent, code)
    (held_call,) = person.held_calls
    words = "1 e-mail address from demo would be sent to post.send_email, in its body"
    assert any(line.startswith(words) for line in held_call.why), held_call.why
