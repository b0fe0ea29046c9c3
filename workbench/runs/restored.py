"""Puts real values in place of the tokens of a call, as far as its person lets them go where they would go.

Values that a program holds and passes on itself are the guard's matter (`guard.py`); only where a rule denies a tool
some kind of data, or asks about it, they are counted here too: a rule is about the data, not about how it is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeVar

from workbench.permissions.call_rules import ToolRules
from workbench.permissions.release_rules import Weighed
from workbench.records import JsonObject, Tool, ToolCall, Word
from workbench.runs.sessions import Session
from workbench.servers.call_results import weight

BIG_ARGUMENTS = 100_000  # characters; past this, looking for tokens would hold up the loop, so a thread does it
Found = TypeVar("Found")


async def give(
    call: ToolCall, tool: Tool, session: Session, rules: ToolRules
) -> tuple[tuple[Weighed, ...], JsonObject]:
    """Both of the following, for a call that mostly holds no token at all."""
    if not call.arguments:
        return (), call.arguments
    if weight(call.arguments) <= BIG_ARGUMENTS and not (
        session.vault.has_tokens(call.arguments) or rules.limits_release
    ):
        return (), call.arguments
    return await weighed(call, tool, session, rules), await restored(call, tool, session)


async def restored(call: ToolCall, tool: Tool, session: Session) -> JsonObject:
    """The arguments with what stands behind tokens; what is damaged or unknown is refused."""
    vault = session.vault
    found: JsonObject = await _apart(call, lambda: vault.restore_json(call.arguments, tool.server, allow_foreign=True))
    return found


async def weighed(call: ToolCall, tool: Tool, session: Session, rules: ToolRules) -> tuple[Weighed, ...]:
    """What the call would give to its tool, and the person's word about each."""
    return await _apart(call, lambda: _weighed(call, tool, session, rules))


def noted(given: Iterable[Weighed]) -> list[dict[str, object]]:
    """For the audit: kinds, counts and servers, never values."""
    places = ((one.what, f"{one.what.server}.{one.what.tool}") for one in given)
    return [{"kind": what.kind, "count": what.count, "of": what.source, "to": place} for what, place in places]


def count(given: Iterable[Weighed], session: Session) -> None:
    """Remember where what went, for whoever asks what became of a session's data."""
    for one in given:
        session.given[one.what.kind, one.what.source, one.what.server, one.what.tool] += one.what.count


def _weighed(call: ToolCall, tool: Tool, session: Session, rules: ToolRules) -> tuple[Weighed, ...]:
    vault, server = session.vault, tool.server
    found = vault.restorations(call.arguments, server)
    words = rules.judge_release(found, session.id, call.run_id)
    if rules.limits_release:
        known = {(one.kind, one.source) for one in found}
        every = vault.restorations(vault.sanitize_json(call.arguments), server)
        plain = [one for one in every if (one.kind, one.source) not in known]
        judged = rules.judge_release(plain, session.id, call.run_id)
        words += tuple(one for one in judged if one.rule is not None and one.word is not Word.ALLOW)
    return words


async def _apart(call: ToolCall, do: Callable[[], Found]) -> Found:
    if weight(call.arguments) > BIG_ARGUMENTS:
        return await asyncio.to_thread(do)
    return do()
