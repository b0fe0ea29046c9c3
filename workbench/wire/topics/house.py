"""What a person asks of the core itself."""

from __future__ import annotations

from typing import Protocol

from workbench.records import AgentDoor, CoreStatus, JsonValue, Level
from workbench.settings import Settings


class HouseQuestions(Protocol):
    """The core and its settings."""

    async def status(self) -> CoreStatus: ...

    async def levels(self) -> tuple[Level, ...]:
        """Which kinds of isolation there are, from the weakest to the strongest, after looking again."""

    async def shut_down(self) -> None:
        """End the core and everything it started."""

    async def settings(self) -> Settings: ...

    async def change_setting(self, name: str, value: JsonValue) -> Settings: ...

    async def agent_door(self) -> AgentDoor:
        """Whether the HTTP door for agents is open, with its token."""

    async def open_agent_door(self, port: int, fresh_token: bool) -> AgentDoor:
        """Open it at this port of this machine; 0 is any that is free. A fresh token shuts the old one out."""

    async def close_agent_door(self) -> None:
        """Its agents leave, and what they had running is stopped."""
