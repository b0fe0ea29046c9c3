"""Whatever a host does, the server gets an answer or a refusal, and the connection stays open."""

from __future__ import annotations

import asyncio

import pytest
from mcp.shared.exceptions import MCPError

from workbench.errors import WorkbenchError
from workbench.servers.call_timeout import CallTimeouts
from workbench.servers.server_requests import HostGateway, RefusingHost


class Scripted(RefusingHost):
    """Returns the given answers, raises those that are faults, and records requests."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer
        self.heard: list[str] = []
        self.gate = asyncio.Event()

    async def answer_request(self, method: str, params: object) -> dict[str, object]:
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer == "wait":
            await self.gate.wait()
        return {"method": method}

    def handle_notification(self, method: str, params: object) -> None:
        self.heard.append(method)
        if isinstance(self.answer, Exception):
            raise self.answer


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (MCPError(-1, "The person declined."), "declined"),
        (WorkbenchError("No model is set up."), "No model"),
        (ValueError("a secret detail"), "The client failed"),
    ],
)
async def test_a_fault_of_the_host_becomes_a_refusal(fault: Exception, words: str) -> None:
    with pytest.raises(MCPError, match=words):
        await HostGateway("one", Scripted(fault), CallTimeouts()).ask("roots/list", {})


async def test_nobody_refuses_everything_and_declares_nothing() -> None:
    assert RefusingHost().capabilities == {}
    with pytest.raises(MCPError, match="does not support sampling/createMessage"):
        await RefusingHost().answer_request("sampling/createMessage", {})


async def test_too_many_questions_at_once_are_refused_and_later_ones_are_not() -> None:
    host = Scripted("wait")
    desk = HostGateway("one", host, CallTimeouts())
    waiting = [asyncio.ensure_future(desk.ask("elicitation/create", {})) for _ in range(32)]
    await asyncio.sleep(0)
    with pytest.raises(MCPError, match="already waiting"):
        await desk.ask("elicitation/create", {})
    host.gate.set()
    await asyncio.gather(*waiting)
    assert await desk.ask("elicitation/create", {}) == {"method": "elicitation/create"}


async def test_the_clocks_stand_while_the_host_is_asked() -> None:
    clocks, host = CallTimeouts(), Scripted("wait")
    async with clocks.running(100) as clock:
        asking = asyncio.ensure_future(HostGateway("one", host, clocks).ask("elicitation/create", {}))
        await asyncio.sleep(0.05)
        assert clock._timeout.when() is None
        host.gate.set()
        await asking
        assert clock._timeout.when() is not None


def test_a_host_that_fails_to_hear_harms_nobody_and_observers_hear_first() -> None:
    heard = list[str]()
    host = Scripted(ValueError("x"))
    gateway = HostGateway("one", host, CallTimeouts(), lambda method, params: heard.append(method))
    gateway.tell("notifications/message", {})
    gateway.tell("notifications/tools/list_changed", {})
    assert heard == host.heard == ["notifications/message", "notifications/tools/list_changed"]
