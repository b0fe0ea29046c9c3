"""Programs that are certain to fail are returned to their author before approval is requested."""

from __future__ import annotations

import json

import pytest

from tests.runs.steps import reached, waiting
from workbench.analysis.reading import read_program
from workbench.records import Decision, RunState
from workbench.runs.program_assessment import certain_failures as certain_failures

SENDS = "from servers.demo import send_email\n"


async def hopeless(code, catalog):
    return await certain_failures(read_program(code, catalog.tools()), catalog)


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


async def test_a_misspelt_parameter_is_told_with_the_valid_ones_and_nobody_is_asked(demo, agent):
    code = SENDS + 'await send_email(to="a@example.org", subjekt="s", body="b")\n'
    done = await demo.run_manager.wait_until_finished(demo.run_manager.submit(code, agent).id)
    assert done.state is RunState.REFUSED
    assert done.deadline == 0
    assert "line 2: demo.send_email has no parameter subjekt. Did you mean subject?" in done.model_view
    assert "nothing has happened yet" in done.model_view


async def test_an_unknown_tool_is_told_with_the_nearest(demo, agent):
    done = await demo.run_manager.wait_until_finished(
        demo.run_manager.submit("from servers.demo import list_order\n", agent).id
    )
    assert done.state is RunState.REFUSED
    assert "list_orders" in done.model_view


async def test_a_stopped_server_is_started_before_anything_is_held_against_a_program(demo, agent):
    await demo.catalog.disconnect("demo")
    found = await hopeless("from servers.demo import no_such_tool\n", demo.catalog)
    assert [finding.rule for finding in found] == ["tool.unknown"]
    assert demo.catalog.server("demo").running is not None


async def test_what_is_remembered_of_a_server_that_cannot_start_holds_nothing_up(demo, monkeypatch):
    await demo.catalog.disconnect("demo")
    server = demo.catalog.server("demo")
    monkeypatch.setattr(server, "start", _fail)
    assert await hopeless("from servers.demo import no_such_tool\n", demo.catalog) == ()


async def test_a_tool_that_may_be_missing_is_no_reason_to_refuse_a_program(demo, agent):
    code = (
        "from client import ToolError\nfrom servers.demo import list_orders\n"
        "try:\n    from servers.demo import all_orders\nexcept ImportError:\n    all_orders = list_orders\n"
        "try:\n    await call_tool('demo', 'gone', {})\nexcept ToolError as fault:\n    print(fault.code)\n"
        "result = (await all_orders(limit=1))['total']\n"
    )
    run = demo.run_manager.submit(code, agent)
    asked = await waiting(demo, run)
    demo.run_manager.decide(Decision(run.id, asked.proposal.sha, allow=True, by="you", fingerprint=asked.fingerprint))
    done = await demo.run_manager.wait_until_finished(run.id)
    assert done.state is RunState.DONE, done.model_view
    assert done.result == "10000"
    assert "unknown_tool" in done.model_view


async def test_a_server_that_is_not_there_is_told_before_anybody_is_asked(demo, agent):
    done = await demo.run_manager.wait_until_finished(
        demo.run_manager.submit("from servers.demmo import list_orders\n", agent).id
    )
    assert done.state is RunState.REFUSED
    assert "There is no server demmo. Did you mean demo?" in done.model_view


async def test_a_name_that_an_earlier_program_of_the_state_gave_is_its_own(demo, agent):
    for code in ("async def call_tool(*given):\n    return given\n", "result = await call_tool('demo', 'gone', {})\n"):
        run = demo.run_manager.submit(code, agent, state="mine")
        if (await reached(demo, run, RunState.WAITING, RunState.DONE)).state is RunState.WAITING:
            demo.run_manager.decide(
                Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint)
            )
        done = await demo.run_manager.wait_until_finished(run.id)
        assert done.state is RunState.DONE, done.model_view
    assert json.loads(done.result) == ["demo", "gone", {}]


async def _fail(*_args: object, **_more: object) -> None:
    from workbench.errors import WorkbenchError

    raise WorkbenchError("It does not start.")


async def test_a_call_that_is_caught_or_may_not_happen_is_left_to_the_run(demo, agent):
    code = (
        "from client import ToolError\n"
        + SENDS
        + "try:\n    await send_email(subjekt='s')\nexcept TypeError:\n    result = 1\n"
    )
    assert await hopeless(code, demo.catalog) == ()


async def test_a_text_that_lenient_servers_read_as_a_number_is_not_refused(demo):
    code = "from servers.demo import list_orders\nresult = await list_orders(limit='{}')\n"
    assert await hopeless(code.format("5"), demo.catalog) == ()
    assert [one.rule for one in await hopeless(code.format("many"), demo.catalog)] == ["parameter.value"]
