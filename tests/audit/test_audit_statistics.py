"""Numbers and reports of a project at work: made of real entries, in a requested period, with hostile text."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from workbench.audit.audit_search import AuditSearch
from workbench.audit.audit_statistics import figures, review_figures
from workbench.audit.chain_verification import verify
from workbench.audit.compliance_report import (
    NOT_TOLD,
    ReportContext,
    as_csv,
    as_json,
    execution_fields,
    make_report,
    read_executions,
)
from workbench.audit.compliance_report_html import as_html
from workbench.audit.journal import Journal
from workbench.records import Entry, Note, PredictionAccuracy, ReviewFigures, RunTally, Tally, TokenReleaseCount


def decided(seconds: object, *, allow: bool = True) -> Entry:
    return Entry(1, 0.0, Note("run.decided", "", detail={"allow": allow, "seconds": seconds}), "", "")


def test_how_a_person_decides_is_told_in_four_numbers() -> None:
    decisions = [decided(0.8), decided(4.0), decided(30.0, allow=False), decided(9.0)]
    assert review_figures(decisions) == ReviewFigures(decided=4, allowed=3, median_seconds=6.5, hasty=1)


def test_answers_given_along_with_another_one_count_once() -> None:
    assert review_figures([decided(5.0), decided(0.0), decided(0.0)]) == ReviewFigures(1, 1, 5.0, 0)


def test_nothing_decided_and_odd_entries_are_no_figures() -> None:
    assert review_figures([]) == review_figures([decided("soon"), decided(True), decided(None)]) == ReviewFigures()


START = 1_700_000_000.0
HOSTILE = '<script>alert(1)</script>"\u202e=cmd()'
SEEDS_FIELDS = {
    "timestamp", "sessionId", "userId", "action", "code", "codeHash", "input", "output", "sandbox", "duration_ms",
    "tokensUsed", "model", "modelVersion", "approved", "autoApproved", "riskLevel", "violations", "success", "error",
}  # fmt: skip


def run(number: int, risk: str, end: str, *, asked: bool = False, **detail: object) -> list[Note]:
    """The entries of one run."""
    about = {"actor": "claude", "session": f"s{number}", "run_id": f"r{number}"}
    told = {"code": f"x = {number}", "sha": f"{number:064d}", "purpose": HOSTILE, "user": "ada", "model": "opus"}
    made = [Note("run.proposed", "proposed", **about, detail=told)]
    grounds = {
        "gate": "ask",
        "definitions": {"demo.send": "d" * 64},
        "profile": "write_restricted",
        "profile_sha": "p1",
    }
    flow = {"flows": ["private: demo.orders → demo.send"]} if asked else {}
    made.append(Note("run.checked", "checked", **about, risk=risk, detail=grounds | flow))
    if asked:
        made.append(Note("run.waiting", "waits", **about, risk=risk))
        decision = {"allow": end != "refused", "by": "you", "seconds": 4.0}
        made.append(Note("run.decided", "decided", **about, risk=risk, detail=decision))
    if end != "refused":
        made.append(Note("run.running", "runs", **about, risk=risk, detail={"level": "container"}))
    made.append(
        Note(f"run.{end}", "ended", **about, risk=risk, ok=end == "done", ms=100.0 * number, tokens=10, detail=detail)
    )
    return made


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    journal = Journal(folder / "audit.sqlite")
    seen = [
        {"kind": "tool", "subject": "demo.send", "predicted": True, "times": 1, "refused": 0},
        {"kind": "host", "subject": "evil:443", "predicted": False, "times": 0, "refused": 2},
        {"kind": "tool", "subject": "demo.get", "predicted": True, "times": 0, "refused": 0},
        {"kind": "tool", "subject": "demo.odd", "predicted": None, "times": 1, "refused": 0},
    ]
    call = {"actor": "claude", "server": "demo", "risk": "low", "run_id": "r2", "session": "s2"}
    given = [{"kind": "EMAIL", "count": 2, "of": "crm", "to": "demo.send"}]
    notes = [
        *run(1, "low", "done", direct=900, actual=100, read=["private"], tokens_made={"EMAIL": 3}),
        *run(
            2, "high", "done", asked=True, observed=seen, direct=500, actual=80, read=["private", "untrusted", "sends"]
        ),
        *run(3, "high", "refused", asked=True, fault=HOSTILE),
        *run(4, "medium", "failed", fault="It broke.", answer="no"),
        *[Note("call.done", "answered", tool="send", ms=ms, detail={"restored": given}, **call) for ms in (10.0, 30.0)],
        Note("call.failed", "failed", tool="get", ms=500.0, ok=False, **call),
        Note("call.refused", HOSTILE, tool="delete", ok=False, **call),
        Note("rule.set", "You set a rule: demo", "you"),
        Note("agent.disconnected", "left", "claude", detail={"tokens_made": {"EMAIL": 1, "PHONE": 2}}),
    ]
    journal._write([(START + number, note) for number, note in enumerate(notes)])
    journal.append(Note("run.done", "much later", run_id="r9", risk="low", tokens=7))
    journal.close()
    return AuditSearch(folder / "audit.sqlite", folder / "none.sqlite"), folder / "audit.sqlite"


@pytest.fixture(scope="module")
def report(finder):
    return make_report(
        finder[0], START, START + 1000, ReportContext(finder[1].parent, verify(finder[1]), ("rule x: gone",), 300)
    )


def test_every_number_of_a_time_and_nothing_beyond_it(finder):
    found = figures(finder[0], START, START + 1000)
    assert found.entries == 25
    assert set(found.runs) == {
        RunTally("low", "done", 1), RunTally("high", "done", 1), RunTally("high", "refused", 1),
        RunTally("medium", "failed", 1),
    }  # fmt: skip
    assert (found.average_ms, found.tokens, found.direct) == (250.0, 40, 1400)
    assert [(day.runs, day.failed, day.direct, day.actual) for day in found.days] == [(4, 2, 1400, 180)]
    (server,) = found.servers
    assert (server.server, server.calls, server.failed, server.median_ms, server.p95_ms) == ("demo", 3, 1, 30.0, 500.0)
    assert {(tool.tool, tool.calls, tool.failed, tool.refused) for tool in found.tools} == {
        ("send", 2, 0, 0), ("get", 1, 1, 0), ("delete", 0, 0, 1),
    }  # fmt: skip
    assert found.hidden == (Tally("EMAIL", 4), Tally("PHONE", 2))
    assert found.hidden_for == (Tally("claude", 6),)
    assert found.given == (TokenReleaseCount("EMAIL", "crm", "demo.send", 4),)
    assert (found.review.decided, found.review.allowed, found.review.median_seconds) == (2, 1, 4.0)
    assert found.deciders == (Tally("you", 1),)
    assert found.foretold == PredictionAccuracy(1, 1, 1, 1)
    assert found.flows == (Tally("private: demo.orders → demo.send", 2),)
    assert found.trifecta == ("s2",)
    assert found.violations == (Tally("call.refused", 1),)


def test_nothing_at_all_is_an_answer_too(finder):
    found = figures(finder[0], 5.0, 6.0)
    assert (found.entries, found.runs, found.average_ms, found.foretold) == (0, (), 0.0, PredictionAccuracy())


def test_a_detail_that_is_no_json_any_more_costs_no_report(finder, tmp_path):
    copy = tmp_path / "audit.sqlite"
    copy.write_bytes(finder[1].read_bytes())
    store = sqlite3.connect(copy)
    store.executescript("DROP TRIGGER entries_stay; UPDATE entries SET detail = '{broken' WHERE kind = 'run.done';")
    store.close()
    assert figures(AuditSearch(copy, tmp_path / "none"), 0.0, START + 1000).tokens == 40


def test_an_execution_has_every_field_of_an_audit_log(finder):
    newest, *_, first = read_executions(finder[0], START, START + 1000, 10)
    assert set(execution_fields(first)) >= SEEDS_FIELDS
    assert (first.user, first.model, first.model_version, first.sandbox) == ("ada", "opus", NOT_TOLD, "container")
    assert (first.approved, first.auto_approved, first.success, first.error) == (True, True, True, "")
    assert (newest.outcome, newest.error, newest.success) == ("failed", "It broke.", False)
    refused, asked = (
        next(one for one in read_executions(finder[0], START, START + 1000, 10) if one.run_id == run_id)
        for run_id in ("r3", "r2")
    )
    assert (refused.approved, refused.sandbox, refused.decided_by) == (False, "none", "you")
    assert (asked.approved, asked.auto_approved, asked.violations) == (True, False, (f"call.refused: {HOSTILE}",))


def test_the_report_as_json_has_what_is_asked_of_one(report):
    made = json.loads(as_json(report))
    assert made["totalExecutions"] == 4
    assert made["byRiskLevel"] == {"high": 2, "low": 1, "medium": 1}
    assert [run["runId"] for run in made["violations"]] == ["r2"]
    assert {run["runId"] for run in made["highRiskActions"]} == {"r2", "r3"}
    assert {run["runId"] for run in made["failedExecutions"]} == {"r3", "r4"}
    assert (made["averageDuration"], made["totalTokensUsed"], made["approvalRate"]) == (250.0, 40, 0.5)
    assert (made["chainWhole"], len(made["chainHead"])) == (True, 64)
    assert made["toolDefinitions"] == [f"demo.send {'d' * 64}"]
    assert made["profiles"] == ["write_restricted p1"]
    assert [one["kind"] for one in made["permissions"]] == ["rule.set"]
    assert made["voidPermissions"] == ["rule x: gone"]


def test_the_report_as_csv_has_a_line_for_each_run_and_no_formula(report):
    rows = list(csv.DictReader(io.StringIO(as_csv(report))))
    assert len(rows) == 4
    assert set(rows[0]) >= SEEDS_FIELDS
    assert not any(str(value).startswith(("=", "+", "-", "@")) for row in rows for value in row.values())


class Reader(HTMLParser):
    """What a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("src", "href") or name.startswith("on")]

    def handle_data(self, data):
        self.text += data


def test_the_report_as_html_stands_alone_and_runs_nothing(report):
    page = as_html(report)
    reader = Reader()
    reader.feed(page)
    plain = "html head meta title style body h1 h2 p div b span table thead tbody tr th td ul li code br"
    assert reader.tags <= {*plain.split()}
    assert not reader.links
    assert "<script>alert(1)</script>" in reader.text
    assert "\u202e" not in page
    assert "‹U+202E›" in page
    for words in (
        "Executions by risk and outcome",
        "Unbroken",
        "Predicted and observed",
        "call.refused",
        "demo.send",
        "EMAIL",
    ):
        assert words in page
    empty = as_html(make_empty(report))
    assert "No program ran." in empty
    of_all = as_html(replace(report, figures=replace(report.figures, since=0.0)))
    assert "Audit report from the beginning to" in of_all


def make_empty(report):
    from workbench.records import ChainReport, Figures

    return replace(
        report, figures=Figures(0.0, 1.0), executions=(), incidents=(), chain=ChainReport(False, 3, "", 4, "x")
    )
