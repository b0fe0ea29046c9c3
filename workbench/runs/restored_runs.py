"""Restores runs of earlier cores from the audit; a run without an end was interrupted and is recorded as such."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from msgspec.structs import replace

from workbench.audit.audit_search import AuditSearch
from workbench.audit.journal import ENDS, Journal
from workbench.records import (
    Decision,
    Entry,
    EntryQuery,
    Fault,
    Ledger,
    Note,
    Origin,
    Proposal,
    Risk,
    Run,
    RunState,
    Verdict,
)
from workbench.records import Gate as GateWord

SHOWN_PAST = 100  # runs of earlier cores that lists show
READ_ENTRIES = 2_000  # newest run entries that are searched for them
LOST = Fault(
    "The core ended during the run.", "Nothing of it is running now. Propose it again if it is still needed.", ours=True
)


def past_runs(journal: Journal, finder: AuditSearch, waiting: Container[str] = ()) -> tuple[tuple[Run, ...], int]:
    """Return the newest runs of earlier cores, and how many of them were interrupted. `waiting`: ids of runs that wait
    for approval again."""
    interrupted = [run_id for run_id in journal.interrupted_runs() if run_id not in waiting]
    for run_id in interrupted:
        _write_interrupted(journal, run_id)
    by_run: dict[str, list[Entry]] = {}
    for entry in reversed(finder.entries(EntryQuery(kind="run.", limit=READ_ENTRIES))):
        by_run.setdefault(entry.note.run_id, []).append(entry)
    runs = [run for steps in by_run.values() if (run := _rebuild(steps)) is not None]
    runs.sort(key=lambda run: -run.proposal.at)
    revived = {run.proposal.revives: run.id for run in reversed(runs) if run.proposal.revives}
    runs = [replace(run, revived_as=revived.get(run.id, "")) for run in runs]
    return tuple(runs[:SHOWN_PAST]), len(interrupted)


def _write_interrupted(journal: Journal, run_id: str) -> None:
    last = journal.entries(EntryQuery(run_id=run_id, limit=1))[0].note
    journal.append(
        Note(
            kind="run.interrupted",
            summary="was interrupted: the core ended",
            actor=last.actor,
            session=last.session,
            run_id=last.run_id,
            risk=last.risk,
            ok=False,
            detail={"last_step": last.kind},
        )
    )


def _rebuild(steps: list[Entry]) -> Run | None:
    first, last = next((step for step in steps if step.note.kind == "run.proposed"), None), steps[-1]
    if first is None or last.note.kind not in ENDS:
        return None  # its first entry is older than those read, or its end is a state that only a newer version knows
    proposed = first.note.detail
    for step in steps:
        if step.note.kind == "run.edited":
            proposed = {"original": first.note.detail.get("code", ""), **proposed, **step.note.detail}
    state = RunState(last.note.kind.removeprefix("run."))
    detail = last.note.detail
    fault = str(detail.get("fault", ""))
    running = next((step for step in steps if step.note.kind == "run.running"), None)
    run = Run(
        id=first.note.run_id,
        proposal=_proposal(first, proposed),
        state=state,
        verdict=_verdict(steps),
        started=running.at if running else 0.0,
        ended=last.at,
        fault=LOST if state is RunState.INTERRUPTED else Fault(fault) if fault else None,
        model_view=str(detail.get("answer", "")),
        ledger=_ledger(detail),
        memory_mb=float(detail.get("memory_mb", 0.0)),
        decision=_decision(steps),
        deadline=next(
            (step.at for step in steps if step.note.kind == "run.waiting"), 0.0
        ),  # it is over, whenever it was
        restored=True,
    )
    return replace(run, **_where(running)) if running else run


def _decision(steps: list[Entry]) -> Decision | None:
    """The user's answer to the approval request, if there was one."""
    entry = next((step for step in reversed(steps) if step.note.kind == "run.decided"), None)
    if entry is None:
        return None
    detail = entry.note.detail
    return Decision(
        run_id=entry.note.run_id,
        sha=str(detail.get("sha", "")),
        allow=detail.get("allow") is True,
        by=str(detail.get("by", "")),
        reason=str(detail.get("reason", "")),
        at=entry.at,
        seconds=float(detail.get("seconds", 0.0)),
    )


def _ledger(detail: Mapping[str, Any]) -> Ledger:  # Any: JSON
    direct, actual, kept = (int(detail.get(name, 0)) for name in ("direct", "actual", "kept_bytes"))
    counter, definitions = str(detail.get("counter", "≈"))[:20], int(detail.get("definitions", 0))
    return Ledger(direct, actual, kept, counter, definitions)


def _where(running: Entry) -> dict[str, Any]:  # Any: fields of Run
    """Return the isolation of a run; entries of earlier versions have none."""
    return {name: str(running.note.detail.get(name, "")) for name in ("level", "backend", "isolation")}


def _proposal(first: Entry, detail: object) -> Proposal:
    values = dict(detail) if isinstance(detail, dict) else {}
    return Proposal(
        id=first.note.run_id,
        code=str(values.get("code", "")),
        sha=str(values.get("sha", "")),
        origin=Origin(values.get("origin", Origin.AGENT)),
        session=first.note.session,
        author=str(values.get("author", first.note.actor)),
        purpose=str(values.get("purpose", "")),
        at=float(values.get("at", first.at)),
        seconds=float(values.get("seconds", 0.0)),
        skill=str(values.get("skill", "")),
        state=str(values.get("state", "")),
        language=str(values.get("language", "python")),
        profile=str(values.get("profile", "")),
        required=tuple(map(str, values.get("required", ()))),
        force_approval=bool(values.get("force_approval")),
        original=str(values.get("original", "")),
        wish=str(values.get("wish", "program")),
        revives=str(values.get("revives", "")),
        dry_run=bool(values.get("dry_run") or values.get("rehearse")),
        dry_run_of=str(values.get("dry_run_of") or values.get("rehearses") or ""),
    )


def _verdict(steps: list[Entry]) -> Verdict | None:
    for step in reversed(steps):  # an edit makes a new verdict, so the newest counts
        if step.note.kind in ("run.checked", "run.edited") and "sentence" in step.note.detail:
            detail = step.note.detail
            return Verdict(
                sha=str(detail.get("sha", "")),
                risk=Risk(detail.get("risk", Risk.LOW)),
                gate=GateWord(detail.get("gate", GateWord.ASK)),
                sentence=str(detail.get("sentence", "")),
                rules=str(detail.get("rules", "")),
            )
    return None
