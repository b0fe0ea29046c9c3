"""What a program gets of an answer whose tool is sealed, and what it may ask about values that it never holds.

Also of a tool that is not: what was sealed before, and what this very call gave away as tokens, comes back as tokens.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.permissions.release_rules import ReleaseDecision
from workbench.privacy.pii_tokens import LOOKALIKE, normalize_token
from workbench.privacy.sealed_operations import operate
from workbench.privacy.sealed_values import TokenSubstitution
from workbench.privacy.vault import Vault
from workbench.records import Content, Fault, JsonObject, JsonValue, Outcome, Tool

log = logging.getLogger(__name__)

BIG_ANSWER: Final = 20_000  # bytes; past this a thread does it
MOST_GUESSES: Final = 200  # comparisons of sealed values with texts that a session may make: each tells a little
HINT: Final = (
    "Some values of {} are sealed: programs hold tokens such as [EMAIL_1.k7q2], which become values again in the"
    " arguments of tools. `from client import equal, domain_of, year_of, last4, initials, masked` asks about them."
)


async def for_program(
    outcome: Outcome, tool: Tool, session: Session, fields: Sequence[str], given: Sequence[ReleaseDecision] = ()
) -> Outcome:
    """The answer as it goes into the sandbox; one that cannot be sealed does not go there."""
    tokens = [token for one in given for token in one.what.tokens]
    if fields:
        session.seals.setdefault(f"{tool.server}.{tool.name}", False)
    if not fields and not tokens and not session.sealed:
        return outcome
    try:
        if outcome.bytes > BIG_ANSWER:
            return await asyncio.to_thread(_sealed, outcome, tool, session, fields, tokens)
        return _sealed(outcome, tool, session, fields, tokens)
    except Exception as fault:  # foreign data can break a reader in any way
        log.exception("an answer of %s.%s cannot be sealed", tool.server, tool.name)
        unread = Fault("The answer cannot be sealed, so it is not handed on.", "", type(fault).__name__)
        return Outcome(outcome.call_id, ok=False, fault=unread, ms=outcome.ms, bytes=outcome.bytes)


def hint(session: Session) -> str:
    """What an agent should know of sealed tools that it was not told of before."""
    fresh = [name for name, told in session.seals.items() if not told]
    session.seals.update(dict.fromkeys(fresh, True))
    return HINT.format(" and ".join(fresh)) if fresh else ""


def answer(session: Session, params: JsonObject) -> JsonValue:
    """One of a program's questions about values that it holds as tokens."""
    values = params.get("values")
    if not isinstance(values, list) or not all(isinstance(one, str | int | float) for one in values):
        raise WorkbenchError("Give tokens or texts.", 'Such as domain_of(customer["email"]).')
    read = [_read(session.vault, str(one)) for one in values]
    if any(not kind for kind, _ in read) and any(kind for kind, _ in read):
        session.guesses += 1
        if session.guesses > MOST_GUESSES:
            words = f"Sealed values were compared with texts {MOST_GUESSES} times in this session; that is the most."
            raise WorkbenchError(words, "Compare tokens with tokens.")
    return operate(str(params.get("operation", "")), read)


def _read(vault: Vault, text: str) -> tuple[str, str]:
    """Kind and text of a token; of any other text itself."""
    if LOOKALIKE.fullmatch(text.strip()):
        return normalize_token(text.strip()).rpartition("_")[0], vault.reveal(text)
    if "_" in text and LOOKALIKE.search(text):
        raise WorkbenchError("This is a token among other words.", "Give one token by itself.")
    return "", text


def _sealed(outcome: Outcome, tool: Tool, session: Session, fields: Sequence[str], tokens: Sequence[str]) -> Outcome:
    sealed, veil = session.sealed, TokenSubstitution(session.vault, tokens)

    def value_of(value: JsonValue) -> JsonValue:
        return sealed.veil(sealed.seal(value, fields, tool.server) if fields else value, veil)

    def text_of(text: str) -> str:
        return str(sealed.veil(sealed.seal_text(text) if fields else text, veil))

    read = _reader(value_of, text_of)
    structured = json.dumps(value_of(json.loads(outcome.structured)), ensure_ascii=False) if outcome.structured else ""
    content = tuple(_block(block, read, text_of, closed=bool(fields)) for block in outcome.content)
    fault = outcome.fault
    if fault is not None:
        fault = replace(fault, message=read(fault.message), hint=read(fault.hint), detail=read(fault.detail))
    return replace(outcome, structured=structured, content=content, fault=fault)


def _reader(value_of: Callable[[JsonValue], JsonValue], text_of: Callable[[str], str]) -> Callable[[str], str]:
    """A text that is JSON is sealed as what it says; what has no fields is looked through whole."""

    def read(text: str) -> str:
        if text.lstrip()[:1] not in ("{", "["):
            return text_of(text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text_of(text)
        return json.dumps(value_of(value), ensure_ascii=False)

    return read


def _block(block: Content, read: Callable[[str], str], text_of: Callable[[str], str], *, closed: bool) -> Content:
    """A part of an answer; bytes of a sealed tool stay outside: nothing can be put in place of what they show."""
    if closed and block.data:
        size = len(block.data) * 3 // 4
        return Content("text", f"[{block.mime or block.kind}, {size:,} bytes: kept outside, since its tool is sealed]")
    words = {name: text_of(getattr(block, name)) for name in ("uri", "name", "note") if getattr(block, name)}
    return replace(block, text=read(block.text), **words)
