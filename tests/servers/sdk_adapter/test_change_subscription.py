"""One subscription per modern server reports changes. It is renewed after it is lost and when the subscribed kinds
change.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import mcp.client.subscriptions
import pytest
from mcp.shared.exceptions import MCPError

from workbench.servers.sdk_adapter import change_subscription as room
from workbench.servers.sdk_adapter.change_subscription import ChangeSubscription


class Listens:
    """Replaces the SDK's listen function: each subscription does what the script says next."""

    def __init__(self, *script: str) -> None:
        self.script = list(script)
        self.wanted: list[dict[str, Any]] = []

    @asynccontextmanager
    async def __call__(self, session: object, **wanted: Any) -> AsyncIterator[Any]:
        self.wanted.append(wanted)
        step = self.script.pop(0) if self.script else "stay"
        if step == "refuse":
            raise MCPError(-32601, "no")
        yield self._events(step)

    async def _events(self, step: str) -> AsyncIterator[int]:
        yield 1
        if step == "lose":
            raise mcp.client.subscriptions.SubscriptionLost("lost")
        if step == "stay":
            await asyncio.Event().wait()


def session(tools: bool = True) -> Any:
    part = SimpleNamespace(list_changed=tools)
    return SimpleNamespace(server_capabilities=SimpleNamespace(tools=part, prompts=None, resources=None))


async def until(condition: Any) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(room, "_FIRST_PAUSE", 0.01)

    @asynccontextmanager
    async def start(listens: Listens, **given: Any) -> AsyncIterator[tuple[ChangeSubscription, list[int]]]:
        monkeypatch.setattr(mcp.client.subscriptions, "listen", listens)
        missed: list[int] = []
        made = ChangeSubscription(session(**given), lambda: missed.append(1))
        running = asyncio.ensure_future(made.run())
        try:
            yield made, missed
        finally:
            running.cancel()
            await asyncio.wait([running])

    return start


async def test_a_lost_subscription_is_renewed_and_what_may_have_been_missed_is_told(run: Any) -> None:
    listens = Listens("lose", "lose", "stay")
    async with run(listens) as (_, missed):
        await until(lambda: len(listens.wanted) == 3)
        assert len(missed) == 2


async def test_what_is_watched_is_subscribed_beside_the_lists(run: Any) -> None:
    listens = Listens("stay", "stay", "stay")
    async with run(listens) as (changes, _):
        await until(lambda: listens.wanted)
        changes.watch({"b:", "a:"})
        await until(lambda: len(listens.wanted) == 2)
        changes.watch(())
        await until(lambda: len(listens.wanted) == 3)
    assert listens.wanted[1] == {"tools_list_changed": True, "resource_subscriptions": ["a:", "b:"]}
    assert listens.wanted[2] == {"tools_list_changed": True}


async def test_a_refusal_is_not_repeated_until_something_else_is_wanted(run: Any) -> None:
    listens = Listens("refuse", "stay")
    async with run(listens) as (changes, missed):
        await until(lambda: listens.wanted)
        await asyncio.sleep(0.05)
        assert len(listens.wanted) == 1
        changes.watch({"a:"})
        await until(lambda: len(listens.wanted) == 2)
        assert missed == []


async def test_nothing_is_subscribed_where_nothing_changes(run: Any) -> None:
    listens = Listens()
    async with run(listens, tools=False):
        await asyncio.sleep(0.03)
    assert listens.wanted == []
