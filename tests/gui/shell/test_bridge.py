from __future__ import annotations

import asyncio
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.events import EventsLost, Noticed, spawn
from workbench.gui.shell import bridge as bridge_file
from workbench.gui.shell.bridge import Bridge, Link, LinkState
from workbench.records import Fault


class PaperWire:
    """A connection that ends when told to."""

    def __init__(self, api: Any) -> None:
        self.api = api
        self.closed = asyncio.Event()
        self.listeners: list[Any] = []

    def listen(self, listener: Any) -> Any:
        self.listeners.append(listener)
        return lambda: None

    async def fetch(self, handle: str, offset: int, length: int) -> str:
        return f"{handle}:{offset}:{length}"

    async def close(self) -> None:
        self.closed.set()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are policy, not behaviour: tests do not sit them out."""
    monkeypatch.setattr(bridge_file, "PAUSES", (0.0, 0.0, 0.0))


def test_events_become_one_signal_and_questions_go_through(
    loop: Any, complete: Any, qtbot: Any, fake_core: Any
) -> None:
    wires: list[PaperWire] = []

    async def connect() -> Any:
        wires.append(PaperWire(fake_core))
        return wires[-1]

    bridge = Bridge(connect)
    keeping = spawn("link", bridge.keep())
    qtbot.waitUntil(lambda: bridge.link.state is LinkState.LINKED)
    event = Noticed(Fault("Something."))
    with qtbot.waitSignal(bridge.event_received) as heard:
        wires[0].listeners[0](event)
    assert heard.args == [event]
    assert complete(bridge.api.status()).pid == 4711
    assert complete(bridge.fetch("h", 1, 2)) == "h:1:2"
    complete(bridge.close())
    complete(asyncio.wait_for(keeping, 60))


def test_a_lost_core_is_connected_again_under_the_same_questions(
    loop: Any, complete: Any, qtbot: Any, fake_core: Any, hasty: None
) -> None:
    wires: list[PaperWire] = []

    async def connect() -> Any:
        wires.append(PaperWire(fake_core))
        return wires[-1]

    bridge, links = Bridge(connect), []
    bridge.linked.connect(links.append)
    api = bridge.api
    keeping = spawn("link", bridge.keep())
    qtbot.waitUntil(lambda: bridge.link.state is LinkState.LINKED)
    wires[0].closed.set()
    qtbot.waitUntil(lambda: len(wires) == 2 and bridge.link.state is LinkState.LINKED)
    assert [link.state for link in links] == [
        LinkState.CONNECTING, LinkState.LINKED, LinkState.LOST, LinkState.LINKED,
    ]  # fmt: skip
    assert links[-1].restarted
    assert complete(api.status()).pid == 4711
    complete(bridge.close())
    complete(asyncio.wait_for(keeping, 60))


def test_after_three_more_tries_a_person_decides(loop: Any, complete: Any, hasty: None) -> None:
    tries = []

    async def connect() -> Any:
        tries.append(1)
        raise WorkbenchError("The core could not be started.", "Its log says why.")

    bridge = Bridge(connect)
    complete(bridge.keep())
    assert len(tries) == 4
    assert bridge.link == Link(LinkState.BROKEN, fault=Fault("The core could not be started.", "Its log says why."))


def test_a_question_without_a_core_gets_a_sentence(loop: Any, complete: Any) -> None:
    async def connect() -> Any:
        raise OSError

    bridge = Bridge(connect)
    with pytest.raises(WorkbenchError, match="not connected"):
        complete(bridge.api.status())
    with pytest.raises(AttributeError):
        bridge.api.no_such_question  # type: ignore[attr-defined]  # noqa: B018


def test_after_a_lost_event_every_pane_loads_again(loop: Any, complete: Any, qtbot: Any, fake_core: Any) -> None:
    wire = PaperWire(fake_core)

    async def connect() -> Any:
        return wire

    async def lose() -> list[Link]:
        bridge, links = Bridge(connect), list[Link]()
        keeping = spawn("keep", bridge.keep())
        while not wire.listeners:
            await asyncio.sleep(0)
        bridge.linked.connect(links.append)
        wire.listeners[0](EventsLost("RunChanged"))
        await bridge.close()
        await keeping
        return links

    assert complete(lose()) == [Link(LinkState.LINKED)]
