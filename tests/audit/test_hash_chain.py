"""What is hashed is what is stored, and anybody can compute it."""

from __future__ import annotations

import hashlib
import json
from types import MappingProxyType

from workbench.audit.hash_chain import entry_of
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
