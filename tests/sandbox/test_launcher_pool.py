"""Launchers start on request or with the first child, and never where programs may not run."""

from __future__ import annotations

import pytest

from workbench.sandbox.process.launcher_client import LauncherPool
from workbench.sandbox.sandbox import Sandbox


async def test_a_launcher_that_was_begun_makes_the_first_child() -> None:
    launchers = LauncherPool()
    launchers.begin()
    begun = launchers.launcher
    sandbox = Sandbox(launchers=launchers)
    try:
        assert (await sandbox.open()).level != "none"
        assert sandbox.launcher == begun != 0
    finally:
        await sandbox.close()
    assert launchers.launcher == 0


async def test_no_launcher_is_begun_where_the_sandbox_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_WORKBENCH_SANDBOX", "none")
    launchers = LauncherPool()
    launchers.begin()
    assert launchers.launcher == 0
