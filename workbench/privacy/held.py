"""One value behind a token."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from workbench.records import Place

Source: TypeAlias = str | Place
"""Where a value comes from: a server by its name, or one call of it; an empty name where no server supplied it."""


@dataclass(slots=True)
class Held:
    """What a token stands for, and the servers that supplied it."""

    kind: str
    text: str
    number: int | float | None = None  # set when it was a JSON number and becomes one again
    sources: set[str] = field(default_factory=set)
