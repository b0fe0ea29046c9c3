"""Audit entries of calls, and the masking of known personal data in every audit entry.

Masking is done in one place, so that no writer of an entry can forget it. Only values that the entry's session knows
are replaced and nothing is guessed, so hashes, ids and words of ours stay.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from msgspec.structs import replace

from workbench.broker.agent_sessions import Session, Sessions
from workbench.broker.token_release import release_details
from workbench.permissions.release_rules import ReleaseDecision
from workbench.privacy.pii_tokens import cut_before
from workbench.records import (
    JsonObject,
    JsonValue,
    Note,
    Outcome,
    Risk,
    Tool,
    ToolCall,
)

_LEFT = frozenset(
    {
        "code",  # up to 400,000 characters, which who notes them has masked; twice would take 90 ms
        "address",  # where a connection really went, as the network found it: what an audit is for
    }
)
LONGEST_KEY = 400  # characters of a key that the audit keeps
KEPT_LEAVES = 500  # values of a call's arguments that are looked at for the audit
KEPT_ARGUMENTS = 4_000  # characters of a call's arguments that the audit keeps
KEPT_FAULT = 2_400  # characters of what went wrong that the audit keeps
LATER = "(in the entry of its answer)"  # instead of arguments that cannot be masked yet
_AT_ONCE = 64  # calls whose arguments are remembered: as many as one program makes at a time
_MOST_CLEAN = 4_096  # texts that are remembered to hold nothing
_SHORT = 120  # characters of such a text
log = logging.getLogger(__name__)


class AuditMasking:
    """Masks the entries of one audit. `is_tool`: whether a server has this tool; names that programs make up are
    masked as text."""

    def __init__(self, sessions: Sessions, is_tool: Callable[[str, str], bool]) -> None:
        self._sessions = sessions
        self._is_tool = is_tool
        self._clean: tuple[object, set[str]] = (None, set())  # what is known, and short texts that hold none of it

    def mask(self, note: Note) -> Note:
        """The note as it may be written."""
        session = self._sessions.get(note.session)
        if session is None or not session.hides or self._is_clean(note, session):
            return note
        made_up = bool(note.tool) and not self._is_tool(note.server, note.tool)
        return replace(
            note,
            summary=session.mask_known(note.summary),
            server=session.mask_known(note.server) if made_up else note.server,
            tool=session.mask_known(note.tool) if made_up else note.tool,
            detail={key: value if key in _LEFT else _masked(value, session) for key, value in note.detail.items()},
        )

    def _is_clean(self, note: Note, session: Session) -> bool:
        """Whether no text of the note holds a known value. Many notes repeat the same short texts."""
        known = (session.id, session.hidden_by)
        if self._clean[0] != known or len(self._clean[1]) > _MOST_CLEAN:
            self._clean = known, set()
        clean = self._clean[1]
        waiting = [note.summary, note.server, note.tool]
        waiting += [value for key, value in note.detail.items() if key not in _LEFT]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                if value in clean:
                    continue
                if session.mask_known(value) != value:
                    return False
                if len(value) <= _SHORT:
                    clean.add(value)
            elif isinstance(value, dict):
                waiting += map(str, value)
                waiting += value.values()
            elif isinstance(value, list | tuple):
                waiting += value
            elif isinstance(value, Collection):
                return False
        return True


def _masked(value: object, session: Session) -> JsonValue:
    if isinstance(value, str):
        return session.mask_known(value)
    if isinstance(value, dict):
        return {session.mask_known(str(key)): _masked(part, session) for key, part in value.items()}
    if isinstance(value, Collection) and not isinstance(value, bytes):
        return [_masked(part, session) for part in value]
    return value


_json_text = json.JSONEncoder(ensure_ascii=False, default=str).encode


def shown_arguments(session: Session, arguments: JsonObject) -> str:
    """Arguments as JSON text with tokens in place of personal data, short enough for a list. Only what can be shown
    is looked at: a program may pass megabytes, ten thousand times."""
    if not arguments:
        return "{}"
    remembered = session.shown.get(id(arguments))
    if remembered is not None and remembered[0] is arguments and remembered[1] == session.hidden_by:
        return remembered[2]
    left = [KEPT_LEAVES]
    text = _cut(_json_text(session.mask_json(_beginning(dict(arguments), session, left))))
    if left[0] > 0 and "…" not in text:  # else they may be megabytes, which must not be held
        if len(session.shown) >= _AT_ONCE:
            session.shown.clear()
        session.shown[id(arguments)] = (arguments, session.hidden_by, text)
    return text


def _cut(text: str) -> str:
    return text if len(text) <= KEPT_ARGUMENTS else text[: cut_before(text, KEPT_ARGUMENTS)] + " …"


def _beginning(value: JsonValue, session: Session, left: list[int]) -> JsonValue:
    """The value up to so many leaves, and of a long text its beginning."""
    left[0] -= 1
    if isinstance(value, str) and len(value) > KEPT_ARGUMENTS:
        return f"{session.mask_start(value, KEPT_ARGUMENTS)} … ({len(value):,} characters)"
    if isinstance(value, list):
        return [_beginning(item, session, left) for item in value[: max(0, left[0])] if left[0] > 0]
    if isinstance(value, dict):
        some = islice(value.items(), max(0, left[0]))
        return {
            session.mask_start(key, LONGEST_KEY): _beginning(item, session, left) for key, item in some if left[0] > 0
        }
    return value


def with_masked_names(call: ToolCall, session: Session) -> ToolCall:
    """A call of an unknown tool: its names are a program's own words, of any length, and may be personal."""
    server, tool = (session.mask_start(word, LONGEST_KEY) for word in (call.server, call.tool))
    return replace(call, server=server, tool=tool)


def ended_call_note(
    call: ToolCall, tool: Tool, session: Session, risk: Risk, outcome: Outcome, given: Sequence[ReleaseDecision] = ()
) -> Note:
    """The entry that a call was answered. Never fails, because it may be written when no caller is left."""
    kind, word = ("call.done", "answered") if outcome.ok else ("call.failed", "failed")
    word = "was answered from the cache" if outcome.cached else word
    summary = f"{tool.server}.{tool.name} {word}"
    try:
        return call_note(kind, call, session, risk, summary, outcome, ok=outcome.ok, given=given)
    except Exception as fault:  # foreign data can break a reader in any way
        log.exception("what is known of a call of %s.%s cannot be written down", tool.server, tool.name)
        bare = replace(call, arguments={})
        return replace(
            call_note(kind, bare, session, risk, summary, None, ok=outcome.ok), detail={"unread": type(fault).__name__}
        )


def call_note(
    kind: str,
    call: ToolCall,
    session: Session,
    risk: Risk,
    summary: str,
    outcome: Outcome | None,
    *,
    ok: bool,
    given: Sequence[ReleaseDecision] = (),
) -> Note:
    detail: dict[str, object] = {"call": call.id, "arguments": shown_arguments(session, call.arguments)}
    if given:
        detail["restored"] = release_details(given)
    if outcome is not None:
        detail["bytes"] = outcome.bytes
        if outcome.cached:
            detail["cached"] = round(outcome.cached)
        if outcome.fault:
            detail["fault"] = session.mask_start(f"{outcome.fault.message} {outcome.fault.detail}", KEPT_FAULT)
    return Note(
        kind=kind,
        summary=summary,
        actor=session.author,
        session=session.id,
        run_id=call.run_id,
        server=call.server,
        tool=call.tool,
        risk=str(risk),
        ok=ok,
        ms=outcome.ms if outcome else 0.0,
        tokens=outcome.tokens if outcome else 0,
        detail=detail,
    )
