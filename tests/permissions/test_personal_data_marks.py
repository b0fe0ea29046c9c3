"""Marks are kept apart from the settings and from everybody else; a project may hide more and never less."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.permissions.personal_data_marks import PersonalDataMarks
from workbench.records import PrivacyMark
from workbench.settings import Settings

BENCH = """
[[privacy.hide]]
pattern = 'AB-\\d{6}'
[[privacy.hide]]
pattern = '\\d+'
[[privacy.pass]]
value = "rosa@corp.io"
"""
FALCON = PrivacyMark(True, "value", "Falcon", "CUSTOM")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    return tmp_path / "workbench.toml", tmp_path / "config" / "privacy.toml", tmp_path / "state" / "privacy.toml"


def test_a_mark_lasts_is_readable_by_its_person_alone_and_can_be_taken_back(files: tuple[Path, Path, Path]) -> None:
    made = PersonalDataMarks(*files).add(FALCON)
    assert stat.S_IMODE(files[1].stat().st_mode) == 0o600
    again = PersonalDataMarks(*files)
    assert again.marks() == (made,)
    assert again.following(Settings()).known == (("CUSTOM", "Falcon"),)
    assert again.remove(made.id) == made
    assert PersonalDataMarks(*files).marks() == ()
    with pytest.raises(WorkbenchError):
        again.remove(made.id)


def test_the_last_word_about_one_value_counts(files: tuple[Path, Path, Path]) -> None:
    personal = PersonalDataMarks(*files)
    personal.add(FALCON)
    personal.add(PrivacyMark(False, "value", "falcon"))
    assert [(mark.hide, mark.text) for mark in personal.marks()] == [(False, "falcon")]


def test_a_project_adds_what_is_hidden_and_lets_nothing_pass(files: tuple[Path, Path, Path]) -> None:
    files[0].write_text(BENCH, "utf-8")
    personal = PersonalDataMarks(*files)
    (mark,) = personal.marks()
    assert (mark.hide, mark.text, mark.source) == (True, "AB-\\d{6}", "project")
    told = " ".join(notice.message for notice in personal.notices(Settings()))
    assert "privacy.pass is ignored" in told
    assert "may take very long" in told
    with pytest.raises(WorkbenchError, match="You have no such mark"):
        personal.remove(mark.id)


def test_a_project_may_not_pile_up_patterns_and_what_is_left_out_is_told(files: tuple[Path, Path, Path]) -> None:
    entries = "".join(f"[[privacy.hide]]\npattern = 'A{number}-[0-9]{{4,12}}'\n" for number in range(600))
    files[0].write_text(entries + "[[privacy.hide]]\nkey = 'badge'\n", "utf-8")
    personal = PersonalDataMarks(*files)
    assert [mark.what for mark in personal.marks()] == ["pattern"] * 20
    told = [notice.message for notice in personal.notices(Settings())]
    assert [words.partition(": ")[2] for words in told] == [
        "hide has 601 entries.",
        "480 patterns too many in privacy.hide.",
    ]


@pytest.mark.parametrize("text", ["hide = 3", "[[hide]]\nvalue = 3", "[[hide]]\nvalue='a b c'\nkey='x'", "privacy = 7"])
def test_odd_entries_are_left_out_with_a_notice(files: tuple[Path, Path, Path], text: str) -> None:
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    assert PersonalDataMarks(*files).marks() == ()


def test_a_file_that_cannot_be_read_is_not_written_over(files: tuple[Path, Path, Path]) -> None:
    files[1].parent.mkdir()
    files[1].write_text("[[hide", "utf-8")
    personal = PersonalDataMarks(*files)
    assert personal.notices(Settings())
    with pytest.raises(WorkbenchError, match="cannot be read, so it was not changed"):
        personal.add(FALCON)
    assert files[1].read_text("utf-8") == "[[hide"


def test_settings_that_name_no_kind_are_told(files: tuple[Path, Path, Path]) -> None:
    view = PersonalDataMarks(*files).view(Settings(privacy_off="IP NOPE"))
    assert [rule.kind for rule in view.kinds if not rule.on] == ["IP"]
    assert "NOPE" in view.notices[0].message


def test_a_mark_for_one_project_is_stored_apart_and_overrules_the_one_for_all(files: tuple[Path, Path, Path]) -> None:
    personal = PersonalDataMarks(*files)
    personal.add(PrivacyMark(False, "value", "Falcon"))
    here = personal.add(PrivacyMark(True, "value", "falcon", "CUSTOM", scope="project"))
    assert files[2].exists()
    assert stat.S_IMODE(files[2].stat().st_mode) == 0o600
    again = PersonalDataMarks(*files)
    assert {(mark.hide, mark.scope) for mark in again.marks()} == {(False, "everywhere"), (True, "project")}
    assert again.following(Settings()).known == (("CUSTOM", "falcon"),)
    assert not again.following(Settings()).rules.lets_pass("Falcon")
    again.remove(here.id)
    assert again.following(Settings()).rules.lets_pass("Falcon")
    assert PersonalDataMarks(files[0], files[1], files[2].with_name("other.toml")).marks()[0].text == "Falcon"
    with pytest.raises(WorkbenchError, match="applies everywhere or in this project"):
        again.add(PrivacyMark(True, "value", "Falcon", "CUSTOM", scope="moon"))


def test_a_mark_that_the_core_of_another_project_added_is_not_lost(files: tuple[Path, Path, Path]) -> None:
    one, other = PersonalDataMarks(*files), PersonalDataMarks(*files)
    one.add(FALCON)
    other.add(PrivacyMark(False, "value", "help@corp.io"))
    assert {mark.text for mark in PersonalDataMarks(*files).marks()} == {"Falcon", "help@corp.io"}


def test_invalid_strictness_of_servers_is_reported(files: tuple[Path, Path, Path]) -> None:
    told = PersonalDataMarks(*files).notices(Settings(privacy_servers="crm=recall logs=loud off"))
    assert [notice.message for notice in told] == ["privacy.servers has invalid entries: logs=loud, off."]
