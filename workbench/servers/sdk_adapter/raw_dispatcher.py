"""The SDK's dispatcher without its typed callbacks: requests and notifications reach the host as they were sent.

WORKAROUND(the typed layer drops notifications and fields that it does not know, python-sdk#1399, and starts a task for
each notification: 1.1 s of CPU for 20,000 log messages; mcp > 2.3): see `tests/servers/test_plain_sdk.py`. Imports the
SDK: import it late.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio.abc
from mcp.shared.dispatcher import DispatchContext, OnNotify, OnNotifyIntercept, OnRequest
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext

from workbench.servers.server_requests import HostGateway

_OWN = frozenset({"ping"})  # requests that the session answers by itself
# Handled by the dispatcher or by the session's subscriptions.
_APPLIED = frozenset({"notifications/progress", "notifications/cancelled", "notifications/subscriptions/acknowledged"})


class RawDispatcher(JSONRPCDispatcher[TransportContext]):
    """The SDK's dispatcher that calls the host instead of typed callbacks."""

    def __init__(
        self, incoming: Any, outgoing: Any, gateway: HostGateway
    ) -> None:  # Any: the SDK's streams, with nested generic types
        super().__init__(incoming, outgoing)
        self._gateway = gateway

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        async def answer_request(
            context: DispatchContext[Any], method: str, params: Mapping[str, Any] | None
        ) -> dict[str, Any]:
            if method in _OWN:
                return await on_request(context, method, params)
            return dict(await self._gateway.ask(method, params or {}))

        def intercept_notification(method: str, params: Mapping[str, Any] | None) -> bool:
            if on_notify_intercept is not None:
                on_notify_intercept(method, params)
            if method not in _APPLIED:
                self._gateway.tell(method, params or {})
            return True  # the session's typed layer has no listener

        await super().run(answer_request, on_notify, intercept_notification, task_status=task_status)
