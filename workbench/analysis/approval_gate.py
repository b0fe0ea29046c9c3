"""Decides whether the user is asked about a program, from its verdict, the settings, and the bounds of its run.

Blocked and refused programs stay so. A program of high or critical risk always asks, whoever wrote it. One of medium
risk asks unless the user lets all of them pass, or it only adds data.

The bounds are the profile, the required tools and the user's rules. What a rule denies, or what lies outside the
bounds, is certain to be refused, so the text goes back to its author. What a mount refuses becomes an effect that the
sandbox refuses. What a rule allows is said, and asks nobody by itself.

A program only adds data when it adds or sets something at one server whose hints the user believes, where nothing
leaves and nothing is lost, or writes new files of plain data into the workspace; and when nothing that outsiders can
write has a part in it. A question about such a program is answered unread, and those questions make users answer the
next one unread, too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions import tool_annotations
from workbench.permissions.call_rules import LOST, Foreseen
from workbench.permissions.tool_annotations import tool_risk, unasked
from workbench.records import Effect, EffectKind, Finding, Gate, Risk, RunProfile, Span, Tool, ToolUse, Verdict, Word
from workbench.records.common_types import at_least, worst
from workbench.settings import Settings


def decide_gate(verdict: Verdict, settings: Settings, *, force: bool = False) -> Gate:
    """Blocked, refused, ask or auto for this verdict under these settings; `force`: its author asks for approval.
    What a rule of the user allows weighs no more, except where the whole is critical."""
    if verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        return verdict.gate
    if force or verdict.asks:
        return Gate.ASK
    return (
        Gate.AUTO
        if is_auto_approved_as_additive(verdict, settings) or unasked(residual_risk(verdict), settings)
        else Gate.ASK
    )


def is_auto_approved_as_additive(verdict: Verdict, settings: Settings) -> bool:
    """Whether nobody is asked only because there is nothing in it to decide; its calls are watched the closer."""
    return verdict.mild and settings.approval_auto_mild and not unasked(residual_risk(verdict), settings)


def isolation_risk(verdict: Verdict, settings: Settings) -> Risk:
    """The risk that isolation goes by: what only adds at a server can break out no better than what only reads."""
    return Risk.LOW if verdict.mild and settings.approval_auto_mild else residual_risk(verdict)


def residual_risk(verdict: Verdict) -> Risk:
    """The risk that is left when what a rule allows is taken off; of what is critical nothing is taken off."""
    if verdict.unsettled is None or verdict.risk is Risk.CRITICAL:
        return verdict.risk
    return verdict.unsettled


# ── the bounds of a run ───────────────────────────────────────────────────────────────────────────────
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
    wider: str = ""  # why naming this profile needs approval; empty: it does not
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
    """Why the user is asked whatever the risk is."""
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
    """Whether nothing is left that the user could decide."""
    refused = {(one.text, one.line) for one in verdict.effects if one.kind is EffectKind.REFUSED}
    risky = [one for one in verdict.findings if at_least(one.risk, Risk.MEDIUM)]
    if verdict.gate is not Gate.ASK or not risky:
        return False
    return all((one.message, one.span.line) in refused for one in risky)


# ── programs that only add data ───────────────────────────────────────────────────────────────────────
_DATA: Final = frozenset({".csv", ".tsv", ".json", ".jsonl", ".txt", ".md", ".log", ".parquet", ".png", ".jpg"})
_ROOM: Final = "workspace/"


def is_additive(verdict: Verdict, tools: Sequence[Tool | None], taken: Callable[[str], bool]) -> bool:
    """`tools`: those that the verdict names, as policy takes them. `taken`: whether a path of the workspace is there
    already, so that writing it would replace something."""
    if verdict.risk is not Risk.MEDIUM or verdict.gate is not Gate.ASK or verdict.not_assessed:
        return False
    known = {f"{tool.server}.{tool.name}": tool for tool in tools if tool is not None}
    if len(known) < len({(use.server, use.tool) for use in verdict.tools}) or any(
        map(tool_annotations.outsiders, known.values())
    ):
        return False
    if verdict.hosts or verdict.impact.networks or verdict.impact.commands:
        return False
    changing = [tool for tool in known.values() if at_least(tool_risk(tool), Risk.MEDIUM)]
    if changing and (len({tool.server for tool in known.values()}) > 1 or verdict.impact.read):
        return False  # what one server holds is not for another one, and nobody knows who wrote a file
    risky = (one for one in verdict.findings if at_least(one.risk, Risk.MEDIUM))
    return all(_adds(one, known) or _is_new_data(one, taken) for one in risky)


def only_adds(tool: Tool) -> bool:
    """Whether it destroys nothing and reaches nobody, by annotations that are trusted or set by the user."""
    hints = tool.hints
    closed = hints.destructive is False and hints.open_world is False
    return closed and tool_risk(tool) is Risk.MEDIUM and not tool_annotations.sends(tool)


def _adds(one: Finding, known: dict[str, Tool]) -> bool:
    tool = known.get(one.subject) if one.rule == "tool.call" else None
    return tool is not None and only_adds(tool)


def _is_new_data(one: Finding, taken: Callable[[str], bool]) -> bool:
    """A file that no other program runs, and that was not there."""
    path = one.subject
    if one.rule != ProgramAction.WRITE.value or not path.startswith(_ROOM) or "…" in path:
        return False
    return is_data(path.removeprefix(_ROOM)) and not taken(path.removeprefix(_ROOM))


def is_data(path: str) -> bool:
    """Whether a file of the workspace, by its name, is plain data and not hidden."""
    hidden = any(part.startswith(".") for part in path.split("/"))
    return not hidden and posixpath.splitext(path)[1].lower() in _DATA
