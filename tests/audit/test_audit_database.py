"""A file that is not our audit is refused untouched, with what to do about it."""

from __future__ import annotations

import sqlite3

import pytest

from workbench.audit.journal import Journal
from workbench.errors import WorkbenchError


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\x00" + b"\x07" * 5000, b"x"])
def test_rubbish_is_refused_and_stays_as_it_is(place, content):
    place.write_bytes(content)
    with pytest.raises(WorkbenchError, match="cannot be used") as caught:
        Journal(place)
    assert "Move it aside" in caught.value.hint
    assert place.read_bytes() == content


def test_another_programs_database_is_refused(place):
    store = sqlite3.connect(place)
    store.execute("CREATE TABLE theirs(x)")
    store.close()
    with pytest.raises(WorkbenchError, match="another program"):
        Journal(place)


def test_an_audit_of_a_newer_version_is_refused(place):
    Journal(place).close()
    store = sqlite3.connect(place)
    store.execute("PRAGMA user_version=99")
    store.close()
    with pytest.raises(WorkbenchError, match="newer version"):
        Journal(place)


def test_after_moving_it_aside_a_new_one_begins(place):
    place.write_bytes(b"rubbish" * 1000)
    place.rename(place.with_suffix(".old"))
    journal = Journal(place)
    assert journal.verify().whole
    journal.close()


def test_a_folder_in_its_place_is_a_sentence(place):
    place.mkdir()
    with pytest.raises(WorkbenchError, match="cannot be opened"):
        Journal(place)


def test_a_link_is_not_followed(place):
    target = place.with_name("elsewhere")
    place.symlink_to(target)
    with pytest.raises(WorkbenchError, match="cannot be opened"):
        Journal(place)
    assert not target.exists()


def test_guards_that_were_taken_away_are_put_back(place):
    Journal(place).close()
    store = sqlite3.connect(place)
    store.execute("DROP TRIGGER entries_stay")
    store.close()
    Journal(place).close()
    store = sqlite3.connect(place)
    names = {name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    store.close()
    assert names == {"entries_stay", "entries_remain"}
