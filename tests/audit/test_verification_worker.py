"""The process that walks a stretch says how far it is, and what it found, in words that its parent reads."""

from __future__ import annotations

import json

from workbench.audit import chain_verification
from workbench.audit.chain_verification import Stretch
from workbench.audit.verification_worker import main
from workbench.records import Note


def test_it_tells_its_way_and_its_report(open_journal, place, capsys, monkeypatch):
    monkeypatch.setattr(chain_verification, "TOLD", 2)
    monkeypatch.setattr(chain_verification, "_ROWS", 2)
    journal = open_journal()
    last = [journal.append(Note("call.done", f"Call {number}")) for number in range(6)][-2]
    main(place, Stretch(3, 5))
    *steps, report = capsys.readouterr().out.splitlines()
    assert all(step.isdigit() for step in steps)
    assert json.loads(report) == {"whole": True, "entries": 5, "head": last.hash, "broken_at": 0, "reason": ""}


def test_a_file_that_cannot_be_read_is_a_report_too(tmp_path, capsys):
    main(tmp_path / "none.sqlite", Stretch(1, 5))
    assert json.loads(capsys.readouterr().out)["whole"] is False
