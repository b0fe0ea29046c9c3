"""A real core in this process: real demo server, real sandbox, real audit; only the doors are left out."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.paths import Paths


@pytest.fixture
async def core(paths: Paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    try:
        yield house
    finally:
        await house.close()


@pytest.fixture
async def demo(core: Core) -> Core:
    """The core with its demo server connected."""
    await core.catalog.connect("demo")
    return core
