"""Quick as it is, a stride goes over nothing that is not what was written, and over everything that is."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.audit.audit_database import SCHEMA
from workbench.audit.fast_chain_check import GAP, stride
from workbench.audit.hash_chain import ALL_COLUMNS, START, hash_of, row_of
from workbench.records import Note

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
    assert stride(store, 0, START, 2)[0] == 2
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
    assert stride(store, 0, START, 3)[0] == 3
    store.execute(f"UPDATE entries SET {change} WHERE seq = 2")
    assert stride(store, 0, START, 3)[0] < 2
    store.close()


def test_it_stops_before_a_noted_loss():
    store = chain(Note("call.done", "one"), Note(GAP, "two entries had gone"), Note("call.done", "three"))
    assert stride(store, 0, START, 3)[0] == 1
    store.close()
