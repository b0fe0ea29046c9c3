"""Resources, prompts, completion, subscriptions and logs of real servers, correct and faulty, of both protocol eras."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.events import OffersChanged, ResourcesUpdated, ServerLogged
from workbench.records import Frame, Offers, ServerConfig, ServerStatus

SERVERS = Path(__file__).resolve().parents[2] / "mcp_servers"


def offering(mode: str = "plain", number: int = 1) -> ServerConfig:
    return ServerConfig("s", sys.executable, ("-S", str(SERVERS / "offering.py"), mode, str(number)))


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.fixture
def opened(house: Any) -> Any:
    """A running server whose lists have been read."""

    async def start(config: ServerConfig) -> Any:
        home = await house(config)
        await home.catalog.connect("s")
        await until(lambda: home.catalog.offered.offers("s").known)
        return home

    return start


def known(home: Any) -> Offers:
    found: Offers = home.catalog.offered.offers("s")
    return found


def taken(frame: Frame) -> bool:
    """Whether the message is the server's confirmation of the subscription."""
    return "subscriptions/acknowledged" in frame.text and "board://news" in frame.text


async def asked(home: Any) -> list[Any]:  # Any: JSON
    found: list[Any] = json.loads((await home.call("s", "say")).content[0].text)
    return found


async def test_what_a_server_offers_is_known_once_it_runs_and_counted(opened: Any) -> None:
    home = await opened(offering())
    found = known(home)
    assert [one.uri for one in home.catalog.offered.resources("s", 0)] == ["a://text", "a://picture"]
    assert [one.variables for one in found.templates] == [("name", "part")]
    assert [(one.name, len(one.arguments)) for one in found.prompts] == [("greet", 2), ("plain", 0)]
    assert (found.subscribable, found.completes, found.logs, found.warnings) == (True, True, True, ())
    state = home.catalog.server("s").state
    assert (state.resource_count, state.prompt_count) == (3, 2)


async def test_what_was_known_stays_known_when_the_server_rests(opened: Any) -> None:
    home = await opened(offering())
    await home.catalog.disconnect("s")
    assert known(home).resource_count == 2
    assert not known(home).subscribable


async def test_bad_entries_are_warnings_and_spoil_no_other(opened: Any) -> None:
    home = await opened(offering("bad_entries"))
    found = known(home)
    assert [one.uri for one in home.catalog.offered.resources("s", 0)] == ["a://good"]
    assert [one.name for one in found.prompts] == ["good"]
    assert len(found.templates) == 1
    assert len(found.warnings) == 6
    assert home.catalog.server("s").state.status is ServerStatus.READY


async def test_ten_thousand_resources_are_told_in_slices(opened: Any) -> None:
    home = await opened(offering("many", 10_000))
    assert known(home).resource_count == 10_000
    slices = [home.catalog.offered.resources("s", start) for start in range(0, 11_000, 1_000)]
    assert [len(part) for part in slices] == [1_000] * 10 + [0]
    assert slices[9][-1].uri == "a://file/9999"


async def test_an_endless_list_is_cut_and_says_so(opened: Any) -> None:
    found = known(await opened(offering("endless")))
    assert found.resource_count == 20_000
    assert any("does not end" in warning for warning in found.warnings)


@pytest.mark.parametrize("mode", ["bare", "silent"])
async def test_a_server_that_offers_nothing_has_no_warnings_and_is_not_asked_in_vain(opened: Any, mode: str) -> None:
    home = await opened(offering(mode))
    assert (known(home).resource_count, known(home).prompts, known(home).warnings) == (0, (), ())
    if mode == "silent":
        assert not [method for method, _ in await asked(home) if method.endswith("/list")]


async def test_text_pictures_bytes_and_many_parts_can_be_read(opened: Any) -> None:
    home = await opened(offering())
    read = home.catalog.offered.read
    assert (await read("1", "s", "a://text")).content[0].text == "hello"
    assert (await read("2", "s", "a://picture")).content[0].kind == "image"
    assert (await read("3", "s", "a://bytes")).content[0].data == "AAEC"
    assert len((await read("4", "s", "a://parts")).content) == 3
    huge = await read("5", "s", "a://huge")
    assert (huge.ok, huge.bytes) == (True, 5_000_000)


async def test_what_cannot_be_read_is_a_sentence(opened: Any) -> None:
    home = await opened(offering())
    outcome = await home.catalog.offered.read("1", "s", "a://nothing")
    assert not outcome.ok
    assert outcome.fault.message == "s refused to read a://nothing: no resources/read a://nothing"


async def test_a_server_that_dies_while_it_is_asked_says_so(opened: Any) -> None:
    home = await opened(offering())
    reading = asyncio.ensure_future(home.catalog.offered.read("1", "s", "a://slow"))
    await until(lambda: "a://slow" in str(home.catalog.server("s").traffic.frames()))
    await home.catalog.disconnect("s")
    assert "stopped" in (await reading).fault.message


async def test_answers_of_wrong_shapes_are_shown_and_break_nothing(opened: Any) -> None:
    home = await opened(offering("odd"))
    assert (await home.catalog.offered.read("1", "s", "a://text")).content[0].text == '{"text": 7}'
    assert (await home.catalog.offered.prompt("s", "greet", {"who": "x"})).messages == ()


async def test_a_prompt_is_filled_and_an_unfit_one_names_its_arguments(opened: Any) -> None:
    home = await opened(offering())
    filled = await home.catalog.offered.prompt("s", "greet", {"who": "Ines"})
    assert [(one.role, one.content.kind) for one in filled.messages] == [("user", "text"), ("assistant", "image")]
    assert filled.messages[0].content.text == "Greet Ines kindly."
    assert filled.tokens > 0
    unfit = await home.catalog.offered.prompt("s", "greet", {})
    assert unfit.fault.hint == "Its arguments: who, how?."
    assert (await home.catalog.offered.prompt("s", "gret", {})).fault.hint == "Did you mean greet?"


async def test_arguments_are_completed_with_what_is_filled_already(opened: Any) -> None:
    home = await opened(offering())
    complete = home.catalog.offered.complete
    assert (await complete("s", "prompt", "greet", "who", "An", {})).values == ("Anna", "Anton")
    assert (await complete("s", "resource", "a://{name}{?part}", "part", "na", {"name": "x"})).values == ("name=x",)
    await home.catalog.disconnect("s")
    assert (await complete("s", "prompt", "greet", "who", "An", {})).values == ()
    assert home.catalog.server("s").state.status is ServerStatus.STOPPED


async def test_a_change_is_told_to_who_subscribed_until_they_leave(opened: Any) -> None:
    home = await opened(offering())
    await home.catalog.offered.subscribe("s", "a://text", on=True)
    assert known(home).subscriptions == ("a://text",)
    await home.call("s", "touch")
    await until(lambda: ResourcesUpdated("s", ("a://text",)) in home.events)
    await home.catalog.offered.subscribe("s", "a://text", on=False)
    assert known(home).subscriptions == ()
    with pytest.raises(WorkbenchError, match="refused to subscribe to a://nothing"):
        await home.catalog.offered.subscribe("s", "a://nothing", on=True)


async def test_a_storm_of_changes_is_told_in_few_words(opened: Any) -> None:
    home = await opened(offering("plain", 20_000))
    await home.catalog.offered.subscribe("s", "a://text", on=True)
    await home.call("s", "touch")
    await until(lambda: ResourcesUpdated("s", ("a://text",)) in home.events)
    assert sum(isinstance(event, ResourcesUpdated) for event in home.events) < 500


async def test_a_new_life_of_the_server_is_asked_for_the_same(opened: Any) -> None:
    home = await opened(offering())
    await home.catalog.offered.subscribe("s", "a://text", on=True)
    await home.catalog.offered.set_log_level("s", "debug")
    await home.call("s", "die")
    await until(lambda: home.catalog.server("s").state.status is ServerStatus.FAILED)
    home.events.clear()
    await home.catalog.connect("s")
    await until(lambda: OffersChanged("s") in home.events)
    requests = await asked(home)
    assert ["logging/setLevel", {"level": "debug"}] in requests
    assert ["resources/subscribe", {"uri": "a://text"}] in requests
    assert known(home).log_level == "debug"


async def test_changed_lists_are_read_again(opened: Any) -> None:
    home = await opened(offering())
    await home.call("s", "grow")
    await until(lambda: known(home).resource_count == 3 and len(known(home).prompts) == 3)
    await until(lambda: home.catalog.server("s").state.prompt_count == 3)


async def test_a_hundred_thousand_log_lines_are_counted_bounded_and_told_in_batches(opened: Any) -> None:
    home = await opened(offering("plain", 20_000))
    for _ in range(5):
        await home.call("s", "log")
    await until(lambda: known(home) and home.catalog.offered.log("s", 0).dropped == 98_000)
    found = home.catalog.offered.log("s", 0)
    assert len(found.lines) == 2_000
    assert found.lines[-1].number == 100_000
    assert (found.lines[-1].text, found.lines[-2].text) == ('{"line": 19999}', "line 19998")
    assert sum(isinstance(event, ServerLogged) for event in home.events) < 500
    assert home.catalog.offered.log("s", 99_990).lines == found.lines[-10:]


async def test_only_levels_of_the_protocol_are_asked_for(opened: Any) -> None:
    home = await opened(offering())
    with pytest.raises(WorkbenchError, match="not a log level"):
        await home.catalog.offered.set_log_level("s", "loud")
    await home.catalog.offered.set_log_level("s", "warning")
    assert known(home).log_level == "warning"


async def test_a_server_of_the_modern_era_offers_the_same(house: Any) -> None:
    home = await house(ServerConfig("s", sys.executable, (str(SERVERS / "modern.py"),)))
    state = await home.catalog.connect("s")
    assert state.protocol == "2026-07-28"
    await until(lambda: known(home).known)
    assert [one.uri for one in home.catalog.offered.resources("s", 0)] == ["board://news"]
    assert known(home).completes
    proposed = await home.catalog.offered.complete("s", "prompt", "announce", "what", "l", {})
    assert proposed.values == ("launch", "lunch")
    await home.catalog.offered.set_log_level("s", "debug")
    await home.catalog.offered.subscribe("s", "board://news", on=True)
    await until(lambda: any(taken(frame) for frame in home.catalog.server("s").traffic.frames()))
    await home.call("s", "post", text="we moved")
    await until(lambda: ResourcesUpdated("s", ("board://news",)) in home.events)
    await until(lambda: [line.text for line in home.catalog.offered.log("s", 0).lines] == ["posted we moved"])
    assert "we moved" in (await home.catalog.offered.read("1", "s", "board://news")).content[0].text
    assert (await home.catalog.offered.read("2", "s", "board://news/1")).content[0].text == "we moved"
    assert (await home.catalog.offered.prompt("s", "announce", {"what": "lunch"})).messages[0].role == "user"
