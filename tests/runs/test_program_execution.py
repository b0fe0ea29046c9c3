"""Results of a program's calls, and the requests that a program may not make."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.errors import WorkbenchError
from workbench.events import RunCall, RunChanged
from workbench.records import Decision, Depth, EntryQuery, Fault, HeldCallAnswer, PastQuery, RunState, ServerConfig
from workbench.runs.program_execution import depth_of, limit_of, limits_from
from workbench.settings import Settings

ABOVE = Path(__file__).resolve().parents[2]


async def run(core, code):
    session = core.services.sessions.open("test agent")
    return await core.run_manager.wait_until_finished(core.run_manager.submit(code, session).id)


async def test_calls_of_one_program_run_side_by_side(demo):
    code = """
import asyncio
from servers.demo import list_orders
pages = await asyncio.gather(*(list_orders(limit=1, offset=n) for n in range(20)))
result = len({page["orders"][0]["id"] for page in pages})
"""
    done = await run(demo, code)
    assert done.state is RunState.DONE, done.fault
    assert done.result == "20"
    assert len(done.calls) == 20
    assert all(trace.state == "done" for trace in done.calls)


async def test_a_failure_carries_the_names_that_would_have_worked(demo):
    code = """
from client import ToolError
from servers.demo import broken_report, get_order
found = []
for call, arguments in ((get_order, json.loads('{"ordre_id": "x"}')), (broken_report, {})):
    try:
        await call(arguments)
    except ToolError as fault:
        found.append([fault.code, fault.valid_parameters, fault.suggestions, str(fault)])
result = found
"""
    done = await run(demo, code)
    assert done.state is RunState.DONE, done.fault
    wrong, broken = json.loads(done.result)
    assert wrong[:3] == ["tool", ["order_id"], ["order_id"]]
    assert "order_id (string, required)" in wrong[3], "the words name them once, with their types"
    assert broken[:3] == ["tool", ["quarter"], []]


async def test_a_failing_tool_can_be_caught_and_the_program_goes_on(demo):
    code = """
from client import ToolError
from servers.demo import broken_report
try:
    await broken_report()
except ToolError as fault:
    result = f"caught: {fault}"
"""
    done = await run(demo, code)
    assert done.state is RunState.DONE, done.fault
    assert "caught: " in done.result


async def test_an_identifier_may_name_a_server_as_its_package_is_named(demo):
    own = demo.catalog.server("demo").state.config
    for name in ("branch-office", "branch__two"):
        config = ServerConfig(name, own.command, own.args, {"PYTHONPATH": str(ABOVE)})
        await demo.catalog.add(config)
        await demo.catalog.connect(name)
    code = """
from client import call_mcp_tool, get_client
found = [
    await call_mcp_tool("mcp__branch_office__count_orders", {}),
    await call_mcp_tool("branch-office__count_orders", {}, dict),
    await call_mcp_tool("mcp__branch__two__count_orders"),
    await call_tool("branch_office", "count_orders"),
]
result = [len(set(map(str, found))), get_client().call_count, get_client().total_tokens > 10]
"""

    def allow(event: object) -> None:
        if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
            decision = Decision(event.run.id, event.run.proposal.sha, True, "you", fingerprint=event.run.fingerprint)
            asyncio.get_running_loop().call_soon(demo.run_manager.decide, decision)

    demo.bus.listen(allow)
    done = await asyncio.wait_for(run(demo, code), 60)
    assert (done.state, done.result) == (RunState.DONE, "[1, 4, true]"), done.fault


async def test_a_program_searches_tools_from_inside(demo):
    code = "from tool_discovery import search_tools\nprint(search_tools('send email', detail_level='with_description'))"
    done = await run(demo, code)
    assert done.state is RunState.DONE, done.fault
    assert "send_email" in done.output


async def test_a_call_the_text_does_not_show_is_refused_at_the_broker(demo):
    code = """
from client import call_tool, ToolError
name = "".join(reversed("liame_dnes"))
await call_tool("demo", name, {"to": "a@example.org", "subject": "s", "body": "b"})
"""
    session = demo.services.sessions.open("test agent")
    started = demo.run_manager.submit(code, session)
    async with asyncio.timeout(60):
        while (done := demo.run_manager.run(started.id)).state in (
            RunState.PROPOSED,
            RunState.CHECKED,
            RunState.RUNNING,
        ):
            await asyncio.sleep(0.02)
    if done.state is RunState.WAITING:
        await demo.run_manager.stop(started.id)
    assert done.state in (RunState.WAITING, RunState.FAILED, RunState.REFUSED), "it never just runs"


async def test_personal_data_works_inside_and_is_masked_outside(demo):
    code = """
from servers.demo import list_customers
page = await list_customers(limit=3)
print(sorted(customer["email"] for customer in page["customers"]))
result = page["customers"][0]["email"].split("@")[1]
"""
    done = await run(demo, code)
    assert done.state is RunState.DONE, done.fault
    assert "@example" in done.output
    assert "@example" not in done.model_view
    assert done.model_view.count("[EMAIL_") == 3


async def test_a_program_that_reaches_for_the_network_is_told_what_to_do_instead(core):
    done = await run(core, "import socket\nsocket.create_connection(('127.0.0.1', 9))")
    assert done.state is RunState.REFUSED
    assert "use the tools instead" in done.model_view


@pytest.mark.parametrize("word", ["name", "name_only", "description", "with_description", "summary", "full"])
def test_every_spelling_of_a_detail_level_is_understood(word):
    assert isinstance(depth_of(word), Depth)


def test_another_detail_level_is_refused_with_the_valid_ones():
    with pytest.raises(WorkbenchError, match="name, description or full"):
        depth_of("everything")


@pytest.mark.parametrize(
    ("asked", "given"), [(None, 20), (5, 5), (0, 1), (10**9, 500), ("many", 20), (float("nan"), 20)]
)
def test_a_limit_is_always_sensible(asked, given):
    assert limit_of(asked) == given


def test_a_program_may_wish_for_less_time_and_never_for_more():
    assert limits_from(Settings(), 5).seconds == 5
    assert limits_from(Settings(), 500).seconds == Settings().run_seconds
    assert limits_from(Settings(), 0).seconds == Settings().run_seconds
    assert [limits_from(Settings(), wish).sleep_counts for wish in (0, 5, 500)] == [False, True, False]


async def test_an_agent_is_told_when_its_wish_for_time_is_cut(demo):
    session = demo.services.sessions.open("test agent")
    cut, short = (demo.run_manager.submit("print('x')", session, seconds=seconds) for seconds in (120, 20))
    told = (await demo.run_manager.wait_until_finished(cut.id)).model_view
    assert told.startswith("x\n\n[timeout 120 was reduced to 30 seconds of the program's own work;")
    assert "timeout" not in (await demo.run_manager.wait_until_finished(short.id)).model_view


async def test_polling_and_slow_tools_do_not_use_up_the_programs_own_time(demo):
    demo.services.settings.set(replace(demo.settings, run_seconds=1))
    session = demo.services.sessions.open("test agent")
    polls = "from servers.demo import count_orders\nfor _ in range(3):\n    await count_orders()\n"
    polls += "    await asyncio.sleep(1)\n"
    done = await demo.run_manager.wait_until_finished(demo.run_manager.submit(polls + "result = 'seen'", session).id)
    assert done.result == '"seen"', done.model_view
    demo.services.settings.set(replace(demo.settings, approval_auto_medium=True, isolation_medium="process"))
    late = await demo.run_manager.wait_until_finished(
        demo.run_manager.submit("x = 1\nfor n in range(10**12): x += 1", session).id
    )
    assert "It was at line 2." in late.model_view


async def test_a_thousand_calls_in_one_run_are_fine(demo):
    code = """
from servers.demo import get_order, list_orders
first = (await list_orders(limit=1))["orders"][0]["id"]
for _ in range(999):
    await get_order(order_id=first)
result = "done"
"""
    demo.services.settings.set(replace(demo.settings, run_seconds=600))  # this test does not measure speed
    told = []
    stop = demo.bus.listen(lambda event: told.append(event.trace) if isinstance(event, RunCall) else None)
    done = await run(demo, code)
    stop()
    assert done.state is RunState.DONE, done.fault
    steps: dict[str, list[str]] = {}
    for trace in told:
        steps.setdefault(trace.call_id, []).append(trace.state)
    assert (len(steps), set(map(tuple, steps.values()))) == (1000, {("running", "done")})
    entries = demo.journal.entries(EntryQuery(run_id=done.id, limit=2000))
    assert [entry.note.kind for entry in entries[:1001]] == ["run.done", *["call.done"] * 1000], "all before its end"
    assert demo.journal.verify().whole
    kept = await demo.services.history.find(PastQuery(nested=True, limit=500))
    assert len([call for call in kept if call.run_id == done.id]) == 500


async def test_a_call_that_is_refused_at_once_is_told_from_its_beginning(demo, monkeypatch):
    told = []
    demo.bus.listen(lambda event: told.append(event.trace.state) if isinstance(event, RunCall) else None)
    monkeypatch.setattr(demo.catalog, "blocked", lambda tool: Fault("It is blocked."))
    code = (
        "from servers.demo import list_orders\ntry:\n    await list_orders(limit=1)\nexcept ToolError:\n    result = 1"
    )
    done = await run(demo, code)
    assert (done.state, told) == (RunState.DONE, ["running", "refused"])


async def test_a_draft_is_not_handed_to_a_program_by_any_way(core):
    core.services.library.draft("secret-plan", "A draft.", "async def secret_plan():\n    return 1\n", "", "an agent")
    for code in ("from skills.secret_plan import secret_plan", "load_skill('secret-plan')"):
        done = await run(core, code)
        assert done.state is not RunState.DONE, code


async def test_a_kept_skill_is_loaded_as_the_papers_write_it(core):
    draft = core.services.library.draft("double", "Doubles.", "def double(n):\n    return 2 * n\n", "", "you")
    core.services.library.keep("double", draft.sha, "you")
    done = await run(core, "from skills.double import double\nresult = double(21)")
    assert (done.state, done.result) == (RunState.DONE, "42"), done.fault


@pytest.mark.parametrize("wished", [float("inf"), float("nan"), "many", None])
def test_a_limit_that_is_no_number_is_the_usual_one(wished):
    assert limit_of(wished) == 20


async def test_a_name_of_megabytes_is_no_tools_name_and_nothing_is_compared_with_it(demo):
    code = """
from client import call_tool
try:
    await call_tool("demo", "list_orders" * 300_000, {})
except Exception as fault:
    result = str(fault)
"""
    started = demo.run_manager.submit(code, demo.services.sessions.open("test agent"))
    async with asyncio.timeout(60):
        while demo.run_manager.run(started.id).state is not RunState.WAITING:
            await asyncio.sleep(0.02)
    fingerprint = demo.run_manager.run(started.id).fingerprint
    demo.run_manager.decide(Decision(started.id, started.proposal.sha, True, "you", fingerprint=fingerprint))
    done = await demo.run_manager.wait_until_finished(started.id)
    assert done.state is RunState.DONE, done.fault
    assert "such a long name" in done.result
    assert not demo.journal.entries(EntryQuery(kind="call."))


HELD = """
from servers.demo import delete_customer
number = 0
while number < 2:
    number += 1
    await delete_customer(customer_id=f"CUS-{number:04}")
"""


async def test_a_stopped_run_shows_no_call_as_under_way(demo):
    session = demo.services.sessions.open("test agent")
    run = demo.run_manager.submit(HELD, session)
    await waiting(demo, run)
    now = demo.run_manager.run(run.id)
    demo.run_manager.decide(Decision(run.id, now.proposal.sha, allow=True, by="you", fingerprint=now.fingerprint))
    while not demo.run_manager.run(run.id).held_calls:
        await asyncio.sleep(0.01)
    told = []
    demo.bus.listen(lambda event: told.append(event.trace.state) if isinstance(event, RunCall) else None)
    ended = await demo.run_manager.stop(run.id)
    assert ended.state is RunState.STOPPED
    assert [trace.state for trace in ended.calls] == ["stopped"]
    assert told[-1] == "stopped"
    assert demo.run_manager.held_calls.all() == ()


async def test_a_held_call_is_not_sent_to_a_server_that_was_replaced_meanwhile(demo):
    twin = replace(demo.catalog.server("demo").state.config, name="twin", builtin=False)
    await demo.catalog.add(twin)
    await demo.catalog.connect("twin")
    session = demo.services.sessions.open("test agent")
    run = demo.run_manager.submit(HELD.replace("servers.demo", "servers.twin"), session)
    await waiting(demo, run)
    now = demo.run_manager.run(run.id)
    demo.run_manager.decide(Decision(run.id, now.proposal.sha, allow=True, by="you", fingerprint=now.fingerprint))
    while not (held_calls := demo.run_manager.run(run.id).held_calls):
        assert demo.run_manager.run(run.id).state in (RunState.WAITING, RunState.RUNNING)
        await asyncio.sleep(0.01)
    await demo.catalog.replace(replace(twin, env={"OTHER": "1"}))
    demo.run_manager.held_calls.answer(HeldCallAnswer(held_calls[0].id, allow=True))
    ended = await demo.run_manager.wait_until_finished(run.id)
    assert "twin.delete_customer was not called" in ended.model_view
    assert not list(demo.journal.entries(EntryQuery(kind="call.sent")))


async def test_nobody_allows_what_they_have_not_seen(demo):
    run = demo.run_manager.submit(HELD, demo.services.sessions.open("test agent"))
    await waiting(demo, run)
    now = demo.run_manager.run(run.id)
    for fingerprint in ("", "0" * 64):
        with pytest.raises(WorkbenchError, match="changed while you looked"):
            demo.run_manager.decide(Decision(run.id, now.proposal.sha, allow=True, by="you", fingerprint=fingerprint))
    demo.run_manager.decide(Decision(run.id, now.proposal.sha, allow=False, by="you"))
