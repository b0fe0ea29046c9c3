"""Restores real values in place of the PII tokens of a call, as far as the user's rules release them to its server.

Values that a program itself holds and passes on are judged by their sources (`run_guard.py`). Only if a rule denies a
tool some kind of data, or asks about it, these values are counted too: a rule is about the data, not its spelling.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from workbench import offload
from workbench.analysis.reading import Reading
from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.permissions.call_rules import ToolRules
from workbench.permissions.provenance_rules import CallReason
from workbench.permissions.release_rules import ReleaseDecision
from workbench.permissions.rules import Rules
from workbench.privacy.pii_tokens import LOOKALIKE, normalize_token
from workbench.privacy.vault import Restoration, Vault
from workbench.records import CallDecision, Gate, JsonObject, Tool, ToolCall


async def restore_tokens(
    call: ToolCall, tool: Tool, session: Session, rules: ToolRules
) -> tuple[tuple[ReleaseDecision, ...], JsonObject]:
    """Judge the release and restore the arguments; fast for a call without tokens, which is the usual case."""
    if not call.arguments:
        return (), call.arguments
    if _size(call) <= offload.TOKEN_SEARCH.limit and not (
        session.vault.has_tokens(call.arguments) or rules.limits_release
    ):
        return (), call.arguments
    return await judge_release(call, tool, session, rules), await restore_arguments(call, tool, session)


async def restore_arguments(call: ToolCall, tool: Tool, session: Session) -> JsonObject:
    """Return the arguments with values in place of tokens; raises for damaged or unknown tokens."""
    vault = session.vault
    found: JsonObject = await offload.TOKEN_SEARCH.run(
        _size(call), vault.restore_json, call.arguments, tool.server, allow_foreign=True
    )
    return found


async def judge_release(call: ToolCall, tool: Tool, session: Session, rules: ToolRules) -> tuple[ReleaseDecision, ...]:
    """Return what the call would release to its tool, and what the user's rules say about each part."""
    return await offload.TOKEN_SEARCH.run(_size(call), _judge_release, call, tool, session, rules)


def release_details(given: Iterable[ReleaseDecision]) -> list[dict[str, object]]:
    """Return kinds, counts and servers for the audit, never values."""
    places = ((one.restoration, f"{one.restoration.server}.{one.restoration.tool}") for one in given)
    return [{"kind": what.kind, "count": what.count, "of": what.source, "to": place} for what, place in places]


def count_release(given: Iterable[ReleaseDecision], session: Session) -> None:
    """Count what was released to which tool, for reports about a session's data."""
    for one in given:
        session.released_values[
            one.restoration.kind, one.restoration.source, one.restoration.server, one.restoration.tool
        ] += one.restoration.count


def _judge_release(call: ToolCall, tool: Tool, session: Session, rules: ToolRules) -> tuple[ReleaseDecision, ...]:
    vault, server = session.vault, tool.server
    found = vault.restorations(call.arguments, server)
    words = rules.judge_release(found, session.id, call.run_id)
    if rules.limits_release:
        known = {(one.kind, one.source) for one in found}
        every = vault.restorations(vault.sanitize_json(call.arguments), server)
        plain = [one for one in every if (one.kind, one.source) not in known]
        judged = rules.judge_release(plain, session.id, call.run_id)
        words += tuple(one for one in judged if one.rule is not None and one.decision is not CallDecision.ALLOW)
    return words


def _size(call: ToolCall) -> int:
    return offload.value_size(call.arguments, offload.TOKEN_SEARCH.limit)


AnnouncedTokens = frozenset[tuple[str, str, str]]  # server, tool, token as spelled by `bare`
_LOOKED_AT: Final = 20_000  # characters of one value that are described


def find_announced_tokens(reading: Reading) -> AnnouncedTokens:
    """Find which tokens a program passes to which tools: tokens in the arguments of a call to its tool, all other
    tokens to any tool."""
    every = {(use.server, use.tool) for use in reading.verdict.tools}
    told = {
        (call.tool.server, call.tool.name, token)
        for call in reading.calls
        for text in call.texts
        for token in _tokens(text)
    }
    if reading.tree is None:  # no syntax tree, such as for TypeScript
        return frozenset(told | {(*place, token) for token in _tokens(reading.program.text) for place in every})
    for text, node in reading.literals:
        if tokens := _tokens(text):
            told |= {(*place, token) for token in tokens for place in reading.enclosing_calls(node) or every}
    return frozenset(told)


def announce_tokens(reading: Reading, session: Session, rules: Rules, find: Callable[[str, str], Tool]) -> Reading:
    """Return the reading with a line in its verdict for each release that the user should approve before the program
    runs."""
    verdict = reading.verdict
    if verdict.gate is Gate.BLOCKED or not (pairs := find_announced_tokens(reading)):
        return reading
    tokens: dict[tuple[str, str], list[str]] = defaultdict(list)
    for server, tool, token in sorted(pairs):
        tokens[server, tool].append(f"[{token}]")
    lines = [line for place, found in tokens.items() for line in _lines(place, found, session, rules, find)]
    return (
        reading.with_verdict(replace(verdict, asks=tuple(dict.fromkeys((*lines, *verdict.asks))))) if lines else reading
    )


def describe_personal_data(reason: CallReason, vault: Vault, tool: Tool) -> CallReason:
    """Rephrase a reason about private data as a request to release PII tokens."""
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
    for one in rules.rules_for(tool).judge_release(found, session.id):
        if one.decision is not CallDecision.ALLOW:
            yield f"{one.restoration}."


def _restorations(vault: Vault, tokens: Sequence[str], server: str) -> tuple[Restoration, ...]:
    # unknown tokens are reported when the call is made
    known = [token for token in tokens if vault.restore(token) != token]
    return vault.restorations(known, server)


def _tokens(text: str) -> set[str]:
    return {normalize_token(match.group()) for match in LOOKALIKE.finditer(text)}
