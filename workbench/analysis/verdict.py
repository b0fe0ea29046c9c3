"""Derives the verdict of a program from its findings: risk, gate, sentence, impact and conclusions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from workbench.analysis.call_effects import CALL
from workbench.analysis.canonical_text import CanonicalText
from workbench.analysis.interpreter.program_report import NotedFinding, ProgramReport
from workbench.analysis.interpreter.tool_calls import describe_doubt, is_undescribed
from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.parsed_program import ParsedProgram, lines_of, walk
from workbench.analysis.tables.dangerous_texts import BLOB, HEX_ESCAPES, SHORTEST_BLOB
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.tool_annotations import facts_of
from workbench.records import (
    Effect,
    EffectKind,
    Flow,
    Gate,
    HeadlinePart,
    Impact,
    Risk,
    Span,
    Standing,
    Tool,
    ToolUse,
    Verdict,
)
from workbench.records.common_types import at_least, count_of, rank, worst

MOST = 3  # maximum number of named items of one kind; the rest is counted
MOST_TEXT = 240  # characters of a headline that names what is read
_READS: Final = "Reads "  # begins what is said of a call that only reads
RULES: Final = "14"  # changes whenever a rule does; verdicts of other rule versions are not valid
ONLY_COMPUTES = "Only computes: it uses no tool, no file and no network."


def headline(report: ProgramReport) -> tuple[HeadlinePart, ...]:
    """Return the summary of a verdict, worst first: data sent or destroyed, changes, refused effects, then reading."""
    blocked = [note.finding.message for note in report.notes.values() if note.blocks]
    if blocked:
        text = _ended(f"Cannot run: {_named(blocked, 'reason')}")
        return (HeadlinePart(text, worst(note.finding.risk for note in report.notes.values())),)
    parts = [*_changing_calls(report), *_further_effects(report), *_refused(report)]
    parts += _reading_calls(report, " ".join(part.text for part in parts))
    parts += _unverified_servers(report)
    return tuple(replace(part, text=_ended(part.text)) for part in parts) or (HeadlinePart(ONLY_COMPUTES, Risk.LOW),)


def _changing_calls(report: ProgramReport) -> list[HeadlinePart]:
    sends = {use.full_name for use in report.uses.values() if facts_of(use.tool).sends}
    notes = [note for note in _calls(report) if note.effect and note.effect.risk is not Risk.LOW]
    flowing = {note.finding.span.line for note in report.notes.values() if note.finding.rule.startswith("flow.")}
    notes.sort(key=lambda note: note.finding.span.line)
    first = {note.finding.subject: id(note) for note in reversed(notes)}  # many calls of one tool hide no other tool

    def order(note: NotedFinding) -> tuple[int, bool, bool, bool]:
        repeated = first[note.finding.subject] != id(note)
        return (-_risk_rank(note), note.finding.span.line not in flowing, repeated, note.finding.subject not in sends)

    notes.sort(key=order)
    doubts = {use.full_name: describe_doubt(use.tool) for use in report.uses.values()}
    told: set[str] = set()
    parts: list[HeadlinePart] = []
    stated = " ".join(note.finding.message for note in notes if not note.finding.message.startswith(_READS))
    for note in notes:
        if note.finding.message.startswith(_READS) and _is_stated(note, stated):
            continue
        part, doubt = _part(note), doubts.get(note.finding.subject, "")
        if doubt in told:  # what is unknown of a server is said once
            part = replace(part, text=part.text.replace(doubt, "", 1))
        told.add(doubt)
        parts.append(part)
    return _listed(parts, "further effects of tools")


def _unverified_servers(report: ProgramReport) -> list[HeadlinePart]:
    """Return what is not known of the servers of tools whose annotations matter, each server once."""
    tools = [use.tool for use in report.uses.values() if use.tool.standing is not Standing.ASKS]
    unverified = list(dict.fromkeys(tool.server for tool in tools if facts_of(tool).unverified))
    silent = dict.fromkeys(tool.server for tool in tools if is_undescribed(tool))
    quiet = [server for server in silent if server not in unverified]
    found = []
    if unverified:
        found.append(f"You have not decided yet about the server{'s' * (len(unverified) > 1)} {_servers(unverified)}")
    if quiet:
        who, its = (
            ("server", "does not declare what its") if len(quiet) == 1 else ("servers", "do not declare what their")
        )
        found.append(f"Risk guessed from names: the {who} {_servers(quiet)} {its} tools change")
    return [HeadlinePart(text, Risk.LOW) for text in found]


def _servers(servers: Sequence[str]) -> str:
    more = f" and {count_of(len(servers) - MOST, 'more server')}" if len(servers) > MOST else ""
    return f"{', '.join(servers[:MOST])}{more}" if more else " and ".join(servers)


def _risk_rank(note: NotedFinding) -> int:
    return rank(note.effect.risk if note.effect is not None else note.finding.risk)


def _calls(report: ProgramReport) -> list[NotedFinding]:
    return [note for note in report.notes.values() if note.finding.rule == CALL and note.effect]


def _part(note: NotedFinding) -> HeadlinePart:
    risk = note.effect.risk if note.effect is not None else note.finding.risk
    effect, message = note.effect, note.finding.message
    states = (effect.text,) if effect is not None and effect.text == message else ()
    return HeadlinePart(message, risk, note.finding.span.line, note.finding.subject, states)


def _reading_calls(report: ProgramReport, stated: str) -> list[HeadlinePart]:
    """Return what is read: named if that is little, otherwise counted. What the text before it names is left out."""
    notes = sorted(
        (
            note
            for note in _calls(report)
            if note.effect and note.effect.risk is Risk.LOW and not _is_stated(note, stated)
        ),
        key=lambda note: note.finding.span.line,
    )
    most_text = MOST_TEXT - len(stated)
    texts = list(dict.fromkeys(note.finding.message for note in notes))
    tools = list(dict.fromkeys(note.finding.subject for note in notes))
    if not notes:
        return []
    short = len(texts) < MOST and sum(map(len, texts)) <= most_text
    if short and any(text != f"Reads with {tool}" for text in texts for tool in tools):
        named = [text for text in texts if not text.startswith("Reads with ")]
        plain = [text.removeprefix("Reads with ") for text in texts if text.startswith("Reads with ")]
        parts = [HeadlinePart(text, Risk.LOW, states=(text,)) for text in named]
        states = tuple(text for text in texts if text not in named)
        return parts + [HeadlinePart(f"Reads with {' and '.join(plain)}", Risk.LOW, states=states)] * bool(plain)
    words = f"Reads with {' and '.join(tools)}" if len(tools) < MOST else f"Reads with {len(tools)} tools"
    return [HeadlinePart(words, Risk.LOW)]


def _is_stated(note: NotedFinding, stated: str) -> bool:
    """Return whether another sentence names the answer of a call that reads."""
    line = f"line {note.finding.span.line})"
    if f"{note.finding.message} and runs text from it" in stated:
        return True
    return "://" not in note.finding.message and (f"({note.finding.subject}, {line}" in stated or f"({line}" in stated)


def _further_effects(report: ProgramReport) -> list[HeadlinePart]:
    """Return effects other than tool calls, the worst first. Reading is left out if there is anything else."""
    notes = [
        note for note in report.notes.values() if note.finding.rule != CALL and note.effect and not _is_refused(note)
    ]
    worth = [note for note in notes if note.finding.risk is not Risk.LOW] or notes
    worth.sort(key=lambda note: (-rank(note.finding.risk), note.finding.span.line))
    return _listed((_run_text(note, report) or _part(note) for note in worth), "further effects")


def _run_text(note: NotedFinding, report: ProgramReport) -> HeadlinePart | None:
    """Return that a text is read and run as code, in this order, if one call that only reads supplied it."""
    for call in _calls(report):
        ran = f"Runs text that came from {call.finding.subject} (line {call.finding.span.line}) as code"
        if note.finding.message == ran and call.effect is not None and call.effect.risk is Risk.LOW:
            part, read = _part(note), call.finding.message
            return replace(part, text=f"{read} and runs text from it as code", states=(*part.states, call.effect.text))
    return None


def _refused(report: ProgramReport) -> list[HeadlinePart]:
    notes = list(filter(_is_refused, report.notes.values()))
    telling = [n for n in notes if not n.finding.rule.endswith((".import", ".mention"))] or notes
    words = list(dict.fromkeys(_lowered(note.finding.message) for note in telling))
    if not words:
        return []
    left = len(words) - MOST
    more = f" and {count_of(left, 'more action')}" if left > 0 else ""
    text = f"The sandbox will refuse this: it {'; it '.join(words[:MOST])}{more}"
    return [HeadlinePart(text, worst(note.finding.risk for note in telling))]


def _listed(parts: Iterable[HeadlinePart], rest: str) -> list[HeadlinePart]:
    """Return the first parts, each sentence once, and the number of the others."""
    every = list({part.text: part for part in reversed(list(parts))}.values())[::-1]
    left = every[MOST:]
    if len(left) == 1:
        return every
    more = [HeadlinePart(f"And {len(left)} {rest}", worst(part.risk for part in left))] if left else []
    return every[:MOST] + more


def _named(words: list[str], noun: str) -> str:
    more = f", and {count_of(len(words) - 1, f'more {noun}')}" if len(words) > 1 else ""
    return f"{_lowered(words[0])}{more}"


def _lowered(words: str) -> str:
    return words[:1].lower() + words[1:]


def _ended(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."


MOST_NAMES = 100  # names of one kind
TOOL_CLASSES = ("reads", "adds", "changes", "sends")
_LISTS = {
    **dict.fromkeys((ProgramAction.READ, ProgramAction.LIST), "read"),
    **dict.fromkeys(
        (
            ProgramAction.WRITE,
            ProgramAction.FOLDER,
            ProgramAction.COPY,
            ProgramAction.MOVE,
            ProgramAction.DELETE,
            ProgramAction.META,
            ProgramAction.LINK,
            ProgramAction.DATABASE,
        ),
        "changed",
    ),
    ProgramAction.NETWORK: "networks",
    ProgramAction.PROCESS: "commands",
}
_BY_RULE = {action.value: where for action, where in _LISTS.items()}
_UNKNOWN = frozenset({"", "?", HOLE, "…"})


def summarize_impact(report: ProgramReport) -> Impact:
    """Return the impact of a program. Each name is listed once, in the order of the text."""
    named: dict[str, dict[str, None]] = {where: {} for where in ("read", "changed", "networks", "commands")}
    unnamed = 0
    for note in sorted(report.notes.values(), key=lambda note: note.finding.span.line):
        where = _BY_RULE.get(note.finding.rule)
        if where and note.finding.subject in _UNKNOWN:
            unnamed += 1
        elif where:
            named[where][note.finding.subject] = None
    return Impact(
        **{where: tuple(names)[:MOST_NAMES] for where, names in named.items()},
        tools=_tools_by_class(report),
        lasting=sum(map(_lasting, report.effects())),
        unnamed=unnamed,
    )


def merge_impacts(first: Impact, second: Impact) -> Impact:
    """Return the combined impact of a program and a skill that it uses."""
    kinds = [kind for kind in TOOL_CLASSES if kind in first.tools or kind in second.tools]
    return Impact(
        read=_each(first.read, second.read),
        changed=_each(first.changed, second.changed),
        networks=_each(first.networks, second.networks),
        commands=_each(first.commands, second.commands),
        tools={kind: _each(first.tools.get(kind, ()), second.tools.get(kind, ())) for kind in kinds},
        lasting=first.lasting + second.lasting,
        unnamed=first.unnamed + second.unnamed,
    )


def _each(*names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))[:MOST_NAMES]


def _tools_by_class(report: ProgramReport) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for use in sorted(report.uses.values(), key=lambda use: use.line):
        found.setdefault(tool_class(use.tool), {})[use.full_name] = None
    return {kind: tuple(found[kind])[:MOST_NAMES] for kind in TOOL_CLASSES if kind in found}


def tool_class(tool: Tool) -> str:
    """Return the class of a tool: reads, adds, changes or sends. Sending takes precedence over changing."""
    risk = facts_of(tool).risk
    if risk is Risk.LOW:
        return "reads"
    if facts_of(tool).sends:
        return "sends"
    return "adds" if risk is Risk.MEDIUM else "changes"


def _lasting(effect: Effect) -> bool:
    return effect.reversible is False and effect.kind is not EffectKind.REFUSED


def note_text_findings(report: ProgramReport, text: str) -> None:
    """Add findings that need no parsing: encoded data and \\x escapes."""
    long = max(map(len, text.split("\n"))) >= SHORTEST_BLOB
    if match := BLOB.search(text) if long else None:
        span = _span(text, match.start(), match.end())
        report.add_fact("blob", span)
        report.add("text.blob", Risk.LOW, f"Contains {len(match.group())} characters of encoded data", span)
    if match := HEX_ESCAPES.search(text) if "\\x" in text else None:
        words = "Readable text is written as \\x escapes"
        report.add("text.escapes", Risk.MEDIUM, words, _span(text, match.start(), match.end()), effect=EffectKind.MAY)


FAR = 120  # columns that are visible without scrolling
MOST_BLANKS = 40  # more blanks than any alignment needs
LONG = 240  # columns from which a call is noted, because the line has to be scrolled or wrapped
_GAP = re.compile(rf"(?<![ \t])[ \t]{{{MOST_BLANKS},}}(?=[^\s#])")


def note_hidden_code(report: ProgramReport, program: ParsedProgram) -> None:
    """Add findings for code that blanks or the length of its line move out of sight."""
    lines = program.text.split("\n")
    long = {number for number, line in enumerate(lines, 1) if len(line) > FAR}
    if not long or program.tree is None:
        return
    far: dict[tuple[int, int], ast.AST] = {}
    for node in walk(*(part for part in program.tree.body if not long.isdisjoint(lines_of(part)))):
        if isinstance(node, ast.stmt | ast.expr) and node.col_offset > FAR:
            span = program.span(node)
            if span.column > FAR and not isinstance(far.get((span.line, span.column)), ast.stmt):
                far[span.line, span.column] = node
    gaps = {number: {match.end() for match in _GAP.finditer(lines[number - 1])} for number in long}
    for (line, column), node in far.items():
        span = Span(line, column, line, len(lines[line - 1]))
        if column in gaps.get(line, ()):
            words = f"Code is hidden behind blanks at column {column + 1}"
            report.add("text.blanks", Risk.MEDIUM, words, span, effect=EffectKind.MAY)
        elif isinstance(node, ast.stmt):
            words = f"A statement begins far to the right, at column {column + 1}"
            report.add("text.blanks", Risk.MEDIUM, words, span, effect=EffectKind.MAY)
        elif isinstance(node, ast.Call) and column > LONG:
            report.add("text.long", Risk.LOW, f"A call begins far to the right, at column {column + 1}", span)


def add_conclusions(report: ProgramReport) -> None:
    """Add findings that follow from several other findings."""
    facts = report.facts
    if "sensitive" in facts and "out" in facts:
        words = "Reads sensitive data and can send it out"
        report.add("flow.sensitive", Risk.CRITICAL, words, facts["out"], effect=_certainty(report), reversible=False)
    if "blob" in facts and "code" in facts:
        words = "Contains encoded data and runs text as code: the code that runs cannot be analyzed"
        report.add("code.blob", Risk.CRITICAL, words, facts["code"], effect=EffectKind.MAY)


def _certainty(report: ProgramReport) -> EffectKind:
    """Return REFUSED only if every way to send data is closed: no sending tool and no open network."""
    if report.opened:
        return EffectKind.MAY
    tools_send = report.dynamic or any(facts_of(use.tool).sends for use in report.uses.values())
    only_network = report.facts["out"] == report.facts.get("network")
    return EffectKind.REFUSED if only_network and not tools_send else EffectKind.MAY


def _span(text: str, start: int, end: int) -> Span:
    line, column = text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1)
    return Span(line, column, line, column + end - start)


def verdict_of(text: CanonicalText, report: ProgramReport, tools: Sequence[Tool] | None) -> Verdict:
    """Return the verdict that follows from a report."""
    findings = report.findings()
    risk = worst(finding.risk for finding in findings)
    parts = headline(report)
    if tools is None and report.uses:
        report.not_assessed["What the tools really do: they were judged by their names alone."] = None
    return Verdict(
        sha=text.sha,
        risk=risk,
        gate=_gate(report, risk),
        sentence=" ".join(part.text for part in parts),
        headline=parts,
        findings=findings,
        effects=report.effects(),
        tools=tuple(
            ToolUse(use.tool.server, use.tool.name, use.line, use.often, use.times) for use in report.uses.values()
        ),
        not_assessed=tuple(report.not_assessed),
        rules=RULES,
        hosts=tuple(report.wanted),
        flows=_flows(report),
        impact=summarize_impact(report),
        lines=text.text.count("\n") + (not text.text.endswith("\n")),
        forks=report.forks,
        may_carry=tuple(sorted(report.may_carry)),
        definitions={use.full_name: use.tool.hash for use in report.uses.values()},
        skills=dict(sorted(report.skills.items(), key=lambda item: item[1])),
        any_skill=report.any_skill,
    )


def _flows(report: ProgramReport) -> tuple[Flow, ...]:
    """Return each flow once. A flow into a whole tool is left out if the flow into its argument is known."""
    into = {(flow.source, flow.line, flow.sink.rpartition(".")[0], flow.sink_line) for flow in report.flows}
    every = (one for one in report.flows if (one.source, one.line, one.sink, one.sink_line) not in into)
    return tuple(sorted(every, key=lambda one: (one.sink_line, one.line, one.sink)))


def _gate(report: ProgramReport, risk: Risk) -> Gate:
    if any(note.blocks for note in report.notes.values()):
        return Gate.BLOCKED
    if risk is Risk.LOW:
        return Gate.AUTO
    risky = [note for note in report.notes.values() if at_least(note.finding.risk, Risk.MEDIUM)]
    return Gate.REFUSED if all(map(_is_refused, risky)) else Gate.ASK


def _is_refused(note: NotedFinding) -> bool:
    return note.effect is not None and note.effect.kind is EffectKind.REFUSED
