"""Analyzes a program: parses and interprets its text once, and returns everything that is known of it as a `Reading`.

`read` is the only way from a text to a `Reading`, and the `Reading` is the only source of what a text means: its
verdict, the tools that it calls with their arguments, the packages it imports, its literals. Other code uses the
`Reading` of a program and never its text.

A program of a REPL session is interpreted together with all programs that ran there before it. Alone it would show too
little: it may call functions that it does not define, and background tasks or replaced functions of earlier programs
may act while it runs. Each earlier program may have stopped at any line, so a value that it binds is only one of the
possible values of a name.
"""

from __future__ import annotations

import ast
import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from workbench.analysis.call_effects import CALL, explain_calls, restrict_constants
from workbench.analysis.canonical_text import CanonicalText, canonicalize
from workbench.analysis.data_flow.leak_findings import find_leaks
from workbench.analysis.host_rule_findings import apply_host_rules
from workbench.analysis.interpreter.expressions import EXPRESSIONS, NAMING
from workbench.analysis.interpreter.interpreter import Interpreter, SyntaxTable, WorkLimitExceeded
from workbench.analysis.interpreter.program_report import ProgramReport
from workbench.analysis.interpreter.statements import STATEMENTS
from workbench.analysis.interpreter.tool_lookup import tool_lookup
from workbench.analysis.interpreter.values import Arguments, texts_in
from workbench.analysis.lookalike_names import note_lookalikes
from workbench.analysis.parsed_program import ParsedProgram, walk, words_of
from workbench.analysis.predicted_arguments import known_arguments
from workbench.analysis.typescript_verdict import assess_script
from workbench.analysis.verdict import add_conclusions, note_hidden_code, note_text_findings, verdict_of
from workbench.gc_pause import pause_gc
from workbench.permissions.call_rules import KnownArguments
from workbench.records import Effect, EffectKind, Finding, Flow, Gate, HostRule, Risk, Span, Tool, Verdict
from workbench.records.common_types import worst

DEEPEST: Final = 3  # maximum nesting of texts given to exec
SYNTAX: Final = SyntaxTable(STATEMENTS, EXPRESSIONS, NAMING)
PYTHON: Final = "python"
_WHERE: Final = " (in an earlier program of this session)"
_DEFERRED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
_ABOUT_ARGUMENTS: Final = ("tool.path", "tool.address", "tool.sql")
_UNREAD: Final = "The earlier programs of this REPL session are together too long to be analyzed."


@dataclass(frozen=True)
class PredictedCall:
    """A place in a program where a tool is called, or passed on to be called elsewhere."""

    tool: Tool
    span: Span
    arguments: Arguments
    passes: tuple[Arguments, ...] = ()  # the arguments in each pass of a loop and each call of a function
    followed_passes: tuple[Arguments, ...] = ()  # the same, with values that the program may change unseen

    @property
    def known_arguments(self) -> tuple[KnownArguments, ...]:
        """Every combination of arguments that the call may have, as far as the text determines them."""
        return known_arguments(self.tool, self.passes or (self.arguments,))

    @property
    def stated_arguments(self) -> tuple[KnownArguments, ...]:
        """The arguments that the sentence names, including those of which it says that there may be others."""
        return known_arguments(self.tool, self.followed_passes or self.passes or (self.arguments,))

    @property
    def texts(self) -> frozenset[str]:
        """All known texts in the arguments, including those that the program assembles."""
        return texts_in(self.arguments.every)


@dataclass(frozen=True)
class ComparedText:
    """A text with PII tokens that a program compares or looks up."""

    text: str
    span: Span
    restores: bool  # whether the sandbox compares the value of a token in the program's text there


@dataclass(frozen=True)
class Reading:
    """The analysis of one text. Immutable; derived data is computed on first use."""

    program: ParsedProgram
    verdict: Verdict  # covers the program, earlier programs of its REPL session, and the skills that it uses
    calls: tuple[PredictedCall, ...] = ()  # calls of the program itself
    compared: tuple[ComparedText, ...] = ()  # in the program itself
    servers: frozenset[str] = frozenset()  # names of servers, as spelled in the program
    imported: frozenset[str] = frozenset()  # top-level packages that the interpreter found imported, in any way
    earlier: tuple[ast.stmt, ...] = ()  # earlier programs of the REPL session
    earlier_calls: tuple[PredictedCall, ...] = ()  # calls in them, which may happen again
    complete: bool = True  # whether the earlier programs could be analyzed
    language: str = PYTHON
    skills: Mapping[str, Reading] = field(default_factory=dict)  # name of a skill that it uses → its Reading

    @cached_property
    def modules(self) -> frozenset[str]:
        """Top-level packages that the program imports, including those that the interpreter did not reach."""
        return self.imported | self.program.imports

    @property
    def tree(self) -> ast.Module | None:
        return self.program.tree

    def with_verdict(self, verdict: Verdict) -> Reading:
        """Return the same reading with a different verdict, changed by bounds, session data or settings."""
        return dataclasses.replace(self, verdict=verdict)

    @cached_property
    def earlier_nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the earlier programs."""
        return tuple(walk(*self.earlier))

    @cached_property
    def mentioned_words(self) -> frozenset[str]:
        """Names in the program and in the earlier programs of its REPL session, and the words of their strings."""
        return self.program.mentioned_words | words_of(self.earlier_nodes)

    @cached_property
    def constants(self) -> frozenset[str]:
        """Strings and numbers in the program and in the earlier programs of its REPL session, as strings."""
        return frozenset(
            str(node.value)
            for node in (*self.program.nodes, *self.earlier_nodes)
            if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float)
        )

    @cached_property
    def literals(self) -> tuple[tuple[str, ast.Constant], ...]:
        """Every string literal of the program, with its node."""
        constants = (node for node in self.program.nodes if isinstance(node, ast.Constant))
        return tuple((node.value, node) for node in constants if isinstance(node.value, str))

    def enclosing_calls(self, node: ast.AST) -> frozenset[tuple[str, str]]:
        """Return (server, tool) of the calls that contain a node."""
        return frozenset(self._enclosing_calls.get(node, ()))

    def texts(self) -> Iterator[tuple[str, Span]]:
        """Yield the string literals of the program, then the texts that it assembles for a tool, with their spans."""
        for text, node in self.literals:
            yield text, self.program.span(node)
        known = {text for text, _ in self.literals}
        for call in self.calls:
            for text in sorted(call.texts - known):
                yield text, call.span

    @cached_property
    def _enclosing_calls(self) -> Mapping[ast.AST, set[tuple[str, str]]]:
        """Node → tools of the calls that contain it. Only calls whose first line uses or passes on a tool count."""
        by_line: dict[int, set[tuple[str, str]]] = {}
        for one in self.calls:
            by_line.setdefault(one.span.line, set()).add((one.tool.server, one.tool.name))
        found: dict[ast.AST, set[tuple[str, str]]] = {}
        for call in self.program.nodes if by_line else ():
            if isinstance(call, ast.Call) and (tools := by_line.get(call.lineno)):
                for node in walk(call):
                    found.setdefault(node, set()).update(tools)
        return found


def read_program(
    code: str | CanonicalText,
    tools: Sequence[Tool] | None,
    reach: Sequence[HostRule] | None = None,
    *,
    earlier: Sequence[str] = (),
    language: str = PYTHON,
    is_skill: bool = False,
) -> Reading:
    """Analyze a text.

    Without a list of tools, tools are judged by their names alone. `reach`: the host rules; None: the network is closed
    and the user cannot open it. `earlier`: canonical texts that ran before in the same REPL session, oldest first.
    `is_skill`: other programs call its functions and may change its names."""
    text = code if isinstance(code, CanonicalText) else canonicalize(code)
    if language != PYTHON:
        return Reading(ParsedProgram(text.text, python=False), assess_script(text, tools or ()), language=language)
    with pause_gc():
        alone = _read(text, tools, reach, is_skill=is_skill)
        return _read_session(earlier, alone, tools, reach) if earlier else alone


def assess(code: str, tools: Sequence[Tool] | None, reach: Sequence[HostRule] | None = None) -> Verdict:
    """Return the verdict of a program, without its skills."""
    return read_program(code, tools, reach).verdict


def _read(
    text: CanonicalText,
    tools: Sequence[Tool] | None,
    reach: Sequence[HostRule] | None,
    ends: Sequence[int] = (),
    *,
    is_skill: bool = False,
) -> Reading:
    """Analyze one text. `ends`: the last lines of the earlier programs that the text begins with."""
    report = ProgramReport()
    for fault in text.faults:
        report.add(fault.rule, fault.risk, fault.message, fault.span, subject=fault.subject, blocks=True)
    if text.faults:
        return Reading(ParsedProgram(text.text, python=False), verdict_of(text, report, tools))
    program = ParsedProgram(text.text)
    if (tree := program.tree) is None:
        _cannot_parse(program, report)
        return Reading(program, verdict_of(text, report, tools))
    before = _make_optional(tree, ends) if ends else []
    interpreter = Interpreter(program, tool_lookup(tools), SYNTAX)
    _run(interpreter)
    find_leaks(interpreter, tree)
    followed = {place: tuple(passes) for place, passes in interpreter.every_arguments.items()}
    restrict_constants(interpreter, is_skill=is_skill)
    explain_calls(interpreter, tree)
    note_text_findings(interpreter.report, text.text)
    note_hidden_code(interpreter.report, program)
    note_lookalikes(interpreter.report, text.text, tree)
    _read_inner(interpreter.report, interpreter, 1)
    if reach is not None:
        apply_host_rules(interpreter.report, reach)
    _forget_finished_calls(interpreter.report, program, before)
    add_conclusions(interpreter.report)
    calls = [
        PredictedCall(
            tool,
            interpreter.span(node),
            arguments,
            tuple(interpreter.every_arguments.get((node, tool.server, tool.name), ())),
            followed.get((node, tool.server, tool.name), ()),
        )
        for node, found in interpreter.tool_calls.items()
        for tool, arguments in found.values()
    ]
    verdict = verdict_of(text, interpreter.report, tools)
    servers, imported = frozenset(interpreter.report.servers), frozenset(interpreter.modules)
    compared = tuple(ComparedText(text, span, restores) for (text, span), restores in interpreter.compared.items())
    return Reading(program, verdict, tuple(calls), compared, servers, imported, tuple(before))


def _cannot_parse(program: ParsedProgram, report: ProgramReport) -> None:
    if (fault := program.fault) is not None:
        blocks = fault.rule == "syntax"
        effect = None if blocks else EffectKind.MAY
        report.add(fault.rule, fault.risk, fault.message, fault.span, blocks=blocks, effect=effect)


def _run(interpreter: Interpreter) -> None:
    try:
        interpreter.read()
    except WorkLimitExceeded:
        _note_incomplete(interpreter.report, "The program is too large to be analyzed completely")
    except RecursionError:
        _note_incomplete(interpreter.report, "The program is too deeply nested to be analyzed completely")


def _note_incomplete(report: ProgramReport, words: str) -> None:
    report.not_assessed[f"{words}."] = None
    report.add("cap", Risk.HIGH, words, Span(1, 0, 1, 0), effect=EffectKind.MAY)


def _read_inner(report: ProgramReport, outer: Interpreter, depth: int) -> None:
    """Analyze constant texts given to exec as programs. Their findings are reported at the place of the call."""
    for inner in outer.inner.values():
        if time.thread_time() > outer.deadline:
            _note_incomplete(report, "The program runs too many texts as code to be analyzed completely")
            break
        program = outer.program(inner.text)
        if program.tree is None:
            continue
        interpreter = Interpreter(program, outer.tool_lookup, SYNTAX, inner.span, outer.deadline)
        _run(interpreter)
        restrict_constants(interpreter)
        explain_calls(interpreter, program.tree)
        if depth < DEEPEST:
            _read_inner(interpreter.report, interpreter, depth + 1)
        report.merge(interpreter.report)
        outer.modules |= interpreter.modules
        outer.compared |= dict.fromkeys(interpreter.compared, False)
        for (_, server, name), every in interpreter.every_arguments.items():
            outer.every_arguments.setdefault((inner.node, server, name), []).extend(every)
        outer.tool_calls.setdefault(inner.node, {}).update(
            (key, found) for calls in interpreter.tool_calls.values() for key, found in calls.items()
        )


# ── Programs of one REPL session ────────────────────────────────────────────────────────────────────────
def _read_session(
    earlier: Sequence[str], alone: Reading, tools: Sequence[Tool] | None, reach: Sequence[HostRule] | None
) -> Reading:
    """Return the reading of a program that runs after others in a REPL session."""
    if alone.verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        return alone
    ends = _ends(earlier)
    together = _read(canonicalize("\n".join((*earlier, alone.program.text))), tools, reach, ends)
    if together.verdict.gate is Gate.BLOCKED:
        return dataclasses.replace(alone, verdict=_session_unread(alone.verdict), complete=False)
    offset = ends[-1]
    verdict = _combined_verdict(alone.verdict, together.verdict, offset, len(earlier))
    calls = tuple(
        dataclasses.replace(one, span=_shift_span(one.span, offset)) for one in together.calls if one.span.line > offset
    )
    compared = tuple(
        dataclasses.replace(one, span=_shift_span(one.span, offset))
        for one in together.compared
        if one.span.line > offset
    )
    return dataclasses.replace(
        together,
        program=alone.program,
        verdict=verdict,
        calls=calls,
        compared=compared,
        earlier_calls=tuple(one for one in together.calls if one.span.line <= offset),
        complete=together.tree is not None,
    )


def _ends(earlier: Sequence[str]) -> list[int]:
    """Return the last line of each earlier program in the joined text."""
    ends, line = [], 0
    for text in earlier:
        line += text.count("\n") + 1
        ends.append(line)
    return ends


def _make_optional(tree: ast.Module, ends: Sequence[int]) -> list[ast.stmt]:
    """Wrap each earlier program in its own `try`, because it may have ended before any of its lines."""
    body: list[ast.stmt] = []
    left = tree.body
    for end in ends:
        mine, left = [part for part in left if part.lineno <= end], [part for part in left if part.lineno > end]
        if mine:
            caught = ast.ExceptHandler(None, None, [ast.copy_location(ast.Pass(), mine[0])])
            wrapped = ast.copy_location(ast.Try(mine, [ast.copy_location(caught, mine[0])], [], []), mine[0])
            wrapped.end_lineno = mine[-1].end_lineno
            body.append(wrapped)
    tree.body = [*body, *left]
    return body


def _forget_finished_calls(report: ProgramReport, program: ParsedProgram, before: Sequence[ast.stmt]) -> None:
    """Remove the findings about calls of tools that earlier programs of a REPL session awaited outside functions: they
    were judged then, are over, and cannot happen again. What they read still counts."""
    finished = {program.span(call) for call in _awaited_calls(before)}
    over = [
        key
        for key, note in report.notes.items()
        if note.finding.span in finished
        and (note.finding.rule in (CALL, *_ABOUT_ARGUMENTS) or note.finding.rule.startswith("flow."))
    ]
    for key in over:
        del report.notes[key]


def _awaited_calls(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Yield the calls that are awaited when these statements run, not later in a function or a generator."""
    left = list(nodes)
    while left:
        node = left.pop()
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
            yield node.value
        if not isinstance(node, _DEFERRED):
            left += ast.iter_child_nodes(node)


def _session_unread(alone: Verdict) -> Verdict:
    finding = Finding(
        "state.unread", Risk.HIGH, "Continues a REPL session that is too long to be analyzed", Span(1, 0, 1, 0)
    )
    return replace(
        alone,
        risk=worst((alone.risk, Risk.HIGH)),
        gate=Gate.ASK,
        findings=(*alone.findings, finding),
        not_assessed=(*alone.not_assessed, _UNREAD),
    )


def _combined_verdict(alone: Verdict, together: Verdict, offset: int, number: int) -> Verdict:
    """Return the verdict on all programs, with findings at the lines of the program to run."""
    many = "the program" if number == 1 else f"the {number} programs"
    return replace(
        together,
        sha=alone.sha,
        sentence=f"Together with {many} before it in this session: {together.sentence}",
        headline=tuple(replace(one, line=max(0, one.line - offset)) for one in together.headline),
        findings=tuple(_shift_finding(one, offset) for one in together.findings),
        effects=tuple(_shift_effect(one, offset) for one in together.effects),
        tools=tuple(replace(one, line=max(1, one.line - offset)) for one in together.tools),
        flows=tuple(_shift_flow(one, offset) for one in together.flows if one.sink_line > offset),
        skills={name: max(1, line - offset) for name, line in together.skills.items()},
    )


def _shift_finding(one: Finding, offset: int) -> Finding:
    span = one.span
    if span.line <= offset:
        return replace(one, message=one.message + _WHERE, span=Span(1, 0, 1, 0))
    return replace(one, span=_shift_span(span, offset))


def _shift_span(span: Span, offset: int) -> Span:
    return replace(span, line=span.line - offset, end_line=max(0, span.end_line - offset))


def _shift_flow(one: Flow, offset: int) -> Flow:
    """Shift the lines of a flow. Line 0: an earlier program has read the source."""
    return replace(one, line=max(0, one.line - offset), sink_line=one.sink_line - offset)


def _shift_effect(one: Effect, offset: int) -> Effect:
    if one.line > offset:
        return replace(one, line=one.line - offset)
    kind = EffectKind.MAY if one.kind is EffectKind.WILL else one.kind  # it already happened and may happen again
    return replace(one, kind=kind, text=one.text + _WHERE, line=1)
