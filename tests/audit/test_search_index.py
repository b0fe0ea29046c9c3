"""The index of words takes in everything once, in bounded steps, and begins anew where it cannot be used."""

from __future__ import annotations

import sqlite3

import pytest

from workbench.audit import search_index as words
from workbench.audit.audit_database import open_to_read
from workbench.audit.search_index import Index, attach
from workbench.records import Note


def indexed(place, file) -> int:
    with open_to_read(place) as store:
        found = attach(store, file)
    store.close()
    return found


@pytest.fixture
def index(open_journal, place, tmp_path):
    journal = open_journal()
    for number in range(10):
        journal.append(Note("call.done", f"Call {number}", detail={"text": "x" * 100}))
    made = Index(place, tmp_path / "index.sqlite")
    yield made
    made.close()


def test_steps_are_bounded_by_entries_and_by_letters(index, place, monkeypatch):
    monkeypatch.setattr(words, "ENTRIES", 3)
    assert index.step()
    assert indexed(place, index.path) == 3
    monkeypatch.setattr(words, "LETTERS", 150)
    assert index.step()
    assert indexed(place, index.path) == 5
    while index.step():
        pass
    assert indexed(place, index.path) == 10
    assert not index.step()


def test_an_index_that_cannot_be_used_is_made_anew(index, place):
    while index.step():
        pass
    index.close()
    store = sqlite3.connect(index.path)
    store.execute("PRAGMA user_version = 99")
    store.close()
    assert indexed(place, index.path) == 0  # its tables may be others
    with pytest.raises(sqlite3.DatabaseError, match="another version"):
        index.step()
    while index.step():
        pass
    assert indexed(place, index.path) == 10
