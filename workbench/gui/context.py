"""What every pane is given: the core to ask, the place to run tasks, the looks, the paths. Nothing else is global."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from workbench.api.client_stub import CoreApi
from workbench.gui.tasks import Tasks
from workbench.gui.theme import Theme
from workbench.paths import Paths

Fetch: TypeAlias = Callable[[str, int, int], Awaitable[str]]
"""Reads a slice of a large value: handle, offset, length."""


class Context(Struct, frozen=True):
    """One per window; `api` stays the same object when the core is restarted under it."""

    api: CoreApi
    tasks: Tasks
    theme: Theme
    paths: Paths
    fetch: Fetch
