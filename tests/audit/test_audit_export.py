"""The audit as a file: everything that fits, with the hashes that chain it."""

from __future__ import annotations

import csv
import json

import pytest

from workbench.audit.audit_export import export, safe_cell
from workbench.audit.audit_search import AuditSearch
from workbench.audit.hash_chain import hash_of, row_of
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Note


@pytest.fixture
def finder(open_journal, place, tmp_path):
    journal = open_journal()
    for number in range(1, 31):
        journal.append(Note("call.done", f"=cmd|Call {number}", tool="ä" if number % 2 else "b", detail={"n": number}))
    return AuditSearch(place, tmp_path / "none.sqlite")


def test_json_holds_the_chain_as_it_is(finder, tmp_path):
    target = tmp_path / "audit.json"
    assert export(finder, EntryQuery(), target, "json") == 30
    entries = json.loads(target.read_text())["entries"]
    assert [entry["seq"] for entry in entries] == list(range(30, 0, -1))
    assert target.stat().st_mode & 0o777 == 0o600
    one, before = entries[4], entries[5]
    note = Note(**{name: one[name] for name in Note.__slots__})
    assert one["previous"] == before["hash"]
    assert one["hash"] == hash_of(one["previous"], row_of(one["seq"], one["at"], note))


def test_csv_holds_what_fits_and_no_formula(finder, tmp_path):
    target = tmp_path / "audit.csv"
    assert export(finder, EntryQuery(tool="ä"), target, "csv") == 15
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seq"] for row in rows[:2]] == ["29", "27"]
    assert rows[0]["summary"] == "'=cmd|Call 29"
    assert json.loads(rows[0]["detail"]) == {"n": 29}
    assert len(rows[0]["hash"]) == 64


def test_what_cannot_be_written_leaves_nothing_behind(finder, tmp_path):
    with pytest.raises(WorkbenchError, match="cannot be written"):
        export(finder, EntryQuery(), tmp_path / "nowhere" / "audit.json", "json")
    with pytest.raises(WorkbenchError, match="cannot be exported as 'pdf'"):
        export(finder, EntryQuery(), tmp_path / "audit.pdf", "pdf")
    assert not list(tmp_path.glob("*audit.*"))


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_spreadsheet_takes_a_cell_for_a_formula(begins):
    assert safe_cell(f"{begins}HYPERLINK(1)") == f"'{begins}HYPERLINK(1)"
