"""What the tokens of a program give to which tool, said once and in one language: "2 e-mails of crm go to mail.send".

Before a run, as far as its text shows it, which is what a person then agrees to; at a call, for what only then is
known. What the guard finds of values that a program holds itself is put into the same words.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from workbench.errors import WorkbenchError
from workbench.permissions.rules import Rules
from workbench.policy.origins import Objection
from workbench.privacy.marks import LOOKALIKE, bare
from workbench.privacy.restorations import Restoration
from workbench.privacy.restoring import NEVER_ALWAYS, Weighed
from workbench.privacy.vault import Vault
from workbench.records import Gate, Risk, Tool, ToolUse, Verdict, Word
from workbench.runs.sessions import Session
from workbench.syntax import parse

Told = frozenset[tuple[str, str, str]]  # server, tool, token as `bare` spells it
PREFIX: Final = "restore"  # of the rules of such objections; the kind of data follows
_LOOKED_AT: Final = 20_000  # characters of one value that are put into words


def announced(code: str, uses: Sequence[ToolUse]) -> Told:
    """Which tokens a text hands to which tools: those inside of a tool's call to that tool, all others to any tool."""
    if not LOOKALIKE.search(code):
        return frozenset()
    by_line: dict[int, set[tuple[str, str]]] = defaultdict(set)
    for use in uses:
        by_line[use.line].add((use.server, use.tool))
    every = {place for places in by_line.values() for place in places}
    try:
        tree = parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):  # such as TypeScript
        return frozenset((*place, token) for token in _tokens(code) for place in every)
    return frozenset(_pairs(tree, by_line, every))


def announce(verdict: Verdict, code: str, session: Session, rules: Rules, find: Callable[[str, str], Tool]) -> Verdict:
    """The verdict with one line for whatever of it a person should agree to before it runs."""
    if verdict.gate is Gate.BLOCKED or not (pairs := announced(code, verdict.tools)):
        return verdict
    tokens: dict[tuple[str, str], list[str]] = defaultdict(list)
    for server, tool, token in sorted(pairs):
        tokens[server, tool].append(f"[{token}]")
    lines = [line for place, found in tokens.items() for line in _lines(place, found, session, rules, find)]
    return replace(verdict, asks=tuple(dict.fromkeys((*lines, *verdict.asks)))) if lines else verdict


def unforetold(given: Sequence[Weighed], tool: Tool, told: Told) -> tuple[Weighed, ...]:
    """What a person is to be asked about now. `told`: what they agreed to with the program."""
    return tuple(
        one
        for one in given
        if one.word is Word.ASK and not all((tool.server, tool.name, token) in told for token in one.what.tokens)
    )


def giving_objections(given: Iterable[Weighed]) -> list[Objection]:
    """One line for each kind of data and each server it came from; an answer to it is about exactly these values."""
    return [
        Objection(
            f"{PREFIX} {one.what.kind}",
            Risk.HIGH if one.what.kind in NEVER_ALWAYS else Risk.MEDIUM,
            str(one.what),
            value=" ".join(sorted(one.what.tokens)),
        )
        for one in given
    ]


def spoken_once(
    objections: Sequence[Objection], plain: Sequence[Objection], vault: Vault, tool: Tool
) -> list[Objection]:
    """Private values that came as tokens have their own line; of those that the program holds itself it is said in the
    same words what they are. `plain`: what speaks against the call while its tokens are still tokens."""
    held = {one.path for one in plain if one.rule == "private"}
    kept = (one for one in objections if one.rule != "private" or one.path in held)
    return [_in_kinds(one, vault, tool) if one.rule == "private" else one for one in kept]


def _in_kinds(one: Objection, vault: Vault, tool: Tool) -> Objection:
    if not 0 < len(one.value) <= _LOOKED_AT:
        return one
    found = vault.restorations(vault.sanitize(one.value), tool.server)
    lines = [str(replace(what, tool=tool.name)) for what in found if what.foreign]
    return replace(one, words=f"{'; '.join(lines)}, in its {one.path or 'arguments'}") if lines else one


def _lines(
    place: tuple[str, str], tokens: Sequence[str], session: Session, rules: Rules, find: Callable[[str, str], Tool]
) -> Iterator[str]:
    found = _restorations(session.vault, tokens, place[0])
    try:
        tool = find(*place)
    except WorkbenchError:
        return
    for one in rules.judge_restoring(tool, found, session.id):
        if one.word is not Word.ALLOW:
            yield f"{one.what}."


def _restorations(vault: Vault, tokens: Sequence[str], server: str) -> tuple[Restoration, ...]:
    known = [token for token in tokens if vault.restore(token) != token]  # of others the call itself says what is wrong
    return vault.restorations(known, server)


def _pairs(
    tree: ast.AST, by_line: dict[int, set[tuple[str, str]]], every: set[tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    placed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (places := by_line.get(node.lineno)):
            for text in _texts(node):
                placed.add(id(text))
                yield from ((*place, token) for token in _tokens(str(text.value)) for place in places)
    for text in _texts(tree):
        if id(text) not in placed:
            yield from ((*place, token) for token in _tokens(str(text.value)) for place in every)


def _texts(node: ast.AST) -> Iterator[ast.Constant]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _tokens(text: str) -> set[str]:
    return {bare(match.group()) for match in LOOKALIKE.finditer(text)}
