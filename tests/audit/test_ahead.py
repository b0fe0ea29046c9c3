"""Entries that were written ahead outlive their process, come into the database once, and in their place."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from workbench.audit import ahead
from workbench.audit.ahead import ahead_path
from workbench.audit.head import head_path
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Note

SENT = Note("call.sent", "demo.send_email was called", "claude", "s1", "r1", "demo", "send_email", "medium")
WRITER = """
import asyncio, sys
from pathlib import Path
from workbench.audit.journal import Journal
from workbench.records import Note

async def main():
    journal = Journal(Path(sys.argv[1]))
    for number in range(1_000_000):
        journal.append_soon(lambda note=Note("call.done", "ü" * (number % 300), run_id=str(number)): note)
        journal.append_ahead(Note("call.sent", "x" * (number % 300), run_id=str(number)))
        print(number, flush=True)
        if number % 7 == 0:
            await asyncio.sleep(0.012)

asyncio.run(main())
"""


def _kinds(journal):
    return [entry.note.kind for entry in reversed(journal.entries(EntryQuery(limit=10_000)))]


async def test_it_is_in_its_place_between_what_came_before_and_after(open_journal, place):
    journal = open_journal()
    journal.append_soon(lambda: Note("call.done", "first"))
    journal.append_ahead(SENT)
    assert ahead_path(place).read_bytes().count(b"\n") == 2
    with sqlite3.connect(place) as store:
        assert store.execute("SELECT count(*) FROM entries").fetchone() == (0,)
    store.close()
    journal.append(Note("run.done", "last"))
    assert _kinds(journal) == ["call.done", "call.sent", "run.done"]
    assert ahead_path(place).read_bytes() == b""
    assert journal.verify().whole


@pytest.mark.parametrize("acknowledged", [3, 60])
def test_a_killed_core_loses_nothing_that_was_written_ahead_and_nothing_before_it(open_journal, place, acknowledged):
    with subprocess.Popen([sys.executable, "-c", WRITER, str(place)], stdout=subprocess.PIPE, text=True) as writer:
        last = [writer.stdout.readline() for _ in range(acknowledged)][-1]
        writer.send_signal(signal.SIGKILL)
    journal = open_journal()
    assert journal.verify().whole
    kinds = _kinds(journal)
    assert kinds.count("call.sent") > int(last)
    assert kinds == ["call.done", "call.sent"] * (len(kinds) // 2)


async def test_what_was_written_to_both_comes_once(open_journal, place):
    journal = open_journal()
    journal.append_ahead(SENT)
    lines = ahead_path(place).read_bytes()
    journal.close()
    ahead_path(place).write_bytes(lines)  # as if it had been killed between the two
    assert _kinds(open_journal()) == ["call.sent"]


@pytest.mark.parametrize("changed", [(b"was called", b"was not called"), (b'"demo"', b'"other"')])
async def test_lines_that_somebody_changed_are_not_taken_and_their_loss_is_noticed(open_journal, place, changed):
    journal = open_journal()
    journal.append(SENT)
    journal.append_ahead(SENT)
    lines = ahead_path(place).read_bytes()
    journal.close()
    _forget(place, 2)
    ahead_path(place).write_bytes(lines.replace(*changed) + b'[3, "half a li')
    again = open_journal()
    assert _kinds(again) == ["call.sent", "audit.gap"]
    assert not again.verify().whole


async def test_where_no_line_can_be_written_the_call_is_not_made_and_nothing_is_lost(open_journal, monkeypatch):
    journal = open_journal()
    journal.append_soon(lambda: Note("call.done", "before"))

    def full(file: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(ahead.os, "write", full)
        with pytest.raises(WorkbenchError, match="cannot be written"):
            journal.append_ahead(SENT)
    journal.append_ahead(SENT)
    assert _kinds(journal) == ["call.done", "call.sent"]
    assert journal.verify().whole


@pytest.mark.parametrize(
    "spoilt",
    [
        b"\0" * 40,
        b"[" * 100_000,
        b'["x", 2, 1.5]',
        b'["' + b"0" * 64 + b'", 2, 1.5, "\\ud800"' + b', ""' * 7 + b', 1, 0.0, 0, ""]',
    ],
    ids=["nothing", "deep", "short", "no text"],
)
async def test_a_damaged_line_takes_none_of_what_stands_before_it_and_is_noticed(open_journal, place, spoilt):
    journal = open_journal()
    journal.append_ahead(SENT)
    lines = ahead_path(place).read_bytes()
    journal.close()
    _forget(place, 1)
    head_path(place).unlink()
    ahead_path(place).write_bytes(lines + spoilt + b" x\n" + lines)
    again = open_journal()
    (gap,) = again.entries(EntryQuery(kind="audit.gap"))
    assert "2 entries" in gap.note.summary
    assert _kinds(again) == ["call.sent", "audit.gap"]
    assert ahead_path(place).read_bytes() == b""


def _forget(place, first: int) -> None:
    """As if the core had been killed before the database had the entries from this one on."""
    with sqlite3.connect(place) as store:
        store.execute("DROP TRIGGER entries_remain")
        store.execute("DELETE FROM entries WHERE seq >= ?", (first,))
    store.close()
