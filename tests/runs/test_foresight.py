"""Programs that are certain to fail go back to their author before anybody is asked."""

from __future__ import annotations

import pytest

from workbench.records import RunState
from workbench.runs.foresight import hopeless

SENDS = "from servers.demo import send_email\n"


@pytest.fixture
def agent(core):
    return core.rooms.sessions.open("test agent")


async def test_a_misspelt_parameter_is_told_with_the_valid_ones_and_nobody_is_asked(demo, agent):
    code = SENDS + 'await send_email(to="a@example.org", subjekt="s", body="b")\n'
    done = await demo.conveyor.finished(demo.conveyor.submit(code, agent).id)
    assert done.state is RunState.REFUSED
    assert done.deadline == 0
    assert "line 2: demo.send_email has no parameter subjekt. Did you mean subject?" in done.model_view
    assert "nothing has happened yet" in done.model_view


async def test_an_unknown_tool_is_told_with_the_nearest(demo, agent):
    done = await demo.conveyor.finished(demo.conveyor.submit("from servers.demo import list_order\n", agent).id)
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
