"""Keeps one subscription to changes of lists and resources open (protocol 2026-07-28), and renews a lost one.

The SDK's `listen` ends with `SubscriptionLost` and leaves renewing to its caller (python-sdk#3047): see
`tests/servers/test_plain_sdk.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import anyio
    from mcp.client.session import ClientSession

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # seconds before a lost subscription is renewed


class ChangeSubscription:
    """The subscription of one connection."""

    def __init__(self, session: ClientSession, missed: Callable[[], None]) -> None:
        self._session = session
        self._missed = missed  # called when changes may have been missed
        self._resources: frozenset[str] = frozenset()
        self._turned = asyncio.Event()  # set when the wanted resources change
        self._scope: anyio.CancelScope | None = None

    def watch(self, resources: Collection[str]) -> None:
        """Subscribe to changes of exactly these resources, and of the lists."""
        self._resources = frozenset(resources)
        self._turned.set()
        if self._scope is not None:
            self._scope.cancel()

    async def run(self) -> None:
        """Renew the subscription until cancelled. A refused subscription is requested again only after the wanted
        resources change."""
        from mcp.client.subscriptions import SubscriptionLost
        from mcp.shared.exceptions import MCPError

        pause = _FIRST_PAUSE
        while True:
            self._turned.clear()
            try:
                if wanted := self._wanted():
                    await self._listen(wanted)
                    pause = _FIRST_PAUSE
                await self._turned.wait()
            except SubscriptionLost:
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
                self._missed()
            except MCPError:
                await self._turned.wait()

    def _wanted(self) -> dict[str, Any]:  # Any: the arguments of the SDK's listen
        offered = self._session.server_capabilities
        lists = {
            f"{name}_list_changed": True
            for name in ("tools", "prompts", "resources")
            if (part := getattr(offered, name, None)) is not None and part.list_changed
        }
        return {**lists, **({"resource_subscriptions": sorted(self._resources)} if self._resources else {})}

    async def _listen(self, wanted: dict[str, Any]) -> None:
        """Listen until the server ends the subscription regularly or the wanted resources change."""
        import anyio
        from mcp.client.subscriptions import listen

        with anyio.CancelScope() as self._scope:
            async with listen(self._session, **wanted) as events:
                async for _ in events:
                    pass
