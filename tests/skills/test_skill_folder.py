"""Skill folders: the shipped ones are well formed, the written ones are read back."""

from __future__ import annotations

import keyword
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.paths import starter_skills
from workbench.records import Skill, SkillState
from workbench.skills.frontmatter import read_front_matter
from workbench.skills.skill_folder import (
    LONGEST_DESCRIPTION,
    LONGEST_FILE,
    archive_version,
    card,
    code_sha,
    is_name,
    read_file,
    read_skill,
    read_versions,
    skill_name,
    write_file,
    write_skill,
)

FOLDERS = sorted(path for path in starter_skills().iterdir() if path.is_dir())
SPECIFIED = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_starter_is_well_formed(folder: Path) -> None:
    skill = read_skill(folder, SkillState.KEPT)
    assert skill.faults == ()
    assert (skill.version, skill.starter) == (1, True)
    assert 40 < len(skill.description) <= LONGEST_DESCRIPTION
    head = read_front_matter((folder / "SKILL.md").read_text(encoding="utf-8"))
    assert set(head.fields) <= SPECIFIED
    assert head.nested("metadata")["sha"] == skill.sha
    for title in ("## Usage", "## Features", "## Examples"):
        assert title in skill.notes


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    skill = Skill(
        name="add-up",
        description='Adds: "one" # really',
        code="x = 1\r\n\ty = 2\n",
        state=SkillState.KEPT,
        version=3,
        tags=("a", "b"),
        tools=("demo.list_orders",),
        run_id="run-1",
        author="claude",
        kept_by="ines",
        notes="# Add up",
    )
    write_skill(tmp_path / "add-up", skill)
    found = read_skill(tmp_path / "add-up", SkillState.KEPT)
    assert found.faults == ()
    assert found.changed > 0
    for name in ("description", "code", "version", "tags", "tools", "run_id", "author", "kept_by", "notes"):
        assert getattr(found, name) == getattr(skill, name)


@settings(deadline=None)
@given(
    st.text(), st.text(), st.lists(st.text(alphabet=st.characters(exclude_characters=",", exclude_categories=("Cs",))))
)
def test_a_card_holds_any_words(description: str, author: str, tags: list[str]) -> None:
    skill = Skill("a", description, "x", SkillState.KEPT, 1, tags=tuple(tags), author=author)
    head = read_front_matter(card(skill, {}))
    assert head.text("description") == description
    assert head.nested("metadata").get("author", "") == author
    assert head.nested("metadata").get("tags", "") == ", ".join(tags)
    assert set(head.fields) == {"name", "description", "metadata"}


def test_a_card_of_another_name_is_a_fault(tmp_path: Path) -> None:
    write_skill(tmp_path / "add-up", Skill("add-up", "Adds.", "x", SkillState.KEPT))
    os.rename(tmp_path / "add-up", tmp_path / "take-away")
    faults = " ".join(read_skill(tmp_path / "take-away", SkillState.KEPT).faults)
    assert "SKILL.md is 'add-up'" in faults
    assert "no take_away.py" in faults


def test_an_earlier_version_is_never_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "add-up"
    for code in ("one", "two"):
        write_skill(folder, Skill("add-up", "Adds.", code, SkillState.KEPT, version=1))
        archive_version(folder, 1)
    assert [(one.version, one.code) for one in read_versions(folder)] == [(1, "one")]


def test_a_file_is_read_only_when_it_is_a_plain_one_of_bounded_size(tmp_path: Path) -> None:
    write_file(tmp_path / "plain", "text")
    os.symlink(tmp_path / "plain", tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * (LONGEST_FILE + 1))
    assert read_file(tmp_path / "plain") == "text"
    for name in ("link", "pipe", "large"):
        with pytest.raises(OSError):
            read_file(tmp_path / name)


def test_a_sha_is_of_the_text_alone() -> None:
    assert code_sha("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert code_sha("x = 1\n") != code_sha("x = 1\r\n")


@pytest.mark.parametrize(
    ("wish", "name"),
    [("Filter High Risk!", "filter-high-risk"), ("a__b--c", "a-b-c"), ("Größe", "grosse"), ("x" * 90, "x" * 64)],
)
def test_a_wish_becomes_the_nearest_legal_name(wish: str, name: str) -> None:
    assert skill_name(wish) == name.replace("grosse", "groe")


@pytest.mark.parametrize(
    ("name", "word"), [("a-b", "a_b"), ("3d-render", "_3d_render"), ("class", "class_"), ("import", "import_")]
)
def test_a_name_becomes_an_importable_word(name: str, word: str) -> None:
    assert skill_module_name(name) == word


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a--b", "a b", "../a", "a" * 65, "a\n"])
def test_what_the_specification_forbids_is_no_name(name: str) -> None:
    assert not is_name(name)


@settings(deadline=None)
@given(st.text())
def test_any_wish_is_a_legal_name_or_refused(wish: str) -> None:
    try:
        name = skill_name(wish)
    except WorkbenchError:
        return
    assert is_name(name)
    assert skill_module_name(name).isidentifier()
    assert not keyword.iskeyword(skill_module_name(name))
