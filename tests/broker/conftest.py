"""Fixtures for tests of the broker: a core with a connected demo server."""

from __future__ import annotations

import pytest

from workbench.core import Core


@pytest.fixture
async def demo(core: Core) -> Core:
    """The core with its demo server connected."""
    await core.catalog.connect("demo")
    return core
