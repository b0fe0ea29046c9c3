"""One launcher for most programs, and one more for each set of modules that is imported ahead.

A launcher that has imported pandas is large and slow to begin, and so is each of its children: only programs that want
it pay for it.
"""

from __future__ import annotations

import os

from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.process.launcher_client import ChildExit, LauncherClient, SandboxChild

FORCED = "MCP_WORKBENCH_SANDBOX"  # native, bubblewrap or none: for tests and for finding faults


class LauncherPool:
    """The maker of process children. A further launcher begins with the first child that wants it."""

    def __init__(self) -> None:
        self._plain = LauncherClient()
        self._all: dict[tuple[object, ...], LauncherClient] = {(): self._plain}

    @property
    def launcher(self) -> int:
        """Process id of the plain launcher; 0 when none runs."""
        return self._plain.launcher

    def begin(self) -> None:
        """The plain one starts beside whatever its core loads now; within a running loop."""
        if os.environ.get(FORCED) != "none":
            self._plain.begin()

    async def make(self, profile: ChildProfile) -> SandboxChild:
        return await self._all.setdefault(_set(profile), LauncherClient()).make(profile)

    def kill(self, cell: SandboxChild) -> None:
        self._all[_set(cell.profile)].kill(cell)

    async def finish(self, cell: SandboxChild) -> ChildExit:
        return await self._all[_set(cell.profile)].finish(cell)

    async def close(self) -> None:
        for cells in self._all.values():
            await cells.close()


def _set(profile: ChildProfile) -> tuple[object, ...]:
    """Only children of the first backend begin as copies of their launcher."""
    return (profile.preload, profile.packages) if profile.preload and profile.backend == "native" else ()
