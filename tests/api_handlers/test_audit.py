"""What a real run leaves in the audit answers a report: who, on what grounds, with which data, and what came of it."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, RunTally

CODE = """
from servers.demo import list_customers
page = await list_customers(limit=5)
result = page
"""


@pytest.fixture
async def demo(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    yield house
    await house.close()


async def test_a_run_is_in_figures_report_and_export(demo, tmp_path):
    session = demo.services.sessions.open("claude")
    session.client_claims = {"client": "claude-code", "model": "opus", "model_version": "4.5"}
    run = await demo.run_manager.wait_until_finished(demo.run_manager.submit(CODE, session, purpose="count").id)
    api = demo.api
    figures = await api.audit_figures(0.0, 0.0)
    assert figures.runs == (RunTally("low", "done", 1),)
    assert {one.name for one in figures.hidden} >= {"EMAIL"}
    assert [one.name for one in figures.hidden_for] == ["claude"]
    assert [(one.tool, one.calls) for one in figures.tools] == [("list_customers", 1)]
    assert figures.days[0].direct == run.ledger.direct
    assert figures.foretold.seen == 1
    report = json.loads(await api.audit_report(0.0, 0.0, "json"))
    (execution,) = report["executions"]
    assert (execution["model"], execution["modelVersion"], execution["agent"]) == ("opus", "4.5", "claude")
    assert execution["codeHash"] == run.proposal.sha
    assert (execution["approved"], execution["autoApproved"], execution["success"]) == (True, True, True)
    assert execution["userId"]
    assert execution["toolDefinitions"][0].startswith("demo.list_customers ")
    assert report["chainWhole"]
    page = await api.audit_report(0.0, 0.0, "html")
    for text in (page, json.dumps(report)):
        assert not any(row["email"] in text for row in json.loads(run.result)["customers"])
    assert "codeHash" in await api.audit_report(0.0, 0.0, "csv")
    count = await api.export_entries(EntryQuery(run_id=run.id), str(tmp_path / "run.csv"), "csv")
    with (tmp_path / "run.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == count > 3
    with pytest.raises(WorkbenchError, match="cannot be made as 'pdf'"):
        await api.audit_report(0.0, 0.0, "pdf")


async def test_a_page_its_marks_and_its_entries_belong_together(demo):
    api = demo.api
    page = await api.entry_page(EntryQuery(kind="server.", brief=True))
    marks = await api.entry_marks(EntryQuery(kind="server."))
    assert (marks.total, marks.marks) == (len(page.entries), (page.entries[0].seq,) if page.entries else ())
    whole = await api.entry_page(EntryQuery())
    assert (await api.entry(whole.entries[0].seq)) == whole.entries[0]
