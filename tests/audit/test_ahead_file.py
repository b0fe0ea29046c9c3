"""Entries that a killed core of version 0.1 had written ahead come into the database once, and in their place."""

from __future__ import annotations

import sqlite3

import pytest

from workbench.audit.ahead_file import ahead_path
from workbench.audit.hash_chain import START, digest_of, head_path, row_of, text_of
from workbench.records import EntryQuery, Note

SENT = Note("call.sent", "demo.send_email was called", "claude", "s1", "r1", "demo", "send_email", "medium")


def _kinds(journal):
    return [entry.note.kind for entry in reversed(journal.entries(EntryQuery(limit=10_000)))]


def _lines(*notes: Note, seq: int = 0, digest: str = START) -> bytes:
    """As version 0.1 wrote them."""
    found = []
    for note in notes:
        seq += 1
        text = text_of(digest, row_of(seq, 1000.5 + seq, note))
        digest = digest_of(text)
        found.append(f"{text} {digest}\n")
    return "".join(found).encode("ascii")


def test_they_are_in_their_place_before_what_comes_after(open_journal, place):
    first = open_journal()
    done = first.append(Note("call.done", "ü" * 20))
    first.close()
    ahead_path(place).write_bytes(_lines(SENT, Note("call.done", "second"), seq=1, digest=done.hash))
    journal = open_journal()
    journal.append(Note("run.done", "last"))
    assert _kinds(journal) == ["call.done", "call.sent", "call.done", "run.done"]
    assert not ahead_path(place).exists()
    assert journal.verify().whole
    journal.close()
    assert len(_kinds(open_journal())) == 4


def test_what_was_written_to_both_comes_once(open_journal, place):
    open_journal().close()
    ahead_path(place).write_bytes(_lines(SENT))
    assert _kinds(open_journal()) == ["call.sent"]
    ahead_path(place).write_bytes(_lines(SENT))  # as if it had been killed between the two
    assert _kinds(open_journal()) == ["call.sent"]


@pytest.mark.parametrize("changed", [(b"was called", b"was not called"), (b'"demo"', b'"other"')])
def test_lines_that_somebody_changed_are_not_taken_and_their_loss_is_noticed(open_journal, place, changed):
    first = open_journal()
    sent = first.append(SENT)
    first.close()
    lines = _lines(SENT, seq=1, digest=sent.hash)
    ahead_path(place).write_bytes(lines.replace(*changed) + b'[3, "half a li')
    again = open_journal()
    assert _kinds(again) == ["call.sent", "audit.gap"]
    assert not again.verify().whole


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
def test_a_damaged_line_takes_none_of_what_stands_before_it_and_is_noticed(open_journal, place, spoilt):
    open_journal().close()
    head_path(place).unlink()
    ahead_path(place).write_bytes(_lines(SENT) + spoilt + b" x\n" + _lines(SENT))
    again = open_journal()
    (gap,) = again.entries(EntryQuery(kind="audit.gap"))
    assert "2 entries" in gap.note.summary
    assert _kinds(again) == ["call.sent", "audit.gap"]
    assert not ahead_path(place).exists()


def test_a_link_in_its_place_is_not_followed(open_journal, place, tmp_path):
    (tmp_path / "elsewhere").write_bytes(_lines(SENT))
    ahead_path(place).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Exception, match="cannot be used"):
        open_journal()
    assert sqlite3.connect(place).execute("SELECT count(*) FROM entries").fetchone() == (0,)
