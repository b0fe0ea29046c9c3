"""The report as JSON and CSV. An execution has the fields of an audit log as compliance tools know them."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from msgspec import to_builtins

from workbench.audit.audit_export import moment
from workbench.records import Execution, Report
from workbench.spreadsheet_escaping import safe_cell

HIGH = ("high", "critical")


def as_json(report: Report) -> str:
    """Everything; times are UTC."""
    figures = report.figures
    whole = {
        "made": moment(report.made),
        "madeBy": f"MCP Workbench {report.version}",
        "project": report.project,
        "from": moment(figures.since),
        "to": moment(figures.until),
        **summary(report),
        "violations": [logged(run) for run in report.executions if run.violations],
        "highRiskActions": [logged(run) for run in report.executions if run.risk in HIGH],
        "failedExecutions": [logged(run) for run in report.executions if not run.success],
        "executions": [logged(run) for run in report.executions],
        "incidents": [to_builtins(one) | {"time": moment(one.at)} for one in report.incidents],
        "permissions": [to_builtins(one) | {"time": moment(one.at)} for one in report.permissions],
        "voidPermissions": report.void,
        "figures": to_builtins(figures),
        "toolDefinitions": report.definitions,
        "profiles": report.profiles,
        "chain": to_builtins(report.chain),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False)


def summary(report: Report) -> dict[str, Any]:
    """Any: JSON. The numbers that stand first."""
    figures = report.figures
    risks = sorted({run.risk for run in figures.runs})
    return {
        "totalExecutions": sum(run.number for run in figures.runs),
        "byRiskLevel": {risk or "not judged": _number(report, risk=risk) for risk in risks},
        "byOutcome": {one.outcome: _number(report, outcome=one.outcome) for one in figures.runs},
        "averageDuration": round(figures.average_ms, 1),
        "totalTokensUsed": figures.tokens,
        "approvalRate": figures.review.allowed / figures.review.decided if figures.review.decided else None,
        "medianSecondsToDecide": figures.review.median_seconds,
        "chainHead": report.chain.head,
        "chainWhole": report.chain.whole,
    }


def as_csv(report: Report) -> str:
    """A line for each execution."""
    file = io.StringIO()
    rows = [logged(run) for run in report.executions]
    writer = csv.writer(file)
    writer.writerow(list(logged(_NONE)))
    for row in rows:
        writer.writerow([safe_cell("; ".join(value) if isinstance(value, list) else value) for value in row.values()])
    return file.getvalue()


def logged(run: Execution) -> dict[str, Any]:
    """Any: JSON. One execution under the names of an audit log."""
    return {
        "timestamp": moment(run.at),
        "sessionId": run.session,
        "userId": run.user,
        "action": run.action,
        "code": run.code,
        "codeHash": run.code_hash,
        "input": run.given,
        "output": run.output,
        "sandbox": run.sandbox,
        "duration_ms": round(run.ms, 1),
        "tokensUsed": run.tokens,
        "model": run.model,
        "modelVersion": run.model_version,
        "approved": run.approved,
        "autoApproved": run.auto_approved,
        "riskLevel": run.risk,
        "violations": list(run.violations),
        "success": run.success,
        "error": run.error,
        "runId": run.run_id,
        "agent": run.actor,
        "outcome": run.outcome,
        "decidedBy": run.decided_by,
        "secondsToDecide": run.decided_after,
        "toolDefinitions": list(run.definitions),
        "profile": run.profile,
    }


def _number(report: Report, **wanted: str) -> int:
    return sum(
        run.number for run in report.figures.runs if all(getattr(run, name) == word for name, word in wanted.items())
    )


_NONE = Execution(0.0, "", "", "", "", "", "", "", "", 0.0, 0, "", "", False, False, "", (), False, "", "", "")
