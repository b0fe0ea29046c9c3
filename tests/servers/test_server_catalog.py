"""The public behaviour of the catalog: servers, consents, tools, calls."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys

import psutil
import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import ServerChanged, ServerRemoved, ToolsChanged, spawn
from workbench.records import Depth, Outcome, ServerStatus
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings import Settings


async def test_opening_starts_nothing_and_knows_the_demo_server(house) -> None:
    home = await house()
    (demo,) = home.catalog.states()
    assert (demo.config.name, demo.allowed, demo.status, demo.pid) == ("demo", True, ServerStatus.STOPPED, 0)


async def test_a_tool_named_as_a_server_is_taken_apart_in_the_hint(house) -> None:
    home = await house()
    with pytest.raises(WorkbenchError) as refusal:
        home.catalog.server("demo.list_orders")
    assert refusal.value.hint == "Give the server 'demo' and its tool 'list_orders' separately."


async def test_a_press_on_connect_starts_and_lists(house) -> None:
    home = await house(house.faulty("echo"))
    state = await home.catalog.connect("echo")
    assert (state.status, state.allowed) == (ServerStatus.READY, True)
    assert (state.title, state.version) == ("faulty-echo", "1.2.3")
    assert state.instructions == "For tests."
    assert state.pid
    assert home.catalog.tool("echo", "add").output_schema
    assert ToolsChanged("echo") in home.events
    assert ServerChanged(state) in home.events


async def test_a_call_returns_text_structure_and_its_cost(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    outcome = await home.call("echo", "add", a=1, b=2)
    assert outcome.ok
    assert [block.text for block in outcome.content] == ["3"]
    assert json.loads(outcome.structured) == {"total": 3}
    assert (outcome.schema_fault, outcome.bytes, outcome.tokens) == ("", 13, 6)
    assert outcome.ms > 0


async def test_a_picture_comes_as_a_picture(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    (block,) = (await home.call("echo", "image")).content
    assert (block.kind, block.mime, block.data) == ("image", "image/png", "iVBORw0KGgo=")


async def test_a_call_does_not_start_what_no_person_has_allowed(house) -> None:
    home = await house(house.faulty("echo"))
    outcome = await home.call("echo", "add", a=1, b=2)
    assert not outcome.ok
    assert "press Connect" in outcome.fault.hint
    assert home.catalog.states()[1].pid == 0


async def test_a_consent_is_remembered_for_exactly_this_command(house) -> None:
    first = await house(house.faulty("echo"))
    await first.catalog.connect("echo")
    assert first.paths.consents.stat().st_mode & 0o777 == 0o600
    again = await house()
    assert (await again.call("echo", "echo", text="hi")).content[0].text == "hi"  # the call starts the server
    changed = await house(replace(house.faulty("echo"), args=(*house.faulty("echo").args, "--more")))
    assert not changed.catalog.states()[1].allowed
    assert not (await changed.call("echo", "echo", text="hi")).ok


async def test_tools_are_known_before_the_server_starts_again(house) -> None:
    first = await house(house.faulty("echo"))
    await first.catalog.connect("echo")
    again = await house()
    assert again.catalog.states()[1].status is ServerStatus.STOPPED
    assert again.catalog.states()[1].tool_count == len(first.catalog.tools())
    assert again.catalog.tools() == first.catalog.tools()
    assert "import add" in again.catalog.search("add two numbers", Depth.DESCRIPTION).text


async def test_raw_and_python_names_find_the_same_tool(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    tool = home.catalog.tool("echo", "odd-name.with/marks")
    (line,) = [one.import_line for one in home.catalog.summaries() if one.name == tool.name]
    function = line.rpartition(" ")[2]
    assert function.isidentifier()
    assert home.catalog.tool("echo", function) is tool
    assert (await home.call("echo", function)).ok


async def test_unknown_names_are_told_with_the_nearest_ones(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    with pytest.raises(WorkbenchError, match="echo"):
        home.catalog.tool("ecko", "add")
    with pytest.raises(WorkbenchError, match=r"Did you mean add\?"):
        home.catalog.tool("echo", "ad")
    assert "environment" in (await home.call("echo", "enviroment")).fault.hint


async def test_a_tool_that_fails_is_an_outcome_and_no_exception(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    outcome = await home.call("echo", "fail")
    assert (outcome.ok, outcome.fault.message, outcome.fault.hint) == (False, "It cannot be done.", "")


async def test_wrong_arguments_are_answered_with_the_right_ones(house) -> None:
    home = await house(house.faulty("echo"), house.faulty("error"))
    await home.catalog.connect("echo")
    await home.catalog.connect("error")
    hint = (await home.call("echo", "echo", tekst="hi")).fault.hint
    assert "There is no parameter tekst. Did you mean text?" in hint
    assert "text (string, required)" in hint
    refused = await home.call("error", "add", a=1, b=2)
    assert "a (integer, required)" in refused.fault.hint


async def test_progress_is_heard_and_gives_the_call_more_time(house) -> None:
    home = await house(house.faulty("echo"), settings=Settings(server_call_seconds=2))
    await home.catalog.connect("echo")
    heard: list[tuple[float, float, str]] = []
    wish = house.wish("echo", "progress", {"steps": 6, "pause": 400})
    outcome = await home.catalog.call(wish, lambda *far: heard.append(far))
    assert outcome.ok
    assert sorted(heard)[0] == (1.0, 6.0, "step 1")
    assert len(heard) == 6


async def test_a_call_without_an_answer_ends_and_is_cancelled_at_the_server(house) -> None:
    home = await house(house.faulty("echo"), settings=Settings(server_call_seconds=1))
    await home.catalog.connect("echo")
    outcome = await home.call("echo", "slow", ms=60_000)
    assert "did not answer within 1 seconds" in outcome.fault.message
    home.settings = Settings()
    assert (await home.call("echo", "was_cancelled")).content[0].text == "1"


async def test_cancelling_the_caller_cancels_at_the_server(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    task = asyncio.ensure_future(home.call("echo", "slow", ms=60_000))
    await home.crossed("echo", ">", "slow")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await home.call("echo", "was_cancelled")).content[0].text == "1"


async def test_calls_run_at_the_same_time(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    late = asyncio.ensure_future(home.call("echo", "slow", ms=60_000))
    await home.crossed("echo", ">", "slow")
    assert (await home.call("echo", "echo", text="first")).ok
    assert not late.done()
    assert (await home.call("echo", "let_go")).ok
    assert (await late).ok


async def test_many_callers_start_a_stopped_server_once(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    await home.catalog.disconnect("echo")
    outcomes = await asyncio.gather(*(home.call("echo", "echo", text=str(number)) for number in range(8)))
    assert [one.content[0].text for one in outcomes] == [str(number) for number in range(8)]
    starts = [e for e in home.events if isinstance(e, ServerChanged) and e.state.status is ServerStatus.STARTING]
    assert len(starts) == 2


async def test_disconnecting_ends_the_process_and_keeps_the_tools(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    state = await home.catalog.disconnect("echo")
    assert (state.status, state.pid, state.fault) == (ServerStatus.STOPPED, 0, None)
    assert home.catalog.tool("echo", "add")


async def test_disconnecting_while_it_starts(house) -> None:
    home = await house(house.faulty("hangs_at_start"))
    starting = asyncio.ensure_future(home.catalog.connect("hangs_at_start"))
    async with asyncio.timeout(60):
        while not any(frame.direction == ">" for frame in home.catalog.server("hangs_at_start").traffic.frames()):
            await asyncio.sleep(0.01)
    state = await home.catalog.disconnect("hangs_at_start")
    assert state.status is ServerStatus.STOPPED
    with pytest.raises(WorkbenchError):
        await starting


async def test_adding_removing_and_reloading(house) -> None:
    home = await house(house.faulty("echo"))
    running = await home.catalog.connect("echo")
    added = await home.catalog.add(house.faulty("plain"))
    assert added.config.name == "plain"
    assert not added.allowed
    assert home.catalog.states()[1].pid == running.pid  # an unchanged entry keeps running
    await home.catalog.remove("plain")
    assert ServerRemoved("plain") in home.events
    house.write(house.faulty("echo", 5))
    await home.catalog.reload()
    assert home.catalog.states()[1].status is ServerStatus.STOPPED  # a changed entry is stopped
    assert not home.catalog.states()[1].allowed


async def test_an_edited_server_leaves_no_process_of_its_old_entry_while_it_is_called(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    config = home.catalog.server("echo").state.config
    stop = asyncio.Event()

    async def keep_calling() -> list[Outcome]:
        outcomes = []
        while not stop.is_set():
            outcomes.append(await home.call("echo", "echo", text="x"))
            await asyncio.sleep(0)
        return outcomes

    callers = [spawn(f"caller {number}", keep_calling()) for number in range(4)]
    for number in range(3):
        config = replace(config, env={**config.env, "GENERATION": str(number)})
        await home.catalog.replace(config)
        pid = home.catalog.server("echo").state.pid
        assert _generations() == {pid: str(number)}
    stop.set()
    outcomes = [outcome for caller in await asyncio.gather(*callers) for outcome in caller]
    refused = {outcome.fault.message for outcome in outcomes if outcome.fault}
    assert refused <= {
        "The entry of echo was changed or removed during this call.",
        "The server was stopped.",
    }, refused
    assert outcomes[-1].ok
    await home.catalog.disconnect("echo")
    assert _generations() == {}


def _generations() -> dict[int, str]:
    """The processes of the test server, each with the generation in its environment."""
    found = {}
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "faulty.py" in " ".join(child.cmdline()):
                found[child.pid] = child.environ().get("GENERATION", "")
    return found


async def test_learning_starts_what_is_allowed_and_unknown_and_nothing_else(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.learn()
    assert [state.status for state in home.catalog.states()] == [ServerStatus.READY, ServerStatus.STOPPED]
    await home.catalog.disconnect("demo")
    await home.catalog.learn()
    assert home.catalog.states()[0].status is ServerStatus.STOPPED, "its tools are known"


async def test_two_doors_may_reload_at_the_same_moment(house) -> None:
    home = await house(house.faulty("echo"), house.faulty("error"))
    await home.catalog.connect("echo")
    await home.catalog.connect("error")
    house.write(house.faulty("slow"))
    first, second = await asyncio.gather(home.catalog.reload(), home.catalog.reload())
    assert [state.config.name for state in first] == [state.config.name for state in second] == ["demo", "slow"]


async def test_a_notice_goes_when_the_file_is_mended(house, paths) -> None:
    paths.servers_file.write_text("{ rubbish", encoding="utf-8")
    home = await house()
    assert home.catalog.notices
    house.write(house.faulty("echo"))
    await home.catalog.reload()
    assert home.catalog.notices == ()


async def test_a_changed_time_limit_counts_for_the_next_call(paths, house) -> None:
    house.write(house.faulty("echo"))
    settings = [Settings()]
    catalog = ServerCatalog(paths, lambda: settings[0], lambda event: None)
    await catalog.open()
    try:
        await catalog.connect("echo")
        settings[0] = Settings(server_call_seconds=1)
        outcome = await catalog.call(house.wish("echo", "slow", {"ms": 60_000}))
    finally:
        await catalog.close()
    assert "within 1 seconds" in outcome.fault.message


async def test_the_demo_server_cannot_be_removed(house) -> None:
    home = await house()
    with pytest.raises(WorkbenchError, match="built in"):
        await home.catalog.remove("demo")


async def test_a_broken_file_is_told_and_changes_nothing_that_runs(house) -> None:
    home = await house(house.faulty("echo"))
    running = await home.catalog.connect("echo")
    home.paths.servers_file.write_text("{")
    for change in (home.catalog.reload(), home.catalog.add(house.faulty("plain")), home.catalog.remove("echo")):
        with pytest.raises(WorkbenchError, match="line 1"):
            await change
    assert home.catalog.states()[1].pid == running.pid
    assert home.paths.servers_file.read_text() == "{"


async def test_a_disabled_server_is_listed_but_not_used(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    await home.catalog.add(replace(house.faulty("echo"), disabled=True))
    assert home.catalog.states()[1].config.disabled
    assert home.catalog.tools() == ()
    assert not (await home.call("echo", "echo", text="x")).ok
    with pytest.raises(WorkbenchError, match="disabled"):
        await home.catalog.connect("echo")


async def test_variables_are_expanded_and_our_environment_is_not_given_away(house, monkeypatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "secret")
    home = await house()
    config = replace(house.faulty("echo"), env={"GIVEN": "${MY_TOKEN}", "OTHER": "${NOT_SET:-fallback}"})
    await home.catalog.add(config)
    await home.catalog.connect("echo")
    answers = [await home.call("echo", "environment", name=one) for one in ("GIVEN", "OTHER", "MY_TOKEN")]
    assert [answer.content[0].text for answer in answers] == ["secret", "fallback", "(not set)"]
    await home.catalog.add(replace(config, env={"A": "${NOT_SET}"}))
    with pytest.raises(WorkbenchError, match="variable NOT_SET"):
        await home.catalog.connect("echo")


async def test_a_changed_list_is_read_again(house) -> None:
    home = await house(house.faulty("changing"))
    await home.catalog.connect("changing")
    before = home.catalog.tools()
    home.events.clear()
    await home.call("changing", "grow")
    async with asyncio.timeout(60):
        while ToolsChanged("changing") not in home.events:
            await asyncio.sleep(0.02)
    assert {tool.name for tool in home.catalog.tools()} - {tool.name for tool in before} == {"grown_0"}
    assert "grown_0" in home.catalog.search("grown", Depth.NAME).text


async def test_frames_and_stderr_can_be_looked_at(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    await home.call("echo", "echo", text="look")
    frames = home.catalog.server("echo").traffic.frames()
    assert [frame.direction for frame in frames[-2:]] == [">", "<"]
    assert json.loads(frames[-1].text)["result"]["content"][0]["text"] == "look"
    assert home.catalog.server("echo").traffic.frames(after=frames[-2].at) == frames[-1:]


async def test_both_eras_work_and_the_era_is_remembered(house) -> None:
    home = await house(house.faulty("modern"), house.faulty("plain"))
    assert (await home.catalog.connect("modern")).protocol == "2026-07-28"
    assert (await home.call("modern", "add", a=2, b=2)).content[0].text == "4"
    assert (await home.catalog.connect("plain")).protocol == "2025-06-18"
    again = await house()
    await again.catalog.connect("plain")
    frames = again.catalog.server("plain").traffic.frames()
    sent = [json.loads(frame.text) for frame in frames if frame.direction == ">"]
    assert sent[0]["method"] == "initialize"  # no probe, which this server would not answer


def test_the_sdk_is_not_imported_before_a_connection_is_made() -> None:
    code = "import sys, workbench.servers.server_catalog; print({'mcp', 'jsonschema', 'anyio'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
