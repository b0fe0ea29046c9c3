"""What the tokens of a program give to which tool, said once and in one language: "2 e-mails of crm go to mail.send".

Before a run, as far as its text shows it, which is what a person then agrees to; at a call, for what only then is
known. What the guard finds of values that a program holds itself is put into the same words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from workbench.analysis.reading import Reading
from workbench.errors import WorkbenchError
from workbench.permissions.provenance_rules import CallReason
from workbench.permissions.rules import Rules
from workbench.privacy.pii_tokens import LOOKALIKE, normalize_token
from workbench.privacy.restorations import Restoration
from workbench.privacy.vault import Vault
from workbench.records import Gate, Tool, Word
from workbench.runs.sessions import Session

AnnouncedTokens = frozenset[tuple[str, str, str]]  # server, tool, token as `bare` spells it
_LOOKED_AT: Final = 20_000  # characters of one value that are put into words


def announced(reading: Reading) -> AnnouncedTokens:
    """Which tokens a program hands to which tools: what it gives a tool, and what is written inside of the call, to
    that tool; all others to any tool."""
    every = {(use.server, use.tool) for use in reading.verdict.tools}
    told = {
        (call.tool.server, call.tool.name, token)
        for call in reading.calls
        for text in call.texts
        for token in _tokens(text)
    }
    if reading.tree is None:  # such as TypeScript
        return frozenset(told | {(*place, token) for token in _tokens(reading.program.text) for place in every})
    for text, node in reading.literals:
        if tokens := _tokens(text):
            told |= {(*place, token) for token in tokens for place in reading.given_to(node) or every}
    return frozenset(told)


def announce(reading: Reading, session: Session, rules: Rules, find: Callable[[str, str], Tool]) -> Reading:
    """The reading with one line in its verdict for whatever of it a person should agree to before it runs."""
    verdict = reading.verdict
    if verdict.gate is Gate.BLOCKED or not (pairs := announced(reading)):
        return reading
    tokens: dict[tuple[str, str], list[str]] = defaultdict(list)
    for server, tool, token in sorted(pairs):
        tokens[server, tool].append(f"[{token}]")
    lines = [line for place, found in tokens.items() for line in _lines(place, found, session, rules, find)]
    return reading.judged(replace(verdict, asks=tuple(dict.fromkeys((*lines, *verdict.asks))))) if lines else reading


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


def _tokens(text: str) -> set[str]:
    return {normalize_token(match.group()) for match in LOOKALIKE.finditer(text)}
