"""Interfaces of whatever makes locked children: processes, containers, virtual machines."""

from __future__ import annotations

from typing import Protocol

from workbench.records import Level
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.process.launcher_client import ChildExit, SandboxChild


class ChildMaker(Protocol):
    """One kind of isolation; each child it makes is used for one program, or one kept state, and thrown away."""

    async def make(self, profile: ChildProfile) -> SandboxChild:
        """Begin a child; its channel says when it is ready."""
        ...

    def kill(self, cell: SandboxChild) -> None:
        """Whatever it is doing; does not wait."""
        ...

    async def finish(self, cell: SandboxChild) -> ChildExit:
        """End a child and wait until nothing of it is left."""
        ...

    async def close(self) -> None:
        """End every child and whatever makes them."""
        ...


class IsolationEngine(ChildMaker, Protocol):
    """A maker beside the processes' own: it may be missing here, or not be built yet."""

    async def look(self) -> Level:
        """Whether it works on this machine now, found out by asking it; quick, and any number of times."""
        ...
