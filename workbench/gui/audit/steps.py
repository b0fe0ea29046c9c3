"""The entries of one run, read as its road: proposed, checked, waiting, running and its end, with calls inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from workbench.records import Entry, RunState

ROAD = ("run.proposed", "run.checked", "run.waiting", "run.running")
ENDS = tuple(f"run.{state}" for state in (*list(RunState)[4:],))
INSIDE = (
    "call.", "connection.", "elicitation.", "resource.", "prompt.", "run.decided.",
)  # fmt: skip


@dataclass(slots=True)
class Step:
    """One thing on the road; a phase lasts until the next one begins."""

    entry: Entry
    at: float
    ms: float
    inside: list[Step] = field(default_factory=list)

    @property
    def phase(self) -> bool:
        return self.entry.note.kind in ROAD


def steps(entries: Iterable[Entry]) -> list[Step]:
    """From the first to the last; what happened while the program ran stands inside that phase."""
    ordered = sorted(entries, key=lambda entry: entry.seq)
    found: list[Step] = []
    running: Step | None = None
    for entry in _merged(ordered):
        kind, took = entry.note.kind, entry.note.ms
        if kind.startswith(INSIDE) and running is not None:
            running.inside.append(Step(entry, entry.at - took / 1000, took))
            continue
        found.append(Step(entry, entry.at, 0.0 if kind.startswith("run.") else took))
        running = found[-1] if kind == "run.running" else running
        if kind in ENDS:
            running = None
    _last(found)
    for step in found:
        step.inside.sort(key=lambda one: one.at)
    return found


def span(road: Sequence[Step]) -> tuple[float, float]:
    """When it began, and how many milliseconds it took."""
    if not road:
        return 0.0, 0.0
    began, ended = road[0].at, max(step.at + step.ms / 1000 for step in _every(road))
    return began, max(0.0, (ended - began) * 1000)


def code_of(road: Sequence[Step]) -> tuple[str, str]:
    """The program as it ran, and what its author said it is for; the audit's copy, in which personal data is masked."""
    code = purpose = ""
    for step in road:
        detail = step.entry.note.detail
        if step.entry.note.kind in ("run.proposed", "run.edited"):
            code, purpose = str(detail.get("code", code)), str(detail.get("purpose", purpose))
    return code, purpose


def _merged(ordered: Sequence[Entry]) -> list[Entry]:
    """Without the announcement of a call that is there with its answer too."""
    ended = {_call(entry) for entry in ordered if entry.note.kind != "call.sent"} - {""}
    return [entry for entry in ordered if entry.note.kind != "call.sent" or _call(entry) not in ended]


def _call(entry: Entry) -> str:
    return str(entry.note.detail.get("call", "")) if entry.note.kind.startswith("call.") else ""


def _last(road: Sequence[Step]) -> None:
    """Each phase lasts until the next thing that is one, or the end."""
    turns = [step for step in road if step.phase or step.entry.note.kind in ENDS]
    for step, following in pairwise(turns):
        step.ms = max(0.0, (following.at - step.at) * 1000)


def _every(road: Iterable[Step]) -> Iterable[Step]:
    for step in road:
        yield step
        yield from step.inside
