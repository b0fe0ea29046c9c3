"""What builds the levels above processes; apart from the makers, because a core never builds."""

from __future__ import annotations

from pathlib import Path

from workbench.sandbox.builder import Builder
from workbench.sandbox.container.building import ImageBuilder
from workbench.sandbox.vm.construction import Construction


def builders(images: Path) -> dict[str, Builder]:
    """Level → what builds it."""
    return {"container": ImageBuilder(images), "vm": Construction(images / "vm")}
