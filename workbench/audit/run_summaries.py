"""The runs of a stretch of time as lines of an audit log, put together from the entries of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.audit.audit_search import Finder
from workbench.audit.hash_chain import LARGEST, READ_COLUMNS, entry_of
from workbench.audit.journal import ENDS
from workbench.audit.search_queries import is_one_of, numbers_where
from workbench.audit.statistics import VIOLATIONS
from workbench.records import Entry, Execution

NOT_TOLD = "not told"  # what nobody said of itself
_GIVEN = ("purpose", "skill", "language", "state", "profile", "required", "force_approval", "rehearse", "seconds")
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


def executions(finder: Finder, since: float, until: float, most: int) -> Iterator[Execution]:
    """Those that ended then, newest first."""
    with finder.stretch(since, until) as (store, low, high):
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
    """From all entries of one run that matter."""
    proposed: dict[str, Any] = {}  # Any: JSON, here and below
    judged: dict[str, Any] = {}
    running: dict[str, Any] = {}
    decided: dict[str, Any] = {}
    last: Entry | None = None
    for step in steps:
        kind, detail = step.note.kind, step.note.detail
        if kind in ("run.proposed", "run.edited"):
            proposed |= detail
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
        action="rehearse_code" if proposed.get("rehearse") else "execute_code",
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
