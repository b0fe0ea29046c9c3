"""Whatever is changed behind the journal's back is found, and the report says where."""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import threading

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.audit.chain_head_file import head_path
from workbench.audit.chain_verification import verify
from workbench.audit.hash_chain import COLUMNS
from workbench.audit.journal import Journal
from workbench.errors import WorkbenchError
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


def altered(value, choice: int):
    """The same value with one byte, digit or unit different."""
    if isinstance(value, str) and value:
        at = choice % len(value)
        return value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1 :]
    if isinstance(value, str):
        return "x"
    return math.nextafter(value, choice) if isinstance(value, float) else value + 1 + choice


@settings(max_examples=80, deadline=None)
@given(st.integers(1, LENGTH), st.sampled_from([*COLUMNS[1:], "previous", "hash"]), st.integers(0, 1000))
def test_any_changed_field_is_found_where_it_stands(tmp_path_factory, seq, column, choice):
    place = tmp_path_factory.mktemp("audit") / "audit.sqlite"
    fill(place)
    with behind_its_back(place) as store:
        (value,) = store.execute(f"SELECT {column} FROM entries WHERE seq = ?", (seq,)).fetchone()
        store.execute(f"UPDATE entries SET {column} = ? WHERE seq = ?", (altered(value, choice), seq))
    report = verify(place)
    assert (report.whole, report.broken_at) == (False, seq)
    assert report.reason


def test_a_whole_chain_has_its_length_and_head(place):
    hashes = fill(place)
    report = verify(place)
    assert (report.whole, report.entries, report.head, report.broken_at, report.reason) == (
        True,
        LENGTH,
        hashes[0],
        0,
        "",
    )


def test_an_empty_chain_is_whole(open_journal, place):
    open_journal()
    assert (verify(place).whole, verify(place).entries) == (True, 0)


@pytest.mark.parametrize(
    ("statement", "broken_at"),
    [
        ("DELETE FROM entries WHERE seq = 3", 3),
        ("DELETE FROM entries WHERE seq = 1", 1),
        ("DELETE FROM entries WHERE seq > 4", 5),
        ("DELETE FROM entries", 1),
        ("UPDATE entries SET seq = 30 WHERE seq = 3", 3),
        ("UPDATE entries SET seq = -3 WHERE seq = 3", 1),
        ("UPDATE entries SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE seq IN (2, 3)", 1),
        ("UPDATE entries SET detail = x'00ff' WHERE seq = 2", 2),
    ],
)
def test_entries_taken_moved_or_mangled_are_found(place, statement, broken_at):
    fill(place)
    with behind_its_back(place) as store:
        store.execute(statement)
    assert (verify(place).whole, verify(place).broken_at) == (False, broken_at)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 255))
@example(2886, 128)  # makes the text of the schema undecodable
def test_any_byte_flipped_in_the_file_never_crashes_and_never_changes_what_verifies(tmp_path_factory, where, flip):
    place = tmp_path_factory.mktemp("audit") / "audit.sqlite"
    hashes = fill(place)
    data = bytearray(place.read_bytes())
    data[where % len(data)] ^= flip
    place.write_bytes(data)
    report = verify(place)
    assert not report.whole or report.head == hashes[0]
    with contextlib.suppress(WorkbenchError):
        journal = Journal(place)
        journal.close()


def test_a_file_that_is_gone_is_a_report_and_not_a_crash(place):
    assert not verify(place).whole


def test_verifying_in_a_thread_while_entries_are_written_sees_a_whole_chain(open_journal):
    journal, reports = open_journal(), []
    thread = threading.Thread(target=lambda: reports.extend(journal.verify() for _ in range(20)))
    thread.start()
    while thread.is_alive():
        journal.append(Note("call.done", "meanwhile"))
    thread.join()
    assert [report.reason for report in reports] == [""] * 20


def test_verifying_changes_no_file(place):
    fill(place)
    before = place.read_bytes(), head_path(place).read_bytes(), sorted(os.listdir(place.parent))
    verify(place)
    assert (place.read_bytes(), head_path(place).read_bytes()) == before[:2]
