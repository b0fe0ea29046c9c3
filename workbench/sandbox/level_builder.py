"""Interface of what builds a level above processes on this machine: an image or a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Tell: TypeAlias = Callable[[str], None]  # one line for whoever watches the building


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """How something is to be built."""

    base: str = ""  # a container image to begin with, instead of the system's packages
    again: bool = False  # also when what was built is still current


class LevelBuilder(Protocol):
    """Builds, and takes away again, what a level needs. Refuses with a sentence that names what is missing."""

    def build(self, wish: BuildRequest, tell: Tell) -> None:
        """Each step is told with how long it took, at the end also how fast it starts."""
        ...

    def remove(self, tell: Tell) -> None:
        """Nothing that was built is left."""
        ...
