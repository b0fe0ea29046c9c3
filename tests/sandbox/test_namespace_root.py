"""A child gets exactly the folders that the core resolved for its paths, or is not created."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Limits
from workbench.sandbox.child_pool import ChildPool
from workbench.sandbox.child_profile import ChildProfile, marks_of
from workbench.sandbox.process.launcher_client import LauncherClient
from workbench.sandbox.program import Program
from workbench.sandbox.sandbox import Sandbox, profile_of


@pytest.fixture
async def pool() -> AsyncIterator[ChildPool]:
    sandbox = Sandbox("native", lambda: 0)
    if (await sandbox.open()).level == "none":
        await sandbox.close()
        pytest.skip(sandbox.strength.reason)
    await sandbox.close()
    children = LauncherClient()
    yield ChildPool(children, lambda: 0)
    await children.close()


def profile(folder: Path) -> ChildProfile:
    return profile_of("native", Program("1", Limits(), folder))


async def test_a_folder_in_whose_place_a_link_was_put_meanwhile_is_not_mounted(pool: ChildPool, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "workspace").mkdir()
    seen = profile(tmp_path / "workspace")
    (tmp_path / "workspace").rmdir()
    (tmp_path / "workspace").symlink_to(tmp_path / "private")
    with pytest.raises(WorkbenchError, match="is not the folder that the workbench opened"):
        await pool.take(seen)


async def test_a_folder_that_is_gone_is_said_and_the_next_child_is_fine(pool: ChildPool, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    seen = profile(tmp_path / "workspace")
    with pytest.raises(WorkbenchError, match="No such file"):
        await pool.take(replace(seen, workspace=str(tmp_path / "gone"), marks=marks_of(str(tmp_path / "gone"), "", "")))
    child = await pool.take(seen)
    assert child.channel.ready.result()["kind"] == "ready"
    await pool._finish_all([child])
