"""The audit from the command line."""

from __future__ import annotations

import json

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
    assert out.startswith("The audit is whole: 2 entries, head ")
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
    assert out == "The audit is not whole at entry 1: its content is not what was written.\n"


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
    assert run("audit", "query", "--tool", "nothing") == (0, "", "No entry fits.\n")
