"""What a person asks of a server's messages and of how it is doing."""

from __future__ import annotations

from typing import Protocol

from workbench.records import RawAnswer, Vitals


class WatchQuestions(Protocol):
    """Messages as they crossed the pipe, and the server's condition."""

    async def frame(self, server: str, at: float) -> str:
        """The whole text of one message."""

    async def search_frames(self, server: str, words: str, after: float) -> tuple[float, ...]:
        """When the messages with all these words passed, wherever in the message they stand."""

    async def send_raw(self, server: str, text: str, confirmed: bool) -> RawAnswer:
        """Send a message written by hand. A tool call goes the way of every tool call: policy, privacy, audit."""

    async def vitals(self, server: str) -> Vitals: ...
