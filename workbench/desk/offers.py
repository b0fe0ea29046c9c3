"""Answers what a person asks of what servers offer besides tools."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from workbench.desk.seat import House, Seat
from workbench.errors import WorkbenchError
from workbench.records import Completion, JsonValue, Offers, Outcome, PromptAnswer, Resource, ServerLog
from workbench.runs.reading import Reader


class OffersDesk(Seat):
    """Resources, prompts, completions, and the server's log."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._reader = Reader(house.rooms)

    async def offers(self, server: str) -> Offers:
        return self._catalog.offered.offers(server)

    async def resources(self, server: str, start: int) -> tuple[Resource, ...]:
        return self._catalog.offered.resources(server, start)

    async def read_resource(self, server: str, uri: str) -> Outcome:
        return await self._reader.resource(uuid.uuid4().hex[:12], server, uri, self._rooms.sessions.person)

    async def subscribe_resource(self, server: str, uri: str, on: bool) -> None:
        await self._catalog.offered.subscribe(server, uri, on=on)
        words = "subscribed to" if on else "ended the subscription to"
        self._note("resource.subscribed" if on else "resource.left", f"You {words} {uri:.300}", server=server)

    async def get_prompt(self, server: str, name: str, arguments: JsonValue) -> PromptAnswer:
        return await self._reader.prompt(server, name, _texts(arguments), self._rooms.sessions.person)

    async def complete(
        self, server: str, kind: str, name: str, argument: str, value: str, context: JsonValue
    ) -> Completion:
        return await self._catalog.offered.complete(server, kind, name, argument, value, _texts(context))

    async def set_log_level(self, server: str, level: str) -> None:
        await self._catalog.offered.set_log_level(server, level)
        self._note("server.log-level", f"You asked {server} to log from {level} on", server=server)

    async def server_log(self, server: str, after: int) -> ServerLog:
        return self._catalog.offered.log(server, after)


def _texts(given: JsonValue) -> Mapping[str, str]:
    """The protocol knows texts only."""
    if not isinstance(given, Mapping) or not all(isinstance(value, str) for value in given.values()):
        raise WorkbenchError("Arguments of a prompt are texts by name.")
    return {str(name): value for name, value in given.items()}
