"""What the tokens of a program give to which tool, said once and in one language: "2 e-mails of crm go to mail.send".

Before a run, as far as its text shows it, which is what a person then agrees to; at a call, for what only then is
known. What the guard finds of values that a program holds itself is put into the same words.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from workbench.errors import WorkbenchError
from workbench.permissions.rules import Rules
from workbench.policy.origins import CallReason
from workbench.privacy.marks import LOOKALIKE, bare
from workbench.privacy.restorations import Restoration
from workbench.privacy.vault import Vault
from workbench.records import Gate, Tool, ToolUse, Verdict, Word
from workbench.runs.sessions import Session
from workbench.syntax import parse

AnnouncedTokens = frozenset[tuple[str, str, str]]  # server, tool, token as `bare` spells it
_LOOKED_AT: Final = 20_000  # characters of one value that are put into words


def announced(code: str, uses: Sequence[ToolUse]) -> AnnouncedTokens:
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


def described(reason: CallReason, vault: Vault, tool: Tool) -> CallReason:
    """A reason about private data in the words that PII tokens are asked about in."""
    if not 0 < len(reason.value) <= _LOOKED_AT:
        return reason
    found = vault.restorations(vault.sanitize(reason.value), tool.server)
    lines = [str(replace(what, tool=tool.name)) for what in found if what.foreign]
    return replace(reason, text=f"{'; '.join(lines)}, in its {reason.path or 'arguments'}") if lines else reason


def _lines(
    place: tuple[str, str], tokens: Sequence[str], session: Session, rules: Rules, find: Callable[[str, str], Tool]
) -> Iterator[str]:
    found = _restorations(session.vault, tokens, place[0])
    try:
        tool = find(*place)
    except WorkbenchError:
        return
    for one in rules.of(tool).judge_release(found, session.id):
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
