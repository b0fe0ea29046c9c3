"""The audit from the command line."""

from __future__ import annotations

import json

import pytest

from workbench.audit.journal import Journal
from workbench.paths import Paths
from workbench.records import Note


def write(paths: Paths, *notes: Note) -> None:
    paths.state.mkdir(parents=True)
    journal = Journal(paths.audit)
    for note in notes:
        journal.append(note)
    journal.close()


def test_verify_of_a_whole_audit(run, paths):
    write(paths, Note("call.done", "Called"))
    code, out, _ = run("audit", "verify")
    assert code == 0
    assert out.startswith("The audit is intact: 2 entries, head ")
    code, out, _ = run("audit", "verify", "--json")
    assert json.loads(out)["whole"] is True


def test_verify_of_a_broken_audit_has_a_code_of_its_own(run, paths):
    import sqlite3

    write(paths, Note("call.done", "Called"), Note("call.done", "Again"))
    store = sqlite3.connect(paths.audit)
    store.executescript("DROP TRIGGER entries_stay; UPDATE entries SET summary = 'Never' WHERE seq = 1;")
    store.close()
    code, out, _ = run("audit", "verify")
    assert code == 3
    assert out == "The audit is not intact at entry 1: its content is not what was written.\n"


def test_query_prints_what_fits_and_tames_control_characters(run, paths):
    write(paths, Note("call.done", "First"), Note("call.failed", "Second \x1b[31m\n", ok=False, server="demo"))
    code, out, _ = run("audit", "query", "--kind", "call.", "--limit", "1")
    assert code == 0
    assert out.count("\n") == 1
    assert "FAIL  call.failed       Second \\x1b[31m\\n" in out


def test_query_as_json_is_a_list_of_entries(run, paths):
    write(paths, Note("call.done", "First", detail={"ä": [1]}))
    _, out, _ = run("audit", "query", "--text", "first", "--json")
    (entry,) = json.loads(out)
    assert (entry["seq"], entry["note"]["detail"]) == (1, {"ä": [1]})


def test_a_query_without_an_answer_says_so_beside_the_data(run, paths):
    assert run("audit", "query", "--tool", "nothing") == (0, "", "No entry matches.\n")


def test_a_query_by_time_agent_and_outcome(run, paths):
    write(paths, Note("call.done", "One", "claude"), Note("call.failed", "Two", "claude", ok=False))
    _, out, _ = run("audit", "query", "--agent", "claude", "--outcome", "failed", "--from", "1h", "--json")
    assert [entry["note"]["summary"] for entry in json.loads(out)] == ["Two"]
    assert run("audit", "query", "--to", "2020-01-01")[2] == "No entry matches.\n"
    with pytest.raises(SystemExit):
        run("audit", "query", "--from", "soon")


def test_entries_are_exported_into_a_file(run, paths, tmp_path):
    write(paths, Note("call.done", "One", "claude"))
    code, _, said = run("audit", "export", "--agent", "claude", str(tmp_path / "out.json"))
    assert (code, said) == (0, f"Entries written to {tmp_path / 'out.json'}: 1.\n")
    assert json.loads((tmp_path / "out.json").read_text())["count"] == 1
    assert run("audit", "export", str(tmp_path / "out.pdf"))[0] == 1


def test_a_report_is_printed_or_written(run, paths, tmp_path):
    write(paths, Note("run.done", "ended", "claude", run_id="r1", risk="low", tokens=40))
    code, out, _ = run("audit", "report", "--format", "json", "--from", "7d")
    assert (code, json.loads(out)["totalExecutions"], json.loads(out)["totalTokensUsed"]) == (0, 1, 40)
    code, _, said = run("audit", "report", "--out", str(tmp_path / "report.html"))
    assert (code, said) == (0, f"The report was written to {tmp_path / 'report.html'}.\n")
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o600
