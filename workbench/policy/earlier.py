"""Judges a program that goes on in a kept sandbox together with all that ran there before it.

A program alone tells too little there: it may call functions it does not define, and what earlier programs left behind
(threads, replaced functions) may act while it runs. So all of them are read as one text, and the verdict is about all
of it: such a sandbox is as risky as the riskiest program that it ran. Each earlier program may have stopped anywhere,
so what it binds is what a name may be, beside what the name was before.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from workbench.policy.assess import assess, assess_shaped
from workbench.policy.levels import worst
from workbench.records import Effect, EffectKind, Finding, Flow, Gate, HostRule, Risk, Span, Tool, ToolUse, Verdict

_WHERE = " (in an earlier program of this state)"
_UNREAD = "What the earlier programs of this state left behind: together they are too long to be read."


def assess_after(
    earlier: Sequence[str], code: str, tools: Sequence[Tool] | None, reach: Sequence[HostRule] | None = None
) -> Verdict:
    """The verdict on this text, given the canonical texts that ran before it, oldest first."""
    alone = assess(code, tools, reach)
    if not earlier or alone.gate in (Gate.BLOCKED, Gate.REFUSED):
        return alone
    ends = _ends(earlier)
    together = assess_shaped("\n".join((*earlier, code)), tools, lambda tree: _perhaps(tree, ends), reach)
    if together.gate is Gate.BLOCKED:
        return _unread(alone)
    return _told(alone, together, ends[-1], len(earlier))


def _ends(earlier: Sequence[str]) -> list[int]:
    """The last line of each earlier program in the text of all."""
    ends, line = [], 0
    for text in earlier:
        line += text.count("\n") + 1
        ends.append(line)
    return ends


def _perhaps(tree: ast.Module, ends: Sequence[int]) -> None:
    """Put each earlier program into a `try` of its own: it may have ended before any of its lines."""
    body, left = [], tree.body
    for end in ends:
        mine, left = [part for part in left if part.lineno <= end], [part for part in left if part.lineno > end]
        if mine:
            caught = ast.ExceptHandler(None, None, [ast.copy_location(ast.Pass(), mine[0])])
            wrapped = ast.Try(mine, [ast.copy_location(caught, mine[0])], [], [])
            body.append(ast.copy_location(wrapped, mine[0]))
    tree.body = [*body, *left]


def _unread(alone: Verdict) -> Verdict:
    finding = Finding("state.unread", Risk.HIGH, "Goes on where too much has run to be read with it", Span(1, 0, 1, 0))
    return replace(
        alone,
        risk=worst((alone.risk, Risk.HIGH)),
        gate=Gate.ASK,
        findings=(*alone.findings, finding),
        not_assessed=(*alone.not_assessed, _UNREAD),
    )


def _told(alone: Verdict, together: Verdict, offset: int, number: int) -> Verdict:
    """The verdict on all of them, told at the lines of the one that is to run."""
    many = "the program" if number == 1 else f"the {number} programs"
    return replace(
        together,
        sha=alone.sha,
        sentence=f"Together with {many} before it in this state: {together.sentence}",
        findings=tuple(_finding(one, offset) for one in together.findings),
        effects=tuple(_effect(one, offset) for one in together.effects),
        tools=tuple(ToolUse(one.server, one.tool, max(1, one.line - offset)) for one in together.tools),
        flows=tuple(_flow(one, offset) for one in together.flows if one.sink_line > offset),
        skills={name: max(1, line - offset) for name, line in together.skills.items()},
    )


def _finding(one: Finding, offset: int) -> Finding:
    span = one.span
    if span.line <= offset:
        return replace(one, message=one.message + _WHERE, span=Span(1, 0, 1, 0))
    return replace(one, span=replace(span, line=span.line - offset, end_line=max(0, span.end_line - offset)))


def _flow(one: Flow, offset: int) -> Flow:
    """Line 0: what it comes from was read by an earlier program."""
    return replace(one, line=max(0, one.line - offset), sink_line=one.sink_line - offset)


def _effect(one: Effect, offset: int) -> Effect:
    if one.line > offset:
        return replace(one, line=one.line - offset)
    kind = EffectKind.MAY if one.kind is EffectKind.WILL else one.kind  # it happened; it may happen again
    return replace(one, kind=kind, text=one.text + _WHERE, line=1)
