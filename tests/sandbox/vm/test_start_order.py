"""A machine restored from the snapshot receives the current time, a random seed and its limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.file_transfer.transfer_frames import TransferReader
from workbench.sandbox.vm.vm_maker import start_order


@pytest.fixture
def profile(tmp_path: Path) -> ChildProfile:
    return ChildProfile("qemu", str(tmp_path), "", "", True, memory_mb=64, cpu_seconds=1, pids=1, disk_mb=4096)


def test_an_order_tells_the_time_and_gives_each_machine_chance_of_its_own(profile: ChildProfile) -> None:
    heads = [head for head, _ in TransferReader().feed(start_order(profile) + start_order(replace(profile, disk_mb=1)))]
    assert heads[0]["seed"] != heads[1]["seed"]
    assert 0 < heads[0]["time"] <= heads[1]["time"]
    assert heads[0]["profile"]["workspace"] == "/files/workspace"
    assert [head["profile"]["disk_mb"] for head in heads] == [256, 1]
