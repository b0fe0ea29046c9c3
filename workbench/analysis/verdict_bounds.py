"""Puts a verdict within the bounds of its run: profile, required tools, and the person's rules.

What a rule denies, or what lies outside the bounds, is certain to be refused, so the text goes back to its author. What
a mount refuses becomes an effect that the sandbox refuses. What a rule allows is said, and asks nobody by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.call_rules import LOST, Foreseen
from workbench.records import (
    Effect,
    EffectKind,
    Finding,
    Gate,
    Risk,
    RunProfile,
    Span,
    Tool,
    ToolUse,
    Verdict,
    Word,
)
from workbench.records.risk_levels import at_least, worst

_CHANGES = frozenset(
    action.value
    for action in (
        ProgramAction.WRITE,
        ProgramAction.COPY,
        ProgramAction.MOVE,
        ProgramAction.DELETE,
        ProgramAction.META,
        ProgramAction.LINK,
    )
)
_UNKNOWN = ("", "?")  # a path that is known at run time only: it may lie beside the workspace
Find = Callable[[str, str], Tool | None]  # server and tool → the effective one
Foresee = Callable[[Tool], Foreseen]  # what is certain of a tool's calls before their arguments are known


class Limits(Struct, frozen=True):
    """What a run is held to, beside what its text says."""

    profile: RunProfile | None = None
    required: tuple[str, ...] = ()
    wider: str = ""  # why naming this profile needs a person; empty: it does not
    lost: bool = False  # the rules cannot be read
    read: bool = True  # the text was read, so the tools of the verdict are the ones it calls


def bound(verdict: Verdict, limits: Limits, find: Find, foresee: Foresee) -> Verdict:
    """The same verdict, and what follows from the bounds."""
    verdict = replace(verdict, profile=limits.profile, required=limits.required)
    if verdict.gate is Gate.BLOCKED:
        return verdict
    verdict = _mounted(verdict, limits.profile)
    used = [(use, tool) for use in verdict.tools if (tool := find(use.server, use.tool)) is not None]
    against = [(use, found) for use, tool in used if (found := foresee(tool)).decision is Word.DENY]
    if against and limits.read:
        return _returned(verdict, against)
    foreseen = [(use, foresee(tool)) for use, tool in used]
    return replace(_settled(verdict, foreseen), asks=_asks(limits, foreseen))


def _returned(verdict: Verdict, against: Sequence[tuple[ToolUse, Foreseen]]) -> Verdict:
    """Back to its author, with the reason at the line."""
    found = tuple(
        Finding(
            "bounds",
            Risk.HIGH,
            f"{found.text} {found.hint}".strip().rstrip("."),
            Span(use.line, 0, use.line, 0),
            f"{use.server}.{use.tool}",
        )
        for use, found in against
    )
    return replace(
        verdict,
        gate=Gate.BLOCKED,
        risk=worst((verdict.risk, Risk.HIGH)),
        sentence=f"Cannot run: {found[0].message}.",
        findings=(*found, *verdict.findings),
    )


def _asks(limits: Limits, foreseen: Sequence[tuple[ToolUse, Foreseen]]) -> tuple[str, ...]:
    """Why a person is asked whatever the risk is."""
    found = [one.text for _, one in foreseen if one.decision is Word.ASK]
    if limits.lost:
        found.append(LOST)
    if limits.profile is not None and limits.profile.ask:
        found.append(f"The profile {limits.profile.name} always asks.")
    if limits.wider:
        found.append(limits.wider)
    return tuple(dict.fromkeys(found))


def _settled(verdict: Verdict, foreseen: Sequence[tuple[ToolUse, Foreseen]]) -> Verdict:
    """What rules allow weighs no more; flows, files and everything else of the text weigh as before."""
    allowed = {f"{use.server}.{use.tool}": found for use, found in foreseen if found.decision is Word.ALLOW}
    if not allowed:
        return verdict
    left = [one.risk for one in verdict.findings if not (one.rule in ("tool.call", "tool") and one.subject in allowed)]
    words = [
        found.text + (" Its real arguments are looked at when it is called." if found.depends else "")
        for found in allowed.values()
    ]
    return replace(verdict, allowed=tuple(dict.fromkeys(words)), unsettled=worst(left))


def _mounted(verdict: Verdict, profile: RunProfile | None) -> Verdict:
    """What the run's own mounts refuse."""
    if profile is None or profile.workspace == "write":
        return verdict
    changing = {
        (one.message, one.span.line): f"{one.message} (the workspace is not writable in {profile.name})"
        for one in verdict.findings
        if one.rule in _CHANGES and at_least(one.risk, Risk.MEDIUM) and one.subject not in _UNKNOWN
    }
    findings = tuple(_retold(one, changing) for one in verdict.findings)
    effects = tuple(_refused(one, changing) for one in verdict.effects)
    changed = replace(verdict, findings=findings, effects=effects)
    return replace(changed, gate=Gate.REFUSED) if _all_refused(changed) else changed


def _retold(one: Finding, changing: dict[tuple[str, int], str]) -> Finding:
    words = changing.get((one.message, one.span.line)) if one.rule in _CHANGES else None
    return replace(one, message=words) if words else one


def _refused(one: Effect, changing: dict[tuple[str, int], str]) -> Effect:
    words = changing.get((one.text, one.line))
    return replace(one, text=words, kind=EffectKind.REFUSED) if words else one


def _all_refused(verdict: Verdict) -> bool:
    """Whether nothing is left that a person could decide."""
    refused = {(one.text, one.line) for one in verdict.effects if one.kind is EffectKind.REFUSED}
    risky = [one for one in verdict.findings if at_least(one.risk, Risk.MEDIUM)]
    if verdict.gate is not Gate.ASK or not risky:
        return False
    return all((one.message, one.span.line) in refused for one in risky)
