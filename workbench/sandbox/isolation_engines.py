"""The engines of the levels above processes: containers and virtual machines."""

from __future__ import annotations

from pathlib import Path

from workbench.sandbox.child_maker import IsolationEngine
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.vm.vm_maker import VmMaker


def engines(images: Path) -> dict[str, IsolationEngine]:
    """Level → maker; `images` is the folder where what was built for them is kept."""
    return {"container": ContainerMaker(images), "vm": VmMaker(images / "vm")}
