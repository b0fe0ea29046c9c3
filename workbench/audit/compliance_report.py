"""Makes the compliance report: figures of a time range, the runs and incidents in it, and the state of the chain."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from workbench import __version__
from workbench.audit.audit_export import utc_text
from workbench.audit.audit_search import AuditSearch
from workbench.audit.audit_statistics import VIOLATIONS, figures
from workbench.audit.hash_chain import LARGEST, READ_COLUMNS, entry_of
from workbench.audit.journal import ENDS
from workbench.audit.search_queries import is_one_of, numbers_where
from workbench.records import ChainReport, Entry, Execution, Incident, Report
from workbench.spreadsheet_escaping import safe_cell

EXECUTIONS = 5_000  # runs that a report lists; its figures count all
INCIDENTS = 1_000  # entries of each list
_WHERE = "at >= :since AND at < :until ORDER BY seq DESC LIMIT :most"
_COLUMNS = "seq, at, kind, summary, actor, run_id, risk"
_RULE_KINDS = """
value LIKE 'rule.%' OR value LIKE 'definition.approved%' OR value IN ('server.trusted', 'server.trust_withdrawn',
    'server.allowed', 'profile.accepted', 'profile.withdrawn', 'tool.annotation_changed')
"""
_BROKEN = f"SELECT {_COLUMNS} FROM entries WHERE {numbers_where('kind', is_one_of(VIOLATIONS))} AND {_WHERE}"
_RULES = f"SELECT {_COLUMNS} FROM entries WHERE {numbers_where('kind', _RULE_KINDS)} AND {_WHERE}"
NOT_TOLD = "not told"  # a client that does not name its user or model
_GIVEN = ("purpose", "skill", "language", "state", "profile", "required", "force_approval", "dry_run", "seconds")
_OLD_DETAILS = {"rehearse": "dry_run"}  # names in entries of version 0.1
_TOGETHER = 500  # runs whose entries are read at once
_OF_ENDS = numbers_where("kind", is_one_of(ENDS))
_ENDED = f"""
SELECT run_id FROM entries
WHERE {_OF_ENDS} AND run_id != '' AND at >= :since AND at < :until ORDER BY seq DESC LIMIT :most
"""
_STEPS = f"""
SELECT {READ_COLUMNS} FROM entries WHERE {numbers_where("run_id", "value IN (SELECT value FROM json_each(:runs))")}
    AND (kind LIKE 'run.%' OR kind IN ({", ".join(f"'{kind}'" for kind in VIOLATIONS)})) ORDER BY seq
"""


def read_executions(finder: AuditSearch, since: float, until: float, most: int) -> Iterator[Execution]:
    """Runs that ended in the time range, newest first."""
    with finder.time_range(since, until) as (store, low, high):
        where = {"low": low, "high": high, "since": since, "until": until, "most": most}
        ended = [run_id for (run_id,) in store.execute(_ENDED, where)]
        for first in range(0, len(ended), _TOGETHER):
            runs = ended[first : first + _TOGETHER]
            steps: dict[str, list[Entry]] = {}
            for row in store.execute(_STEPS, {"low": 1, "high": LARGEST, "runs": json.dumps(runs)}):
                steps.setdefault(row[6], []).append(entry_of(row))
            for run_id in runs:
                if found := _execution(steps.get(run_id, [])):
                    yield found


def _execution(steps: list[Entry]) -> Execution | None:
    """One run, from its entries; None if it has not ended."""
    proposed: dict[str, Any] = {}  # Any: JSON, here and below
    judged: dict[str, Any] = {}
    running: dict[str, Any] = {}
    decided: dict[str, Any] = {}
    last: Entry | None = None
    for step in steps:
        kind, detail = step.note.kind, step.note.detail
        if kind in ("run.proposed", "run.edited"):
            proposed |= {_OLD_DETAILS.get(name, name): value for name, value in detail.items()}
        if kind in ("run.checked", "run.edited") and "gate" in detail:
            judged = dict(detail)
        if kind.startswith("run.running"):
            running = dict(detail)
        if kind == "run.decided":
            decided = dict(detail)
        last = step if kind in ENDS else last
    return _put_together(steps, last, proposed, judged, running, decided) if last is not None else None


def _put_together(
    steps: list[Entry],
    last: Entry,
    proposed: Mapping[str, Any],
    judged: Mapping[str, Any],
    running: Mapping[str, Any],
    decided: Mapping[str, Any],
) -> Execution:
    note, detail = last.note, last.note.detail
    ran, asked = bool(running), bool(decided)
    given = {name: proposed[name] for name in _GIVEN if proposed.get(name)}
    return Execution(
        at=steps[0].at,
        session=note.session,
        user=str(proposed.get("user") or NOT_TOLD),
        action="dry_run_code" if proposed.get("dry_run") else "execute_code",
        code=str(proposed.get("code", "")),
        code_hash=str(proposed.get("sha", "")),
        given=json.dumps(given, ensure_ascii=False, default=str),
        output=str(detail.get("answer", "")),
        sandbox=str(running.get("level") or ("process" if ran else "none")),
        ms=note.ms,
        tokens=note.tokens,
        model=str(proposed.get("model") or NOT_TOLD),
        model_version=str(proposed.get("model_version") or NOT_TOLD),
        approved=ran,
        auto_approved=ran and not asked,
        risk=note.risk,
        violations=tuple(f"{step.note.kind}: {step.note.summary}" for step in steps if step.note.kind in VIOLATIONS),
        success=note.kind == "run.done",
        error=str(detail.get("fault", "")) if note.kind != "run.done" else "",
        run_id=note.run_id,
        actor=note.actor,
        decided_by=str(decided.get("by", "")),
        decided_after=_number(decided.get("seconds")),
        definitions=tuple(f"{name} {sha}" for name, sha in dict(judged.get("definitions") or {}).items()),
        profile=f"{judged.get('profile', '')} {judged.get('profile_sha', '')}".strip(),
        outcome=note.kind.removeprefix("run."),
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


class ReportContext(Struct, frozen=True):
    """Facts of a report that are not in the audit."""

    project: Path
    chain: ChainReport
    void: tuple[str, ...] = ()
    cents: int = 0


def make_report(finder: AuditSearch, since: float, until: float, frame: ReportContext) -> Report:
    """Make the report for the time from `since` to before `until`."""
    runs = tuple(read_executions(finder, since, until, EXECUTIONS))
    with finder.time_range(since, until) as (store, low, high):
        where = {"low": low, "high": high, "since": since, "until": until, "most": INCIDENTS}
        broken = tuple(Incident(*row) for row in store.execute(_BROKEN, where))
        rules = tuple(Incident(*row) for row in store.execute(_RULES, where))
    return Report(
        made=time.time(),
        version=__version__,
        project=str(frame.project),
        figures=figures(finder, since, until, frame.cents),
        chain=frame.chain,
        executions=runs,
        incidents=broken,
        permissions=rules,
        void=frame.void,
        definitions=tuple(sorted({one for run in runs for one in run.definitions})),
        profiles=tuple(sorted({run.profile for run in runs if run.profile})),
    )


HIGH = ("high", "critical")


def as_json(report: Report) -> str:
    """The complete report as JSON; times are UTC."""
    figures = report.figures
    whole = {
        "made": utc_text(report.made),
        "madeBy": f"MCP Workbench {report.version}",
        "project": report.project,
        "from": utc_text(figures.since),
        "to": utc_text(figures.until),
        **summary(report),
        "violations": [execution_fields(run) for run in report.executions if run.violations],
        "highRiskActions": [execution_fields(run) for run in report.executions if run.risk in HIGH],
        "failedExecutions": [execution_fields(run) for run in report.executions if not run.success],
        "executions": [execution_fields(run) for run in report.executions],
        "incidents": [to_builtins(one) | {"time": utc_text(one.at)} for one in report.incidents],
        "permissions": [to_builtins(one) | {"time": utc_text(one.at)} for one in report.permissions],
        "voidPermissions": report.void,
        "figures": to_builtins(figures),
        "toolDefinitions": report.definitions,
        "profiles": report.profiles,
        "chain": to_builtins(report.chain),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False)


def summary(report: Report) -> dict[str, Any]:
    """The summary at the top of the report. Any: JSON."""
    figures = report.figures
    risks = sorted({run.risk for run in figures.runs})
    return {
        "totalExecutions": sum(run.number for run in figures.runs),
        "byRiskLevel": {risk or "not judged": _count(report, risk=risk) for risk in risks},
        "byOutcome": {one.outcome: _count(report, outcome=one.outcome) for one in figures.runs},
        "averageDuration": round(figures.average_ms, 1),
        "totalTokensUsed": figures.tokens,
        "approvalRate": figures.review.allowed / figures.review.decided if figures.review.decided else None,
        "medianSecondsToDecide": figures.review.median_seconds,
        "chainHead": report.chain.head,
        "chainWhole": report.chain.whole,
    }


def as_csv(report: Report) -> str:
    """The executions of the report as CSV, one line each."""
    file = io.StringIO()
    rows = [execution_fields(run) for run in report.executions]
    writer = csv.writer(file)
    writer.writerow(list(execution_fields(_NONE)))
    for row in rows:
        writer.writerow([safe_cell("; ".join(value) if isinstance(value, list) else value) for value in row.values()])
    return file.getvalue()


def execution_fields(run: Execution) -> dict[str, Any]:
    """One execution under the field names of compliance tools. Any: JSON."""
    return {
        "timestamp": utc_text(run.at),
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


def _count(report: Report, **wanted: str) -> int:
    return sum(
        run.number for run in report.figures.runs if all(getattr(run, name) == word for name, word in wanted.items())
    )


_NONE = Execution(0.0, "", "", "", "", "", "", "", "", 0.0, 0, "", "", False, False, "", (), False, "", "", "")
