"""What a person has kept, by sha."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.skills.skill_approvals import FILE, ApprovedSkillHashes


def test_only_the_code_that_was_kept_under_that_name_is_approved(tmp_path: Path) -> None:
    approvals = ApprovedSkillHashes(tmp_path)
    approvals.add("add-up", "sha-1")
    assert approvals.holds("add-up", "sha-1")
    assert not approvals.holds("add-up", "sha-2")
    assert not approvals.holds("take-away", "sha-1")


def test_it_is_remembered_and_earlier_versions_stay_approved(tmp_path: Path) -> None:
    for sha in ("sha-1", "sha-2", "sha-2"):
        ApprovedSkillHashes(tmp_path).add("add-up", sha)
    assert ApprovedSkillHashes(tmp_path).holds("add-up", "sha-1")
    assert (tmp_path / FILE).read_text().count("sha-2") == 1


def test_a_yes_is_about_the_words_too(tmp_path: Path) -> None:
    approvals = ApprovedSkillHashes(tmp_path)
    approvals.add("add-up", "sha-1", "words-1")
    assert approvals.holds("add-up", "sha-1", "words-1")
    assert approvals.holds("add-up", "sha-1")
    assert not approvals.holds("add-up", "sha-1", "words-2")


def test_a_yes_of_an_earlier_version_counts_for_the_words_that_stand_there_first(tmp_path: Path) -> None:
    ApprovedSkillHashes(tmp_path).add("add-up", "sha-1")
    assert ApprovedSkillHashes(tmp_path).holds("add-up", "sha-1", "words-1")
    assert not ApprovedSkillHashes(tmp_path).holds("add-up", "sha-1", "words-2")
    assert ApprovedSkillHashes(tmp_path).holds("add-up", "sha-1", "words-1")


def test_where_nothing_can_be_written_an_earlier_yes_still_counts(tmp_path: Path) -> None:
    ApprovedSkillHashes(tmp_path).add("add-up", "sha-1")
    approvals = ApprovedSkillHashes(tmp_path)
    (tmp_path / FILE).unlink()
    tmp_path.rmdir()
    tmp_path.write_text("a file in its place")
    assert approvals.holds("add-up", "sha-1", "words-1")
    assert not approvals.holds("add-up", "sha-1", "words-2")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"add-up": "sha-1"}', "\0"])
def test_a_file_that_cannot_be_read_approves_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert not ApprovedSkillHashes(tmp_path).holds("add-up", "sha-1")
