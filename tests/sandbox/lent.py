"""Simulates a stronger isolation level for tests on any machine, with real sandboxed processes."""

from __future__ import annotations

from dataclasses import replace

from workbench.records import Level
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.locked_child import SandboxChild
from workbench.sandbox.process.launcher_client import LauncherClient


class Lent(LauncherClient):
    """A launcher client that reports a different isolation level. The processes it creates are real."""

    def __init__(self, name: str, *, available: bool = True) -> None:
        super().__init__()
        self.name = name
        self.available = available
        self.made = 0

    async def look(self) -> Level:
        words = "It is lent." if self.available else "It is not built."
        return Level(self.name, self.available, "lent", words, "" if self.available else "Build it.")

    async def make(self, profile: ChildProfile) -> SandboxChild:
        self.made += 1
        return await super().make(replace(profile, backend="native"))
