"""Makes the verdict on a TypeScript program, which is not parsed: the user always decides.

The text is canonical like every other, so the user sees what runs. Tools are found by matching words of the text: too
many rather than too few, because a call of a tool that changes something passes only if the verdict names the tool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.analysis.canonical_text import CanonicalText
from workbench.analysis.interpreter.program_report import ProgramReport
from workbench.identifiers import fold
from workbench.permissions.tool_annotations import facts_of
from workbench.records import EffectKind, Gate, Risk, Span, Tool, ToolUse, Verdict
from workbench.records.common_types import at_least, worst

RULES = "script.1"  # changes whenever a rule in this module does
UNREAD = (
    "What a program in TypeScript does: only Python is analyzed. Its tools are those whose names occur in its text."
)
_WORD = re.compile(r"[\w.-]{1,200}")
_SHOWN = 3  # maximum number of tools in the sentence
_EXACT = "mcp__"


def assess_script(text: CanonicalText, tools: Sequence[Tool]) -> Verdict:
    """Return the verdict: blocked if the text has faults, otherwise approval is needed with any settings."""
    report = ProgramReport()
    for fault in text.faults:
        report.add(fault.rule, fault.risk, fault.message, fault.span, subject=fault.subject, blocks=True)
    named = [] if text.faults else _named(text.text, tools)
    if not text.faults:
        report.add("language", Risk.HIGH, "TypeScript is not analyzed; read the program yourself", Span(1, 0, 1, 0))
    for tool, line in named:
        _note(report, tool, line)
    findings = report.findings()
    return Verdict(
        sha=text.sha,
        risk=worst((Risk.HIGH, *(finding.risk for finding in findings))),
        gate=Gate.BLOCKED if text.faults else Gate.ASK,
        sentence=findings[0].message + "." if text.faults else _sentence([tool for tool, _ in named]),
        findings=findings,
        effects=report.effects(),
        tools=tuple(ToolUse(tool.server, tool.name, line, often=True) for tool, line in named),
        not_assessed=(UNREAD,),
        rules=RULES,
        definitions={f"{tool.server}.{tool.name}": tool.hash for tool, _ in named},
    )


def _named(text: str, tools: Sequence[Tool]) -> list[tuple[Tool, int]]:
    """Return the tools whose own name and server name both occur in the text, with the line of the tool's name."""
    words: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for word in _WORD.findall(line):
            for part in {word, *word.split(".")}:
                words.setdefault(fold(part.removeprefix(_EXACT)), number)
    found = []
    for tool in tools:
        server, name = fold(tool.server), fold(tool.name)
        place = words.get(fold(f"{server}__{name}")) or (words.get(name) if server in words else None)
        if place:
            found.append((tool, place))
    return found


def _note(report: ProgramReport, tool: Tool, line: int) -> None:
    """Add an effect for a tool that may change something. Tools that only read are only listed."""
    risk = facts_of(tool).risk
    if at_least(risk, Risk.MEDIUM):
        words = f"May call {tool.server}.{tool.name}, which can change data"
        report.add("tool", risk, words, Span(line, 0, line, 0), subject=tool.name, effect=EffectKind.MAY)


def _sentence(tools: Sequence[Tool]) -> str:
    words = "This program is TypeScript, which is not assessed; read it before you allow it."
    if not tools:
        return f"{words} It names no tool."
    names = [f"{tool.server}.{tool.name}" for tool in tools]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{words} It names {', '.join(names[:_SHOWN])}{more}."
