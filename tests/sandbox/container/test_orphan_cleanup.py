"""A label identifies a container's owner: a running core, a core that has ended, or another machine's core."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.sandbox.container import orphan_cleanup
from workbench.sandbox.container.orphan_cleanup import _is_orphaned, make_temporary_folder, owner, sweep_folders


def test_this_process_lives_and_another_one_with_its_number_is_another() -> None:
    process, started, machine_id = owner().split(".")
    assert process == str(os.getpid())
    assert not _is_orphaned(owner())
    assert _is_orphaned(f"{process}.1.{machine_id}")
    assert _is_orphaned(f"1.{started}.{machine_id}")


@pytest.mark.parametrize("label", ["", "1.1", "1.1.", "1.1.another", "somebody else's", "1.1.another.more"])
def test_what_this_machine_did_not_make_is_not_its_to_remove(label: str) -> None:
    assert not _is_orphaned(label)


def test_two_machines_with_one_name_are_told_apart_and_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    for number in ("one", "two"):
        orphan_cleanup.machine_id.cache_clear()
        monkeypatch.setattr(orphan_cleanup, "_text", lambda file, number=number: number)
        found.add(orphan_cleanup.machine_id())
    orphan_cleanup.machine_id.cache_clear()
    assert len(found) == 2
    assert not any(os.uname().nodename in one for one in found)


def test_folders_of_cores_that_were_killed_are_removed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    machine_id = owner().rpartition(".")[2]
    for name in (f"1.1.{machine_id}-x", "1.1.another-x", "old"):
        (tmp_path / f"mcp-workbench-containers-{name}").mkdir()
    (tmp_path / f"mcp-workbench-containers-2.2.{machine_id}-link").symlink_to(tmp_path)
    with make_temporary_folder() as mine:
        sweep_folders()
        assert Path(mine).exists()
    left = {path.name.removeprefix("mcp-workbench-containers-") for path in tmp_path.iterdir()}
    assert left == {"1.1.another-x", "old", f"2.2.{machine_id}-link"}
