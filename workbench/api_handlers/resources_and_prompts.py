"""API methods about resources, prompts, completions and logs of servers."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from workbench.api.marker import api
from workbench.api_handlers.request_handler import HandlerContext, RequestHandler
from workbench.broker.resource_reading import ResourceReader
from workbench.errors import WorkbenchError
from workbench.records import Completion, JsonValue, Outcome, PromptAnswer


class ResourceHandler(RequestHandler):
    """Resources, prompts, completions, and a server's log."""

    def __init__(self, context: HandlerContext) -> None:
        super().__init__(context)
        self._reader = ResourceReader(context.services)

    @api
    async def read_resource(self, server: str, uri: str) -> Outcome:
        """What a resource holds; starts the server if it rests."""
        return await self._reader.resource(uuid.uuid4().hex[:12], server, uri, self._services.sessions.person)

    @api(decides=True)
    async def subscribe_resource(self, server: str, uri: str, on: bool) -> None:
        """Hear of changes of a resource (`ResourcesUpdated`), or no longer."""
        await self._catalog.offered.subscribe(server, uri, on=on)
        words = "subscribed to" if on else "ended the subscription to"
        self._note("resource.subscribed" if on else "resource.unsubscribed", f"You {words} {uri:.300}", server=server)

    @api
    async def get_prompt(self, server: str, name: str, arguments: JsonValue) -> PromptAnswer:
        """A prompt with its blanks filled; arguments are texts by name."""
        return await self._reader.prompt(server, name, _texts(arguments), self._services.sessions.person)

    @api
    async def complete(
        self, server: str, kind: str, name: str, argument: str, value: str, context: JsonValue
    ) -> Completion:
        """Proposals for an argument while it is typed; `kind` is prompt or resource."""
        return await self._catalog.offered.complete(server, kind, name, argument, value, _texts(context))

    @api(decides=True)
    async def set_log_level(self, server: str, level: str) -> None:
        """Ask the server to log from this level on."""
        await self._catalog.offered.set_log_level(server, level)
        self._note("server.log-level", f"You asked {server} to log from {level} on", server=server)


def _texts(given: JsonValue) -> Mapping[str, str]:
    """The protocol knows texts only."""
    if not isinstance(given, Mapping) or not all(isinstance(value, str) for value in given.values()):
        raise WorkbenchError("Arguments of a prompt are texts by name.")
    return {str(name): value for name, value in given.items()}
