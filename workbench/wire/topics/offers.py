"""What a person asks of what servers offer besides tools."""

from __future__ import annotations

from typing import Protocol

from workbench.records import Completion, JsonValue, Offers, Outcome, PromptAnswer, Resource, ServerLog


class OfferQuestions(Protocol):
    """Resources, prompts, completions, and the server's log."""

    async def offers(self, server: str) -> Offers:
        """Everything but the resources themselves; of a server that rests, what was known of it last."""

    async def resources(self, server: str, start: int) -> tuple[Resource, ...]:
        """The list from this place on, at most a thousand at once."""

    async def read_resource(self, server: str, uri: str) -> Outcome:
        """What a resource holds; starts the server if it rests."""

    async def subscribe_resource(self, server: str, uri: str, on: bool) -> None:
        """Hear of changes of a resource (`ResourcesUpdated`), or no longer."""

    async def get_prompt(self, server: str, name: str, arguments: JsonValue) -> PromptAnswer:
        """A prompt with its blanks filled; arguments are texts by name."""

    async def complete(
        self, server: str, kind: str, name: str, argument: str, value: str, context: JsonValue
    ) -> Completion:
        """Proposals for an argument while it is typed; `kind` is prompt or resource."""

    async def set_log_level(self, server: str, level: str) -> None:
        """Ask the server to log from this level on."""

    async def server_log(self, server: str, after: int) -> ServerLog:
        """The lines with a higher number, as far as they are kept."""
