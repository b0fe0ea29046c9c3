"""Levels of isolation on paper: processes work, the rest could be built."""

from __future__ import annotations

from workbench.records import Level, Strength

LEVELS = (
    Level("process", True, "native", "Programs run as locked processes (native), full strength."),
    Level(
        "container", False, "", "podman is installed, but no image is built yet.",
        "Run `mcp-workbench sandbox build container`.",
    ),
    Level(
        "vm", False, "", "There is no QEMU.",
        "Install it: `sudo apt install qemu-system-x86`, then run `mcp-workbench sandbox build vm`.",
    ),
)  # fmt: skip


class PaperLevels:
    """Answers which levels there are."""

    strength = Strength("native", "full", dict.fromkeys(("namespaces", "seccomp", "Landlock", "inode quota"), True))
    level_list: tuple[Level, ...] = LEVELS

    async def levels(self) -> tuple[Level, ...]:
        return self.level_list
