"""The makers of the levels above processes, each found in its own file. Whoever adds one adds it here."""

from __future__ import annotations

from pathlib import Path

from workbench.sandbox.container.containers import Containers
from workbench.sandbox.maker import Engine
from workbench.sandbox.vm.machines import Machines


def engines(images: Path) -> dict[str, Engine]:
    """Level → maker; `images` is the folder where what was built for them is kept."""
    return {"container": Containers(images), "vm": Machines(images / "vm")}
