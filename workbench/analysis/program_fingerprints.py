"""Fingerprints of a program for approvals: its exact text, its syntax tree, and its form without literals.

The first hash covers every character, the second only what Python reads (spacing and comments may change), the third
leaves literals out. Each hash also covers the context: the rules that judged the program, their findings, the
definitions of the tools and skills it uses, the profile, the language and Python's version. A change of any of these
changes the hash, and the approval no longer counts.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from workbench.analysis.parsed_program import UNREADABLE, ParsedProgram
from workbench.analysis.sql_statements import SqlClass, describe_sql
from workbench.analysis.tables.dangerous_texts import ADDRESS
from workbench.permissions import tool_verbs
from workbench.permissions.call_rules import PYTHON
from workbench.records import Finding, Gate, GroupColumn, Likeness, Proposal, Risk, Tool, ValueChange, Verdict
from workbench.records.common_types import at_least

NEAR = 0.75  # minimum share of equal lines for two programs to be compared
MOST_LINES = 400  # maximum length of a program for a line-by-line comparison, which is slow
MOST_CHANGES = 50
LONGEST_VALUE = 200  # maximum length of a changed value, in characters, that is shown
_SQL = re.compile(r"\s*(?:SELECT|WITH|INSERT|REPLACE|MERGE|UPDATE|DELETE|DROP|TRUNCATE|ALTER|CREATE)\s", re.IGNORECASE)
_KEPT = (bool, type(None), type(...))  # constants that are switches rather than values


class ProgramFingerprints(Struct, frozen=True):
    """The three hashes of one program. `tree` and `skeleton` are empty if its text does not parse."""

    text: str
    tree: str = ""
    skeleton: str = ""

    def likeness(self, other: ProgramFingerprints) -> Likeness | None:
        """Return how similar this program is to the other one."""
        if self.text == other.text:
            return Likeness.TEXT
        if self.tree and self.tree == other.tree:
            return Likeness.TREE
        return Likeness.VALUES if self.skeleton and self.skeleton == other.skeleton else None


def text_fingerprint(proposal: Proposal, verdict: Verdict) -> str:
    """Return the text hash of an assessed program. The text must be the one that the verdict names."""
    return _hash("text", proposal.sha, _surroundings(proposal, verdict))


def fingerprints(proposal: Proposal, verdict: Verdict, program: ParsedProgram) -> ProgramFingerprints:
    """Return all hashes of an assessed program. `program`: the same text, parsed."""
    around = _surroundings(proposal, verdict)
    text = _hash("text", proposal.sha, around)
    try:
        whole, bare = _dumps(program)
    except UNREADABLE:
        return ProgramFingerprints(text)
    return (
        ProgramFingerprints(text, _hash("tree", whole, around), _hash("skeleton", bare, around))
        if whole
        else ProgramFingerprints(text)
    )


def skeleton(program: ParsedProgram) -> str:
    """Return the hash of a program's form, without literals and context; "" if the text does not parse."""
    try:
        return _hash("form", bare) if (bare := _dumps(program)[1]) else ""
    except UNREADABLE:
        return ""


def _dumps(program: ParsedProgram) -> tuple[str, str]:
    """Return the tree as a text, with and without literals."""
    if program.tree is None:
        return "", ""
    return ast.dump(program.tree), ast.dump(_without_values(program.tree))


def once_only(proposal: Proposal, verdict: Verdict, tools: Sequence[Tool]) -> str:
    """Return why this program may be allowed for one run only; "" if an approval may last longer."""
    if proposal.language != "python":
        return "Programs in this language are not analyzed, so each one needs approval."
    if verdict.gate is Gate.BLOCKED:
        return "This program cannot run."
    if proposal.state:
        return "It uses variables of other programs in its REPL session, so its text alone does not say what it does."
    if verdict.risk is Risk.CRITICAL:
        return "A program of critical risk needs approval each time."
    if unseen := next((one for one in verdict.findings if one.rule == "import.unknown"), None):
        return f"It imports {unseen.subject}, whose code can change while this program stays the same."
    if verdict.not_assessed:
        return f"It could not be analyzed completely: {verdict.not_assessed[0]}"
    if verdict.hosts:
        return "It names hosts that are allowed for one run at a time."
    return _undescribed(verdict, tools)


def session_only(verdict: Verdict) -> str:
    """Return why an approval may not outlast the session; "" if it may."""
    return (
        "Exactly this program can be allowed for this session at most, because its risk is high."
        if at_least(verdict.risk, Risk.HIGH)
        else ""
    )


def changed_values(before: ParsedProgram, after: ParsedProgram) -> tuple[ValueChange, ...]:
    """Return the literals in which two programs of the same skeleton differ.

    If there are too many, destinations are kept first."""
    old, new = before.tree or ast.Module([], []), after.tree or ast.Module([], [])
    found = [
        ValueChange(
            here.line, *_differing_parts(there.value, here.value), _is_destination(there) or _is_destination(here)
        )
        for there, here in zip(_values(old), _values(new), strict=False)
        if (type(there.value), there.value) != (type(here.value), here.value)
    ]
    kept = sorted(range(len(found)), key=lambda place: not found[place].destination)[:MOST_CHANGES]
    return tuple(found[place] for place in sorted(kept))


def value_table(
    programs: Sequence[ParsedProgram], allowed: ParsedProgram | None
) -> tuple[tuple[GroupColumn, ...], list[tuple[str, ...]], list[tuple[bool, ...]]]:
    """Return the literals in which programs of the same skeleton differ, as columns; the values of each program; and
    which of them are destinations that differ from `allowed`, a program of the same skeleton that the user allowed.

    If there are too many columns, destinations are kept first."""
    trees = [program.tree or ast.Module([], []) for program in programs]
    tables = [list(_values(tree)) for tree in trees]
    last = list(_values(allowed.tree)) if allowed is not None and allowed.tree is not None else []
    rows = [*tables, last] if last else tables
    places = [place for place, column in enumerate(zip(*rows, strict=False)) if _differs(column)]
    goes = {place: any(_is_destination(table[place]) for table in tables) for place in places}
    places = sorted(sorted(places, key=lambda place: not goes[place])[:MOST_CHANGES])
    before = {place: last[place] for place in places} if last else {}
    shown = {place: _part(repr(one.value), 0) for place, one in before.items()}
    columns = tuple(
        GroupColumn(tables[0][place].line, tables[0][place].name, goes[place], shown.get(place, "")) for place in places
    )
    values = [tuple(_part(repr(table[place].value), 0) for place in places) for table in tables]
    new = [
        tuple(goes[place] and place in before and table[place].value != before[place].value for place in places)
        for table in tables
    ]
    return columns, values, new


def _differs(column: Sequence[_NamedConstant]) -> bool:
    return len({(type(one.value), one.value) for one in column}) > 1


def is_near(before: str, after: str) -> bool:
    """Return whether two programs are similar enough to be compared."""
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) > MOST_LINES:
        return False
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR and matcher.ratio() >= NEAR


class _NamedConstant(Struct, frozen=True):
    """A constant in a program, with the name it is assigned to."""

    value: object
    line: int
    name: str


def _without_values(node: Any) -> Any:  # Any: value of a node field
    """Return a copy in which every literal is replaced by the name of its type, and SQL also by what it does: a program
    that deletes rows is not the one that added some with other values."""
    if not isinstance(node, ast.AST) or not node._fields:
        return node
    if isinstance(node, ast.Constant) and not isinstance(node.value, _KEPT):
        return ast.Name(f"<{type(node.value).__name__}{_sql_class(node.value)}>", ast.Load())
    fields = dict(ast.iter_fields(node))
    for name, value in fields.items():
        if isinstance(value, list):
            fields[name] = list(map(_without_values, value))
        elif isinstance(value, ast.AST) and value._fields:
            fields[name] = _without_values(value)
    return type(node)(**fields)


def _sql_class(value: object) -> str:
    """Return the worst that SQL statements in a literal do; "" for other values."""
    if not isinstance(value, str) or _SQL.match(value) is None:
        return ""
    worst = max((one.kind for one in describe_sql(value)), default=SqlClass.UNKNOWN)
    return "" if worst is SqlClass.UNKNOWN else f" {worst.name}"


def _surroundings(proposal: Proposal, verdict: Verdict) -> str:
    profile = verdict.profile
    found = sorted({(one.rule, str(one.risk)) for one in verdict.findings})
    return json.dumps(
        [
            profile and [profile.name, profile.sha, profile.workspace, profile.tools, profile.network],
            sorted(verdict.required),
            proposal.language,
            proposal.state,
            PYTHON,
            verdict.rules,
            str(verdict.risk),
            found,
            sorted(verdict.definitions.items()),
        ]
    )


def _hash(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _undescribed(verdict: Verdict, tools: Sequence[Tool]) -> str:
    """Return a text about the first high-risk finding that is not a call of a tool with annotations.

    Such a program may be allowed for one run only. "" if there is no such finding."""
    described = {
        f"{tool.server}.{tool.name}"
        for tool in tools
        if tool.hints.destructive is not None or tool.hints.read_only is not None
    }
    for finding in verdict.findings:
        if at_least(finding.risk, Risk.HIGH) and not _is_described(finding, described):
            return f"It has a high risk that cannot be predicted: {finding.message}."
    return ""


def _is_described(finding: Finding, described: set[str]) -> bool:
    return finding.rule == "tool.call" and finding.subject in described


def _values(tree: ast.AST, name: str = "") -> Iterator[_NamedConstant]:
    """Yield all literals in tree order, each with its keyword, key or variable."""
    match tree:
        case ast.Constant():
            if not isinstance(tree.value, _KEPT):
                yield _NamedConstant(tree.value, tree.lineno, name)
        case ast.Dict():
            for key, value in zip(tree.keys, tree.values, strict=True):
                yield from _values(key) if key is not None else ()
                yield from _values(value, _text_key(key) or name)
        case _:
            for child in ast.iter_child_nodes(tree):
                yield from _values(child, _given_to(tree) or name)


def _given_to(tree: ast.AST) -> str:
    match tree:
        case ast.keyword(arg=str(word)):
            return word
        case ast.Assign(targets=[ast.Name(id=word)]) | ast.AnnAssign(target=ast.Name(id=word)):
            return str(word)
    return ""


def _text_key(key: ast.expr | None) -> str:
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _is_destination(written: _NamedConstant) -> bool:
    """Return whether a value is a destination, by its name or its form."""
    if written.name.lower() in tool_verbs.DESTINATIONS:
        return True
    return isinstance(written.value, str | bytes) and bool(ADDRESS.search(_text(written.value)))


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _differing_parts(there: object, here: object) -> tuple[str, str]:
    """Return both values; for long ones, the parts that differ."""
    old, new = repr(there), repr(here)
    if max(len(old), len(new)) <= LONGEST_VALUE:
        return old, new
    same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
    same = same or min(len(old), len(new))
    start = max(0, same - 40)
    return _part(old, start), _part(new, start)


def _part(words: str, start: int) -> str:
    end = start + LONGEST_VALUE
    return f"{'…' * (start > 0)}{words[start:end]}{'…' * (len(words) > end)}"
