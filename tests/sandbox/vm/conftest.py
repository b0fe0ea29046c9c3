"""Real virtual machines for tests on request, because booting is slow and most machines have no QEMU."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.sandbox.conftest import Room
from workbench.errors import WorkbenchError
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.vm.image_builder import VmImageBuilder
from workbench.sandbox.vm.vm_maker import VmMaker

ASKED = "MCP_WORKBENCH_TEST_VM"  # "build": build an image for these tests; otherwise the folder of a built image


@pytest.fixture(scope="session")
def image_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    asked = os.environ.get(ASKED)
    if not asked:
        pytest.skip(f"real virtual machines are tested when {ASKED}=build, or names the folder of an image")
    if asked != "build":
        return Path(asked)
    folder = tmp_path_factory.mktemp("images") / "vm"
    try:
        VmImageBuilder(folder).build(print)
    except WorkbenchError as fault:
        pytest.skip(f"{fault.message} {fault.hint}")
    return folder


@pytest.fixture
async def running(image_folder: Path, tmp_path: Path) -> AsyncIterator[Room]:
    machines = VmMaker(image_folder)
    sandbox = Sandbox("native", ready=0, engines={"vm": machines})
    await sandbox.open()
    level = (await sandbox.look_again())[2]
    if not level.available:
        await sandbox.close()
        pytest.skip(f"{level.sentence} {level.hint}")
    for name in ("workspace", "servers", "skills"):
        (tmp_path / name).mkdir()
    yield Room(sandbox, tmp_path, level="vm")
    await sandbox.close()
