"""Entries that an older version wrote under kinds that have been renamed since: every reader shows the current name."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from workbench.audit.audit_export import export
from workbench.audit.audit_search import AuditSearch
from workbench.audit.audit_statistics import figures
from workbench.audit.chain_verification import verify
from workbench.audit.hash_chain import ALL_COLUMNS, hash_of
from workbench.audit.journal import Journal
from workbench.audit.search_index import AuditIndex
from workbench.records import EntryQuery, Note
from workbench.records.audit import RENAMED_KINDS, current_kind

OLD = ("net.blocked", "call.paused", "call.done", "permission.set", "run.done")
NOW = ["run.done", "rule.set", "call.done", "call.waiting", "connection.blocked"]


@pytest.fixture(params=["indexed", "partly indexed", "no index"])
def archive(request, tmp_path):
    """A finder and a journal of an audit with old entries and one new one."""
    journal, index = (
        Journal(tmp_path / "audit.sqlite"),
        AuditIndex(tmp_path / "audit.sqlite", tmp_path / "index.sqlite"),
    )
    for kind in OLD[:3]:
        journal.append(Note(kind, f"was {kind}", server="demo", tool="send"))
    while request.param != "no index" and index.step():
        pass
    for kind in OLD[3:]:
        journal.append(Note(kind, f"was {kind}", run_id="r1"))
    while request.param == "indexed" and index.step():
        pass
    yield AuditSearch(tmp_path / "audit.sqlite", tmp_path / "index.sqlite"), journal, tmp_path / "audit.sqlite"
    index.close()
    journal.close()


def test_each_reader_shows_the_current_name_and_finds_by_either(archive):
    finder, journal, _ = archive
    for read in (finder.entries, journal.entries):
        assert [entry.note.kind for entry in read(EntryQuery())] == NOW
        for kind, found in {
            "connection.blocked": ["connection.blocked"],
            "net.blocked": ["connection.blocked"],
            "net.": ["connection.blocked"],
            "call.": ["call.done", "call.waiting"],
            "call.paused": ["call.waiting"],
            "permission.": ["rule.set"],
            "perm": [],
            "run": ["run.done"],
        }.items():
            assert [entry.note.kind for entry in read(EntryQuery(kind=kind))] == found, kind
        assert [entry.note.kind for entry in read(EntryQuery(text="call.waiting"))] == ["call.waiting"]
    assert finder.marks(EntryQuery(kind="net.")).total == 1
    assert finder.entry(1).note.kind == "connection.blocked"
    assert finder.entry(1).written_kind == "net.blocked"
    assert finder.entry(3).written_kind == ""
    assert [(one.name, one.number) for one in figures(finder, 0, 4e9).violations] == [("connection.blocked", 1)]


def test_the_chain_is_verified_with_the_kinds_that_were_written(archive, tmp_path):
    finder, _, path = archive
    assert verify(path).whole
    with closing(sqlite3.connect(path)) as store:
        assert [kind for (kind,) in store.execute("SELECT kind FROM entries ORDER BY seq")] == list(OLD)
    export(finder, EntryQuery(), tmp_path / "audit.json", "json")
    for one in json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))["entries"]:
        one["kind"] = one.get("written_kind") or one["kind"]
        one |= {"ok": int(one["ok"]), "detail": json.dumps(one["detail"])}
        row = tuple(one[name] for name in ALL_COLUMNS.split(", ")[:-2])
        assert hash_of(one["previous"], row) == one["hash"]


def test_no_new_name_is_an_old_one_so_each_kind_can_be_told():
    assert not set(RENAMED_KINDS) & set(RENAMED_KINDS.values())
    assert {current_kind(new) for new in RENAMED_KINDS.values()} == set(RENAMED_KINDS.values())


def test_the_documentation_lists_each_renamed_kind():
    text = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    for old, new in RENAMED_KINDS.items():
        assert f"| `{old}` | `{new}` |" in text


def test_a_filter_by_an_old_area_finds_every_kind_that_was_in_it():
    for old, new in RENAMED_KINDS.items():
        area = old[: old.index(".") + 1]
        assert new.startswith(current_kind(area)), f"{old} would be lost to a filter by {area}"
