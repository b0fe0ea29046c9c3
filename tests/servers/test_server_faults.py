"""Every fault of real servers has an error message, and does not affect other servers."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import psutil
import pytest

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, ServerStatus
from workbench.settings import Settings

QUICK = Settings(server_start_seconds=1)  # for servers that never become ready


async def failure(home, name: str):
    """The fault of a connect that must fail. The server's state has the same fault as the exception."""
    with pytest.raises(WorkbenchError) as raised:
        await home.catalog.connect(name)
    state = next(one for one in home.catalog.states() if one.config.name == name)
    assert (state.status, state.pid) == (ServerStatus.FAILED, 0)
    assert state.fault.message == raised.value.message
    return state.fault


async def test_a_command_that_is_not_installed(house) -> None:
    home = await house(ServerConfig("none", "no-such-command-anywhere"), ServerConfig("npx", "npx-not-here/npx"))
    fault = await failure(home, "none")
    assert "no-such-command-anywhere was not found" in fault.message
    assert "PATH" in fault.hint


async def test_a_file_that_may_not_be_executed(house, tmp_path) -> None:
    (tmp_path / "script.sh").write_text("echo")
    home = await house(ServerConfig("script", str(tmp_path / "script.sh")))
    assert "is not executable" in (await failure(home, "script")).message


async def test_a_folder_that_does_not_exist(house) -> None:
    home = await house(ServerConfig("lost", sys.executable, cwd="no/such/folder"))
    assert "does not exist" in (await failure(home, "lost")).message


async def test_a_server_that_dies_at_start_tells_why(house) -> None:
    fault = await failure(await house(house.faulty("dies_at_start")), "dies_at_start")
    assert "exited with code 3" in fault.message
    assert "API_KEY is not set" in fault.detail


async def test_a_server_that_hangs_at_start(house) -> None:
    fault = await failure(await house(house.faulty("hangs_at_start"), settings=QUICK), "hangs_at_start")
    assert "did not answer within 1 seconds" in fault.message


async def test_a_program_that_is_no_mcp_server(house) -> None:
    fault = await failure(await house(house.faulty("only_rubbish"), settings=QUICK), "only_rubbish")
    assert "not protocol messages" in fault.message
    assert "Welcome!" in fault.detail


async def test_a_server_that_refuses_the_handshake(house) -> None:
    fault = await failure(await house(house.faulty("refuses")), "refuses")
    assert "refused the connection: Method not found" in fault.message


async def test_a_server_that_answers_the_handshake_with_something_else(house) -> None:
    fault = await failure(await house(house.faulty("odd_handshake")), "odd_handshake")
    assert "violates the protocol" in fault.message


async def test_rubbish_between_messages_is_a_warning(house) -> None:
    home = await house(house.faulty("rubbish"))
    state = await home.catalog.connect("rubbish")
    assert any("Server is running!" in warning for warning in state.warnings)
    assert (await home.call("rubbish", "echo", text="fine")).ok
    assert any(frame.direction == "!" for frame in home.catalog.server("rubbish").traffic.frames())


async def test_one_invalid_tool_of_twenty_costs_no_other(house) -> None:
    home = await house(house.faulty("invalid_tool"))
    state = await home.catalog.connect("invalid_tool")
    assert state.tool_count == 19
    assert {tool.name for tool in home.catalog.tools()} >= {"typeless", *(f"good_{number}" for number in range(18))}
    assert any("bad was left out" in warning for warning in state.warnings)
    assert (await home.call("invalid_tool", "typeless", a="x")).ok


async def test_a_crash_in_a_call_answers_all_that_wait_and_the_next_call_starts_again(house) -> None:
    home = await house(house.faulty("crashes"))
    before = await home.catalog.connect("crashes")
    waiting = [asyncio.ensure_future(home.call("crashes", "slow", ms=60_000)) for _ in range(3)]
    await home.crossed("crashes", ">", "slow", 3)
    crashed = await home.call("crashes", "crash")
    for outcome in (crashed, *await asyncio.gather(*waiting)):
        assert not outcome.ok
        assert "exited with code 7" in outcome.fault.message
        assert "about to crash" in outcome.fault.detail
    state = home.catalog.states()[1]
    assert (state.status, state.pid) == (ServerStatus.FAILED, 0)
    assert (await home.call("crashes", "echo", text="back")).content[0].text == "back"
    assert home.catalog.states()[1].pid not in (0, before.pid)


async def test_a_server_that_keeps_crashing_is_left_alone_for_a_while(house) -> None:
    home = await house(house.faulty("crashes"))
    await home.catalog.connect("crashes")
    outcomes = [await home.call("crashes", "crash") for _ in range(4)]
    assert "times in a row" in outcomes[-1].fault.message
    assert "press" in outcomes[-1].fault.hint
    assert (await home.catalog.connect("crashes")).status is ServerStatus.READY  # the user may always retry


async def test_a_server_that_closes_its_output_and_lives_on_is_ended(house) -> None:
    home = await house(house.faulty("closes_stdout"))
    state = await home.catalog.connect("closes_stdout")
    outcome = await home.call("closes_stdout", "close")
    assert "closed its output" in outcome.fault.message
    assert not house.lives(state.pid)


async def test_a_call_that_is_never_answered(house) -> None:
    home = await house(house.faulty("never_answers"), settings=Settings(server_call_seconds=1))
    await home.catalog.connect("never_answers")
    assert "did not answer within 1 seconds" in (await home.call("never_answers", "echo", text="x")).fault.message
    assert home.catalog.states()[1].status is ServerStatus.READY


async def test_a_late_answer_disturbs_no_later_call(house) -> None:
    home = await house(house.faulty("late", 50), settings=Settings(server_call_seconds=1))
    await home.catalog.connect("late")
    assert not (await home.call("late", "echo", text="first")).ok
    async with asyncio.timeout(60):
        traffic = home.catalog.server("late").traffic
        while [(one.direction, one.kind) for one in traffic.frames()][-1] != ("<", "answer"):
            await asyncio.sleep(0.01)  # the late answer arrives now
    assert home.catalog.states()[1].status is ServerStatus.READY
    assert "did not answer" in (await home.call("late", "echo", text="second")).fault.message


async def test_ten_megabytes_come_through(house) -> None:
    home = await house(house.faulty("big"))
    await home.catalog.connect("big")
    outcome = await home.call("big", "big", size=10_000_000)
    assert outcome.ok
    assert outcome.bytes == len(outcome.content[0].text) == 10_000_000
    assert len(home.catalog.server("big").traffic.frames()[-1].text) < 10_000


async def test_an_answer_over_the_limit_fails_its_call_alone(house) -> None:
    home = await house(house.faulty("big"), settings=Settings(server_frame_mb=1))
    before = await home.catalog.connect("big")
    outcome = await home.call("big", "big", size=3_000_000)
    assert "limit of 1,048,576" in outcome.fault.message
    assert (await home.call("big", "big", size=10)).ok
    assert home.catalog.states()[1].pid == before.pid


async def test_thousands_of_notifications_do_not_drown_the_answer(house) -> None:
    home = await house(house.faulty("flood", 3_000))
    await home.catalog.connect("flood")
    assert (await home.call("flood", "echo", text="heard")).content[0].text == "heard"
    assert len(home.catalog.server("flood").traffic.frames()) <= 1_000


async def test_wrong_types_are_shown_and_not_lost(house) -> None:
    home = await house(house.faulty("wrong_types"))
    await home.catalog.connect("wrong_types")
    outcome = await home.call("wrong_types", "echo", text="x")
    assert [block.kind for block in outcome.content] == ["text"] * 4
    assert outcome.content[0].text == "bare"
    assert json.loads(outcome.structured) == [1, None]


async def test_duplicate_answers_are_one_answer(house) -> None:
    home = await house(house.faulty("duplicates"))
    await home.catalog.connect("duplicates")
    texts = [(await home.call("duplicates", "echo", text=str(number))).content[0].text for number in range(5)]
    assert texts == ["0", "1", "2", "3", "4"]


async def test_structured_content_is_held_against_the_schema(house) -> None:
    home = await house(house.faulty("schema"))
    await home.catalog.connect("schema")
    wrong = await home.call("schema", "wrong_total")
    assert wrong.ok  # the call succeeded; the schema fault is reported in addition
    assert wrong.schema_fault.startswith("At total:")
    assert (await home.call("schema", "right_total")).schema_fault == ""


async def test_a_long_list_is_read_page_by_page(house) -> None:
    home = await house(house.faulty("pages", 120))
    state = await home.catalog.connect("pages")
    assert (state.tool_count, state.warnings) == (120, ())


async def test_a_list_without_end_is_cut(house) -> None:
    home = await house(house.faulty("endless_pages", 120))
    state = await home.catalog.connect("endless_pages")
    assert state.tool_count == 120
    assert any("does not end" in warning for warning in state.warnings)


async def test_a_server_that_ignores_everything_is_killed(house) -> None:
    home = await house(house.faulty("stubborn"))
    state = await home.catalog.connect("stubborn")
    await home.catalog.disconnect("stubborn")
    assert not house.lives(state.pid)


async def test_children_of_a_server_that_left_by_itself_are_ended(house) -> None:
    home = await house(house.faulty("orphan"))
    state = await home.catalog.connect("orphan")
    (child,) = psutil.Process(state.pid).children()
    os.kill(state.pid, 9)
    async with asyncio.timeout(60):
        while house.lives(child.pid):
            await asyncio.sleep(0.05)
    assert home.catalog.states()[1].status is ServerStatus.FAILED
