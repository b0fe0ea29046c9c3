"""Whatever is changed behind the journal's back is found, and the report says where."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import sqlite3
import subprocess
import sys
import threading
from types import MappingProxyType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.audit import chain_verification
from workbench.audit.audit_database import SCHEMA
from workbench.audit.chain_verification import GAP, verify, verify_fast, verify_in_processes
from workbench.audit.hash_chain import (
    ALL_COLUMNS,
    COLUMNS,
    START,
    Head,
    HeadFile,
    entry_of,
    hash_of,
    head_path,
    read_head,
    row_of,
)
from workbench.audit.journal import Journal
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Note, Risk

NOTE = Note(
    "call.done", "Called list_orders", "claude", "s1", "r1", "demo", "list_orders", "low", True, 1.5, 7, {"n": 1}
)


def test_the_hash_can_be_computed_by_anybody(open_journal):
    entry = open_journal().append(NOTE)
    texts = ("call.done", "Called list_orders", "claude", "s1", "r1", "demo", "list_orders", "low")
    fields = [entry.previous, 1, entry.at, *texts, 1, 1.5, 7, '{"n":1}']
    assert hashlib.sha256(json.dumps(fields).encode()).hexdigest() == entry.hash


def test_what_is_no_json_and_no_text_is_kept_as_what_can_be_kept(open_journal):
    journal = open_journal()
    odd = Note(
        "x", "half \ud800 pair", risk=Risk.HIGH, ms=float("nan"), detail={"o": {1}, "m": MappingProxyType({"a": 1})}
    )
    journal.append(odd)
    note = journal.entries(EntryQuery())[0].note
    assert (note.summary, note.risk, note.ms) == ("half \\ud800 pair", "high", 0.0)
    assert note.detail == {"o": "{1}", "m": {"a": 1}}
    assert journal.verify().whole


def test_a_detail_that_is_no_json_any_more_is_shown_as_it_stands():
    row = (1, 2.0, *["x"] * 8, 1, 0.5, 3, "{broken", "p", "h")
    assert entry_of(row).note.detail == {"damaged": "{broken"}


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
    assert "records the last entry is missing" in verify(place).reason


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


ODD = ('a","b', "\\", '\\"', "\x00", "\x1f\n\t/", "ä€😀", '😀\\"\\u00e4', "\u2028", "\x80\x9f\xad")


def chain(*notes: Note) -> sqlite3.Connection:
    store = sqlite3.connect(":memory:")
    store.executescript(SCHEMA)
    previous = START
    for seq, note in enumerate(notes, 1):
        row = row_of(seq, 1_795_065_584.1234567 + seq / 7, note)
        digest = hash_of(previous, row)
        store.execute(f"INSERT INTO entries({ALL_COLUMNS}) VALUES ({', '.join('?' * 16)})", (*row, previous, digest))
        previous = digest
    return store


texts = st.text(st.characters(exclude_characters="\x7f", exclude_categories=["Cs"]), max_size=12) | st.sampled_from(ODD)


@settings(max_examples=60, deadline=None)
@given(texts, texts, st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 2**63 - 1))
def test_whatever_was_written_is_gone_over(kind, summary, ms, tokens):
    note = Note(f"x{kind}", summary, kind, ms=ms, tokens=tokens, detail={summary: kind})
    store = chain(note, note)
    assert verify_fast(store, 0, START, 2)[0] == 2
    store.close()


@pytest.mark.parametrize(
    "change",
    [
        "kind = CAST(kind AS BLOB)",
        "kind = 'call.done\",\"', summary = ''",
        "ms = '1.5'",
        "summary = summary || char(0)",
        "previous = upper(previous)",
        "hash = upper(hash)",
        "seq = 7",
    ],
)
def test_it_stops_before_what_was_changed(change):
    store = chain(*[Note("call.done", "Called", "claude", ms=1.5)] * 3)
    store.execute(f"CREATE TABLE loose({ALL_COLUMNS})")  # columns without types, as in a broken file
    store.execute("INSERT INTO loose SELECT * FROM entries")
    store.execute("ALTER TABLE entries RENAME TO typed")
    store.execute("ALTER TABLE loose RENAME TO entries")
    assert verify_fast(store, 0, START, 3)[0] == 3
    store.execute(f"UPDATE entries SET {change} WHERE seq = 2")
    assert verify_fast(store, 0, START, 3)[0] < 2
    store.close()


def test_it_stops_before_a_noted_loss():
    store = chain(Note("call.done", "one"), Note(GAP, "two entries had gone"), Note("call.done", "three"))
    assert verify_fast(store, 0, START, 3)[0] == 1
    store.close()


LONG = 400


@pytest.fixture
def long(place, monkeypatch):
    """Long enough for four processes."""
    monkeypatch.setattr(chain_verification, "SHORT", LONG // 4)
    monkeypatch.setattr(chain_verification.os, "cpu_count", lambda: 4)
    journal = Journal(place)
    journal._write([(float(number), Note("call.done", f"Call {number}")) for number in range(LONG)])
    journal.close()
    return place


async def test_the_parts_together_are_the_whole_and_tell_how_far_they_are(long):
    told = []
    report = await verify_in_processes(long, lambda done, entries: told.append((done, entries)))
    assert report == verify(long)
    assert report.whole
    assert report.entries == LONG
    assert told
    assert all(done <= LONG == entries for done, entries in told)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET summary = 'other' WHERE seq IN (150, 320)",
        "DELETE FROM entries WHERE seq BETWEEN 90 AND 110",
        "DELETE FROM entries WHERE seq = 300",
        "DELETE FROM entries WHERE seq > 390",
        "UPDATE entries SET hash = 'x' WHERE seq = 200",
        "UPDATE entries SET seq = -5 WHERE seq = 250",
    ],
)
async def test_the_first_fault_of_all_is_told(long, statement):
    store = sqlite3.connect(long)
    store.executescript(f"DROP TRIGGER entries_stay; DROP TRIGGER entries_remain; {statement}; ")
    store.close()
    apart = await verify_in_processes(long)
    alone = verify(long)
    assert not apart.whole
    assert (apart.broken_at, apart.entries) == (alone.broken_at, alone.entries)


async def test_a_process_that_dies_is_no_verdict(long, monkeypatch):
    monkeypatch.setattr(chain_verification.sys, "executable", "/bin/false")
    assert (await verify_in_processes(long)).whole


def _verified(*arguments: object) -> list[str]:
    command = [sys.executable, "-m", "workbench.audit.chain_verification", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_process_prints_its_progress_and_its_report(open_journal, place):
    journal = open_journal()
    last = [journal.append(Note("call.done", f"Call {number}")) for number in range(6)][-2]
    *steps, report = _verified(place, 3, 5)
    assert steps == ["3"]
    assert json.loads(report) == {"whole": True, "entries": 5, "head": last.hash, "broken_at": 0, "reason": ""}


def test_a_file_that_cannot_be_read_is_a_report_too(tmp_path):
    assert json.loads(_verified(tmp_path / "none.sqlite", 1, 5)[-1])["whole"] is False
