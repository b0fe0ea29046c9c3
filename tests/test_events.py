"""The bus tells everybody in order; tasks have names and their failures are heard."""

from __future__ import annotations

import asyncio
import logging

import pytest

from workbench import events
from workbench.events import Bus, Noticed, ServerRemoved, ToolsChanged, spawn
from workbench.records import Fault

NEWS = Noticed(Fault("Something happened."))


def test_every_listener_hears_every_event_in_order() -> None:
    bus, one, other = Bus(), list[events.Event](), list[events.Event]()
    bus.listen(one.append)
    bus.listen(other.append)
    bus.tell(NEWS)
    bus.tell(ServerRemoved("demo"))
    assert one == other == [NEWS, ServerRemoved("demo")]


def test_a_listener_that_fails_stops_nobody_and_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: events.Event) -> None:
        raise ValueError("broken")

    bus, heard = Bus(), list[events.Event]()
    bus.listen(fail)
    bus.listen(heard.append)
    bus.tell(NEWS)
    assert heard == [NEWS]
    assert "a listener failed on Noticed" in caplog.text


def test_whoever_stops_listening_hears_no_more_and_may_stop_twice() -> None:
    bus, heard = Bus(), list[events.Event]()
    stop = bus.listen(heard.append)
    stop()
    stop()
    bus.tell(NEWS)
    assert heard == []


def test_a_listener_may_stop_itself_while_it_is_told() -> None:
    bus, heard = Bus(), list[events.Event]()

    def once(event: events.Event) -> None:
        heard.append(event)
        stop()

    stop = bus.listen(once)
    bus.listen(heard.append)
    bus.tell(NEWS)
    bus.tell(NEWS)
    assert heard == [NEWS, NEWS, NEWS]


async def test_a_spawned_task_lives_under_its_name_until_it_is_done() -> None:
    gate = asyncio.Event()
    task = spawn("waits", gate.wait())
    assert "waits" in events.living()
    gate.set()
    await task
    await asyncio.sleep(0)
    assert "waits" not in events.living()


async def test_a_task_that_fails_says_so_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("broken")

    task = spawn("breaks", fail())
    await asyncio.wait([task])
    await asyncio.sleep(0)
    assert "task breaks failed" in caplog.text
    assert "ValueError: broken" in caplog.text


async def test_a_cancelled_task_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    task = spawn("stops", asyncio.sleep(60))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await asyncio.sleep(0)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_who_listens_to_one_kind_hears_no_other_and_a_late_listener_hears_both() -> None:
    bus, heard, later = Bus(), list[events.Event](), list[events.Event]()
    bus.listen(heard.append, ServerRemoved)
    bus.tell(ToolsChanged("a"))
    bus.tell(ServerRemoved("a"))
    stop = bus.listen(later.append)
    bus.tell(ToolsChanged("b"))
    stop()
    bus.tell(ServerRemoved("b"))
    assert heard == [ServerRemoved("a"), ServerRemoved("b")]
    assert later == [ToolsChanged("b")]
