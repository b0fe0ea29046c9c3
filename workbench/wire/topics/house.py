"""What a person asks of the core itself."""

from __future__ import annotations

from typing import Protocol

from workbench.records import CoreStatus, JsonValue
from workbench.settings import Settings


class HouseQuestions(Protocol):
    """The core and its settings."""

    async def status(self) -> CoreStatus: ...

    async def shut_down(self) -> None:
        """End the core and everything it started."""

    async def settings(self) -> Settings: ...

    async def change_setting(self, name: str, value: JsonValue) -> Settings: ...
