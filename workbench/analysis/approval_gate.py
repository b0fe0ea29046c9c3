"""Decides whether a program needs the user's approval, from its verdict, the settings and the bounds of its run.

Blocked and refused programs stay so. A program of high or critical risk always needs approval, whoever wrote it. A
program of medium risk needs approval unless a setting allows all of them, or it only adds data.

The bounds are the profile, the required tools and the user's rules. A call that a rule denies, or that is out of
bounds, is certain to be refused, so the program goes back to its author. An operation that a mount refuses becomes an
effect that the sandbox refuses. A rule that allows a tool is listed and causes no approval request by itself.

A program only adds data if it adds or sets something at one server whose annotations the user trusts and sends and
deletes nothing, and no content that outsiders can write is involved; or if it writes new files of plain data into the
workspace. Users allow requests for such programs without reading them, and this habit makes them allow later requests
unread, too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.call_rules import LOST, Foreseen
from workbench.permissions.tool_annotations import facts_of, needs_no_approval
from workbench.permissions.word_sets import names
from workbench.records import (
    CallDecision,
    Effect,
    EffectKind,
    Finding,
    Gate,
    Risk,
    RunProfile,
    Span,
    Standing,
    Tool,
    ToolUse,
    Verdict,
)
from workbench.records.common_types import at_least, worst
from workbench.settings import Settings


def decide_gate(verdict: Verdict, settings: Settings, *, force: bool = False) -> Gate:
    """Return the gate for this verdict under these settings.

    `force`: the author of the program requests approval. Calls that a rule allows add no risk, unless the verdict is
    critical."""
    if verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        return verdict.gate
    if force or verdict.asks or verdict.unverified:
        return Gate.ASK
    return (
        Gate.AUTO
        if is_auto_approved_as_additive(verdict, settings) or needs_no_approval(residual_risk(verdict), settings)
        else Gate.ASK
    )


def is_auto_approved_as_additive(verdict: Verdict, settings: Settings) -> bool:
    """Return whether the program runs without approval because it only adds data.

    The calls of such a run are checked more strictly."""
    return verdict.mild and settings.approval_auto_mild and not needs_no_approval(residual_risk(verdict), settings)


def isolation_risk(verdict: Verdict, settings: Settings) -> Risk:
    """Return the risk that selects the isolation level.

    A program that only adds data at a server counts as low risk."""
    return Risk.LOW if verdict.mild and settings.approval_auto_mild else residual_risk(verdict)


def residual_risk(verdict: Verdict) -> Risk:
    """Return the risk without the calls that rules allow. Critical risk is not reduced."""
    if verdict.unsettled is None or verdict.risk is Risk.CRITICAL:
        return verdict.risk
    return verdict.unsettled


# ── Bounds of a run ─────────────────────────────────────────────────────────────────────────────────────
_CHANGES = frozenset(
    action.value
    for action in (
        ProgramAction.WRITE,
        ProgramAction.FOLDER,
        ProgramAction.COPY,
        ProgramAction.MOVE,
        ProgramAction.DELETE,
        ProgramAction.META,
        ProgramAction.LINK,
    )
)
_UNKNOWN = ("", "?")  # paths known only at run time; they may be outside the workspace
Find = Callable[[str, str], Tool | None]  # (server, tool) → the tool with effective annotations


class ForeseenCall(Struct, frozen=True):
    """What the user's rules say about one call in the program's text."""

    name: str  # server.tool
    span: Span
    allowed: bool  # a rule allows it, or allows it unless an argument that is not known yet decides otherwise
    depends: bool = False
    text: str = ""  # one sentence about the rule
    by_arguments: bool = False  # the rules that allow it name its arguments


Foresee = Callable[[Tool], Foreseen]  # the decision on a tool's calls that is certain before their arguments are known


class RunBounds(Struct, frozen=True):
    """Bounds of a run besides what its program says."""

    profile: RunProfile | None = None
    required: tuple[str, ...] = ()
    profile_reason: str = ""  # why this profile needs approval; empty if it needs none
    rules_unreadable: bool = False  # the rules cannot be read
    # the sentence of a rule that lets programs write this file of the workspace; empty if there is none
    find_file_rule: Callable[[str], str] = lambda path: ""
    analyzed: bool = True  # the program could be analyzed, so the tools of the verdict are the ones that it calls


def apply_bounds(
    verdict: Verdict, limits: RunBounds, find: Find, foresee: Foresee, calls: Sequence[ForeseenCall] = ()
) -> Verdict:
    """Return the verdict with the consequences of the bounds. `calls`: the calls whose arguments are known in part."""
    verdict = replace(verdict, profile=limits.profile, required=limits.required)
    if verdict.gate is Gate.BLOCKED:
        return verdict
    verdict = _refuse_writes(verdict, limits.profile)
    used = [(use, tool) for use in verdict.tools if (tool := find(use.server, use.tool)) is not None]
    against = [(use, found) for use, tool in used if (found := foresee(tool)).decision is CallDecision.DENY]
    if against and limits.analyzed:
        return _block_denied_calls(verdict, against)
    foreseen = [(use, foresee(tool)) for use, tool in used]
    verdict = replace(
        _without_allowed_effects(verdict, foreseen, calls, limits), asks=_approval_reasons(limits, foreseen)
    )
    allowed = {(use.server, use.tool) for use, found in foreseen if found.decision is CallDecision.ALLOW}
    return _with_unverified(verdict, [tool for use, tool in used if (use.server, use.tool) not in allowed])


def _with_unverified(verdict: Verdict, tools: Sequence[Tool]) -> Verdict:
    """Return the verdict with the tools whose harmlessness the user has not decided to believe, and with the servers
    to decide about if nothing else makes the program ask. `tools`: those that no rule allows."""
    found = [tool for tool in tools if facts_of(tool).unverified]
    if not found:
        return verdict
    names = tuple(dict.fromkeys(f"{tool.server}.{tool.name}" for tool in found))
    waiting = {f"{tool.server}.{tool.name}": tool.server for tool in found if tool.standing is Standing.UNDECIDED}
    allowed = {f"{use.server}.{use.tool}" for use in verdict.tools} - {f"{tool.server}.{tool.name}" for tool in tools}
    others = [
        one
        for one in verdict.findings
        if at_least(one.risk, Risk.MEDIUM)
        and not (one.rule in ("tool.call", "tool") and (one.subject in waiting or one.subject in allowed))
        and not _is_new_data(one, lambda path: False)
    ]
    only_trust = not others and not verdict.asks and not verdict.not_assessed and set(names) <= waiting.keys()
    return replace(
        verdict, unverified=names, waits_for_trust=tuple(dict.fromkeys(waiting.values())) if only_trust else ()
    )


def _block_denied_calls(verdict: Verdict, against: Sequence[tuple[ToolUse, Foreseen]]) -> Verdict:
    """Return the verdict as blocked, with a finding at the line of each denied call."""
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


def _approval_reasons(limits: RunBounds, foreseen: Sequence[tuple[ToolUse, Foreseen]]) -> tuple[str, ...]:
    """Return the reasons for approval that do not depend on the risk."""
    found = [one.text for _, one in foreseen if one.decision is CallDecision.ASK]
    if limits.rules_unreadable:
        found.append(LOST)
    if limits.profile is not None and limits.profile.ask:
        found.append(f"The profile {limits.profile.name} always requires approval.")
    if limits.profile_reason:
        found.append(limits.profile_reason)
    return tuple(dict.fromkeys(found))


def _without_allowed_effects(
    verdict: Verdict,
    foreseen: Sequence[tuple[ToolUse, Foreseen]],
    calls: Sequence[ForeseenCall],
    limits: RunBounds,
) -> Verdict:
    """Return the verdict with the risk that is left without calls and written files that rules allow.

    A call counts as allowed if a rule allows it with the arguments in the program's text; arguments that are not in
    the text are checked when it is called. Flows, files and other findings still count."""
    allowed = {f"{use.server}.{use.tool}": found for use, found in foreseen if found.decision is CallDecision.ALLOW}
    files = {one.subject: text for one in verdict.findings if (text := _file_rule(one, limits))}
    if not allowed and not files:
        return verdict
    refused = {(one.name, one.span) for one in calls if not one.allowed}
    named_sql = {(one.name, one.span) for one in calls if one.allowed and one.by_arguments}
    left = [
        one.risk
        for one in verdict.findings
        if not _is_allowed_call(one, allowed, refused)
        and not _is_allowed_sql(one, named_sql)
        and not (one.rule == ProgramAction.WRITE.value and one.subject in files)
    ]
    named = {one.name for one in calls}
    told = [(one.text, one.depends) for one in calls if one.allowed and one.name in allowed]
    told += [(found.text, found.depends) for name, found in allowed.items() if name not in named]
    later = " Its actual arguments are checked when it is called."
    words = [*(text + (later if depends else "") for text, depends in told), *files.values()]
    return replace(verdict, allowed=tuple(dict.fromkeys(words)), unsettled=worst(left))


def _is_allowed_call(one: Finding, allowed: Mapping[str, Foreseen], refused: Set[tuple[str, Span]]) -> bool:
    return one.rule in ("tool.call", "tool") and one.subject in allowed and (one.subject, one.span) not in refused


def _file_rule(one: Finding, limits: RunBounds) -> str:
    """Return the sentence of the rule that lets the program write the file of this finding; empty if there is none."""
    path = written_data_file(one)
    return limits.find_file_rule(path) if path else ""


def _is_allowed_sql(one: Finding, calls: Set[tuple[str, Span]]) -> bool:
    """Whether a finding is about the SQL of a call whose arguments a rule names, and with them the SQL."""
    return one.rule == "tool.sql" and (one.subject, one.span) in calls


def _refuse_writes(verdict: Verdict, profile: RunProfile | None) -> Verdict:
    """Return the verdict with changes to the workspace marked as refused, unless the profile mounts it writable."""
    if profile is None or profile.workspace == "write":
        return verdict
    changing = {
        (one.message, one.span.line): f"{one.message} (the workspace is not writable in {profile.name})"
        for one in verdict.findings
        if one.rule in _CHANGES and at_least(one.risk, Risk.MEDIUM) and one.subject not in _UNKNOWN
    }
    findings = tuple(_refused_finding(one, changing) for one in verdict.findings)
    effects = tuple(_refused_effect(one, changing) for one in verdict.effects)
    changed = replace(verdict, findings=findings, effects=effects)
    return replace(changed, gate=Gate.REFUSED) if _all_refused(changed) else changed


def _refused_finding(one: Finding, changing: dict[tuple[str, int], str]) -> Finding:
    words = changing.get((one.message, one.span.line)) if one.rule in _CHANGES else None
    return replace(one, message=words) if words else one


def _refused_effect(one: Effect, changing: dict[tuple[str, int], str]) -> Effect:
    words = changing.get((one.text, one.line))
    return replace(one, text=words, kind=EffectKind.REFUSED) if words else one


def _all_refused(verdict: Verdict) -> bool:
    """Return whether the sandbox refuses every risky effect, so that the user has nothing to decide."""
    refused = {(one.text, one.line) for one in verdict.effects if one.kind is EffectKind.REFUSED}
    risky = [one for one in verdict.findings if at_least(one.risk, Risk.MEDIUM)]
    if verdict.gate is not Gate.ASK or not risky:
        return False
    return all((one.message, one.span.line) in refused for one in risky)


# ── Programs that only add data ─────────────────────────────────────────────────────────────────────────
_DATA: Final = frozenset({".csv", ".tsv", ".json", ".jsonl", ".txt", ".md", ".log", ".parquet", ".png", ".jpg"})
_INSTRUCTIONS: Final = names(  # files that agents follow
    """agents.md agent.md claude.md gemini.md skill.md copilot-instructions.md memory.md rules.md conventions.md soul.md
    identity.md tools.md user.md heartbeat.md bootstrap.md llms.txt llms-full.txt"""
)
_STEERING: Final = re.compile(  # more of them, and settings and lists from which tools run code
    r""".*\.(?:instructions|prompt|chatmode|agent|local)\.md
    |(?:.*requirements.*|.*constraints.*|crontab.*|cmakelists)\.txt
    |(?:.*\.config|.*rc|tsconfig.*|jsconfig.*|package|composer|deno|opencode|mcp|tasks|launch|project|angular|turbo|nx|lerna
    |devcontainer|vercel|firebase|settings)\.jsonc?""",
    re.VERBOSE,
)
_WORKSPACE: Final = "workspace/"
MOST_FILES: Final = 50  # written files that are looked at


def is_additive(
    verdict: Verdict, tools: Sequence[Tool | None], taken: Callable[[str], bool], *, untrusted: bool = False
) -> bool:
    """Return whether the program only adds data.

    `tools`: the tools that the verdict names, with effective annotations. `taken`: returns whether a workspace path
    exists already, so that writing it would replace a file. `untrusted`: whether the session has read text that
    outsiders can write; then nothing is added at servers without asking. New files of plain data are, because reading
    them counts as reading outsiders' text."""
    if verdict.risk is not Risk.MEDIUM or verdict.gate is not Gate.ASK or verdict.not_assessed:
        return False
    known = {f"{tool.server}.{tool.name}": tool for tool in tools if tool is not None}
    if len(known) < len({(use.server, use.tool) for use in verdict.tools}):
        return False
    if verdict.hosts or verdict.impact.networks or verdict.impact.commands:
        return False
    changing = [tool for tool in known.values() if at_least(facts_of(tool).risk, Risk.MEDIUM)]
    if changing and (untrusted or any(facts_of(tool).outsiders for tool in known.values())):
        return False
    if changing and (len({tool.server for tool in known.values()}) > 1 or verdict.impact.read):
        return False  # data must not move from one server to another, and the source of a file is unknown
    risky = (one for one in verdict.findings if at_least(one.risk, Risk.MEDIUM))
    return all(_is_additive_call(one, known) or _is_new_data(one, taken) for one in risky)


def name_file_changes(verdict: Verdict, taken: Callable[[str], bool]) -> Verdict:
    """Return the verdict with "Creates" and "Changes the existing" instead of "Writes", for files of the workspace."""
    words: dict[str, str] = {}
    for one in verdict.findings:
        path = one.subject.removeprefix(_WORKSPACE)
        begin = f"Writes {one.subject}"
        written = one.rule == ProgramAction.WRITE.value and one.message.startswith((f"{begin} with ", begin))
        if written and one.subject.startswith(_WORKSPACE) and "…" not in path and len(words) < MOST_FILES:
            verb = "Changes the existing" if taken(path) else "Creates"
            words[one.message] = f"{verb} {one.subject}{one.message.removeprefix(begin)}"
    if not words:
        return verdict
    headline = tuple(
        replace(one, text=_reworded(one.text, words), states=tuple(words.get(text, text) for text in one.states))
        for one in verdict.headline
    )
    stated = " ".join(one.text for one in verdict.headline)
    return replace(
        verdict,
        sentence=verdict.sentence.replace(stated, " ".join(one.text for one in headline), 1),
        headline=headline,
        findings=tuple(replace(one, message=words.get(one.message, one.message)) for one in verdict.findings),
        effects=tuple(replace(one, text=words.get(one.text, one.text)) for one in verdict.effects),
    )


def _reworded(text: str, words: Mapping[str, str]) -> str:
    return f"{words[text[:-1]]}." if text[:-1] in words else text


def only_adds(tool: Tool) -> bool:
    """Return whether the tool deletes nothing and sends nothing, by annotations that are trusted or set by the user."""
    hints = tool.hints
    closed = hints.destructive is False and hints.open_world is False and tool.standing is not Standing.ASKS
    return closed and facts_of(tool).risk is Risk.MEDIUM and not facts_of(tool).sends


def _is_additive_call(one: Finding, known: dict[str, Tool]) -> bool:
    tool = known.get(one.subject) if one.rule == "tool.call" else None
    return tool is not None and only_adds(tool)


def _is_new_data(one: Finding, taken: Callable[[str], bool]) -> bool:
    """Return whether the finding writes a new file of plain data, or makes a folder, which changes no file."""
    path = one.subject
    if one.rule == ProgramAction.FOLDER.value and path.startswith(_WORKSPACE) and "…" not in path:
        return not any(part.startswith(".") for part in path.split("/"))
    return bool(written_data_file(one)) and not taken(path.removeprefix(_WORKSPACE))


def written_data_file(one: Finding) -> str:
    """Return the constant path of the file of plain data that a finding writes; empty if it does something else."""
    path = one.subject
    written = one.rule == ProgramAction.WRITE.value and path.startswith(_WORKSPACE) and "…" not in path
    return path if written and is_data(path.removeprefix(_WORKSPACE)) else ""


def is_data(path: str) -> bool:
    """Return whether a workspace file is plain data by its extension, not hidden, and none that agents follow."""
    name = posixpath.basename(path).lower()
    if name in _INSTRUCTIONS or _STEERING.fullmatch(name):
        return False
    hidden = any(part.startswith(".") for part in path.split("/"))
    return not hidden and posixpath.splitext(path)[1].lower() in _DATA
