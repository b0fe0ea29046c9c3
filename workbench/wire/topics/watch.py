"""What a person asks of a server's messages and of how it is doing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from workbench.records import DefinitionChange, Moment, RawAnswer, ToolSummary, ToolWarning, Vitals


class WatchQuestions(Protocol):
    """Messages as they crossed the pipe, and the server's condition."""

    async def frame(self, server: str, at: float) -> str:
        """The whole text of one message."""

    async def transcript(self, server: str) -> str:
        """Every kept message, whole, one a line of JSON."""

    async def search_frames(self, server: str, words: str, after: float) -> tuple[float, ...]:
        """When the messages with all these words passed, wherever in the message they stand."""

    async def send_raw(self, server: str, text: str, confirmed: bool) -> RawAnswer:
        """Send a message written by hand. A tool call goes the way of every tool call: policy, privacy, audit."""

    async def vitals(self, server: str) -> Vitals: ...

    async def all_vitals(self) -> tuple[Vitals, ...]:
        """Of every server of the bench, for the price of one look."""

    async def warnings(self, server: str) -> tuple[ToolWarning, ...]:
        """What is odd about its definitions, by themselves and beside those of other servers."""

    async def changes(self, server: str) -> tuple[DefinitionChange, ...]:
        """What is not as a person approved it or last saw it: blocked tools first, then new ones, then those gone."""

    async def removed_tools(self) -> tuple[ToolSummary, ...]:
        """Of every server, what it took back since a person last looked at its changes."""

    async def moments(self, server: str) -> tuple[Moment, ...]:
        """When the server changed, newest first."""

    async def compare(self, server: str, before: float, after: float) -> tuple[DefinitionChange, ...]:
        """What is different between two moments: tools, instructions, version, protocol."""

    async def approve_definitions(self, server: str, wanted: Mapping[str, str]) -> tuple[DefinitionChange, ...]:
        """Stand behind changed definitions, by tool and hash; answers with what is left."""

    async def see_changes(self, server: str) -> None:
        """New and removed tools were looked at; what is blocked stays blocked."""
