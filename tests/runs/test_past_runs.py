"""A new core lists runs of earlier cores, and records those without an end as interrupted."""

from __future__ import annotations

import pytest

from workbench.audit.audit_search import AuditSearch
from workbench.audit.journal import Journal
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Note, RunState
from workbench.runs.restored_runs import past_runs


@pytest.fixture
def journal(paths):
    paths.state.mkdir(parents=True)
    book = Journal(paths.audit, lambda event: None)
    yield book
    book.close()


@pytest.fixture
def finder(paths):
    return AuditSearch(paths.audit, paths.audit_index)


def write(journal, run_id, *kinds, **detail):
    for kind in kinds:
        journal.append(Note(kind, "step", actor="agent", session="s", run_id=run_id, detail=detail))


def test_a_finished_run_comes_back_with_its_end(journal, finder):
    write(journal, "r1", "run.proposed", code="print(1)", sha="abc", at=5.0, author="agent", origin="agent")
    write(journal, "r1", "run.checked", risk="low", gate="auto", sentence="Nothing.")
    write(journal, "r1", "run.done", answer="1", direct=100, actual=10)
    runs, interrupted = past_runs(journal, finder)
    assert interrupted == 0
    assert runs[0].state is RunState.DONE
    assert runs[0].proposal.code == "print(1)"
    assert runs[0].verdict.sentence == "Nothing."
    assert (runs[0].ledger.direct, runs[0].ledger.actual) == (100, 10)


def test_a_denied_run_comes_back_with_the_decision(journal, finder):
    write(journal, "r1", "run.proposed", code="print(1)", sha="abc", author="agent", origin="agent")
    write(journal, "r1", "run.waiting")
    write(journal, "r1", "run.decided", allow=False, sha="abc", by="ada", reason="no", seconds=4.0)
    write(journal, "r1", "run.refused")
    run = past_runs(journal, finder)[0][0]
    assert run.restored
    assert (run.decision.allow, run.decision.by, run.decision.reason) == (False, "ada", "no")
    assert run.deadline > 0


def test_an_edited_run_comes_back_with_the_verdict_on_what_ran(journal, finder):
    write(journal, "r1", "run.proposed", code="first", sha="abc", author="agent", origin="agent")
    write(journal, "r1", "run.checked", risk="high", gate="ask", sentence="Sends e-mail.", sha="abc")
    write(journal, "r1", "run.edited", code="second", sha="def", risk="low", gate="auto", sentence="Reads.")
    write(journal, "r1", "run.done", answer="1")
    run = past_runs(journal, finder)[0][0]
    assert (run.proposal.code, run.proposal.sha) == ("second", "def")
    assert (run.verdict.sentence, run.verdict.sha, run.verdict.risk) == ("Reads.", "def", "low")


def test_a_run_by_a_plan_comes_back_though_its_plan_was_decided_before_it_set_out(journal, finder):
    write(journal, "r1", "run.plan_allowed", "run.decided")
    write(journal, "r1", "run.proposed", code="print(1)", sha="abc", author="you", origin="person")
    write(journal, "r1", "run.done", answer="1")
    assert past_runs(journal, finder)[0][0].proposal.code == "print(1)"


def test_a_word_of_a_newer_version_does_not_keep_the_core_from_opening(journal, finder):
    write(journal, "r1", "run.proposed", "run.done", code="1")
    write(journal, "r1", "run.praised")
    assert past_runs(journal, finder) == ((), 0)


def test_a_run_without_an_end_is_interrupted_once_and_for_all(journal, finder):
    write(journal, "r1", "run.proposed", "run.checked", "run.running", code="while 1: pass")
    runs, interrupted = past_runs(journal, finder)
    assert interrupted == 1
    assert runs[0].state is RunState.INTERRUPTED
    assert journal.entries(EntryQuery(run_id="r1"))[0].note.kind == "run.interrupted"
    assert past_runs(journal, finder)[1] == 0


async def test_a_new_core_shows_the_runs_of_the_old_one(paths):
    old = Core(paths)
    await old.open()
    run = old.run_manager.submit("result = 1", old.services.sessions.person)
    await old.run_manager.wait_until_finished(run.id)
    await old.close()
    new = Core(paths)
    await new.open()
    try:
        again = new.run_manager.run(run.id)
        assert again.state is RunState.DONE
        assert again.proposal.code == run.proposal.code
        with pytest.raises(WorkbenchError, match="has ended"):
            await new.run_manager.stop(run.id)
    finally:
        await new.close()
