"""A workspace is measured after its file system lost much space, and counts as full only after a measurement."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from workbench.sandbox.supervision import workspace_quota
from workbench.sandbox.supervision.child_usage import written_bytes
from workbench.sandbox.supervision.workspace_quota import QuotaGauge, quota_gauge


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The simulated free space of a file system, in bytes and files."""
    found = [1 << 40, 1 << 20]
    monkeypatch.setattr(workspace_quota, "_free_space", lambda folder: (found[0], found[1]))
    return found


def test_little_that_is_gone_is_no_reason_to_count_and_much_is(left: list[int], tmp_path: Path) -> None:
    found = QuotaGauge(str(tmp_path), 1024)
    left[0] -= 1 << 20
    assert not found.is_suspect()
    left[0] -= 15 << 20  # also as a sum of small steps
    assert found.is_suspect()
    assert found.count() == ""
    left[0] -= 500 << 20  # the measurement found 1,024 MB left of the quota
    assert not found.is_suspect()
    left[0] -= 12 << 20
    assert found.is_suspect()


def test_what_others_give_back_hides_nothing(left: list[int], tmp_path: Path) -> None:
    found = QuotaGauge(str(tmp_path), 1024)
    left[0] += 1 << 30
    assert not found.is_suspect()
    left[0] -= 16 << 20
    assert found.is_suspect()


def test_files_that_hold_nothing_are_a_reason_too(left: list[int], tmp_path: Path) -> None:
    found = QuotaGauge(str(tmp_path), 1024)
    left[1] -= 2_000
    assert found.is_suspect()


def test_a_long_program_is_counted_in_any_case(left: list[int], tmp_path: Path) -> None:
    found = QuotaGauge(str(tmp_path), 1024)
    assert not found.due(time.monotonic() + 60)
    assert found.due(time.monotonic() - 60)


def test_a_folder_that_takes_long_to_count_is_not_counted_again_at_once(left: list[int], tmp_path: Path) -> None:
    found = QuotaGauge(str(tmp_path), 1024)
    found._next = time.monotonic() + 60
    left[0] -= 1 << 30
    assert not found.due(0.0)


def test_too_much_is_remembered_until_it_was_counted_again(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (2 << 20))
    found = quota_gauge(str(tmp_path), 1)
    assert "1 MB" in found.count()
    assert quota_gauge(str(tmp_path), 1).trouble
    (tmp_path / "large").unlink()
    assert (found.count(), found.trouble) == ("", "")


def test_disk_that_no_folder_shows_is_the_programs_only_when_it_wrote_so_much(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = QuotaGauge(str(tmp_path), 1)
    rows = ((130, 130, True), (0, 130, False), (130, 129, False), (-1, 130, False), (-1, 260, True))
    for wrote, lost, told in rows:
        monkeypatch.setattr(workspace_quota, "written_bytes", lambda process, wrote=wrote: wrote << 20)
        assert bool(found.hidden_use(lost << 20, os.getpid())) == told, (wrote, lost)
    assert found.hidden_use(300 << 20, 0) == ""  # no local process


def test_what_a_process_wrote_is_told_by_the_kernel(tmp_path: Path) -> None:
    before = written_bytes(os.getpid())
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    assert written_bytes(os.getpid()) >= before + (1 << 20)
    assert written_bytes(-1) == -1


def test_a_folder_that_is_gone_has_nothing_left_to_lose(tmp_path: Path) -> None:
    assert not QuotaGauge(str(tmp_path / "nowhere"), 1).is_suspect()
