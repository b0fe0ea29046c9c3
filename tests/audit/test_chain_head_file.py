"""A cut-off tail is noticed, and stays visible after the next start."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from workbench.audit.chain_head_file import Head, HeadFile, head_path, read_head
from workbench.audit.chain_verification import verify
from workbench.audit.journal import Journal
from workbench.records import EntryQuery, Note

LENGTH = 6


def fill(place) -> list[str]:
    journal = Journal(place)
    for number in range(1, LENGTH + 1):
        detail = {"number": number, "text": "ä€😀"}
        note = Note(
            "call.done", f"Call {number}", "claude", "s", "r", "demo", "tool", "low", True, 0.5 + number, 9, detail
        )
        journal.append(note)
    hashes = [entry.hash for entry in journal.entries(EntryQuery())]
    journal.close()
    return hashes


@contextlib.contextmanager
def behind_its_back(place):
    store = sqlite3.connect(place, isolation_level=None)
    for trigger in ("entries_stay", "entries_remain"):
        store.execute(f"DROP TRIGGER {trigger}")
    yield store
    store.close()


def test_a_tail_that_was_cut_and_written_anew_is_found(place):
    fill(place)
    head = head_path(place).read_bytes()
    with behind_its_back(place) as store:
        store.execute(f"DELETE FROM entries WHERE seq = {LENGTH}")
    head_path(place).unlink()
    Journal(place).close()
    head_path(place).write_bytes(head)
    assert not verify(place).whole


def test_a_missing_note_of_the_end_is_found(place):
    fill(place)
    head_path(place).unlink()
    assert "note of the last entry is missing" in verify(place).reason


def test_a_loss_stays_visible_after_the_next_start(place, open_journal):
    fill(place)
    with behind_its_back(place) as store:
        store.execute("DELETE FROM entries WHERE seq > 4")
    journal = open_journal()
    (gap,) = journal.entries(EntryQuery(kind="audit."))
    assert (gap.seq, gap.note.ok, gap.note.summary) == (5, False, "2 entries are missing at the end")
    journal.append(Note("call.done", "later"))
    assert (journal.verify().whole, journal.verify().broken_at) == (False, 5)


def test_a_head_is_read_back_as_it_was_written(place):
    file = HeadFile(place)
    for head in (Head(10**12, "f" * 64), Head(7, "a" * 64)):
        file.write(head)
        assert read_head(place) == head
    file.close()
    file.close()


@pytest.mark.parametrize("content", [b"", b"7", b"x y", b"\xff\xfe", b"1 2 3"])
def test_a_head_that_cannot_be_read_counts_as_missing(place, content):
    head_path(place).write_bytes(content)
    assert read_head(place) is None
