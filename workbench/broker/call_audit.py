"""Audit entries of calls, and the masking of known personal data in every audit entry.

Masking is done in one place, so that no writer of an entry can forget it. Only values known to the entry's session are
replaced and nothing is detected, so hashes, ids and texts of the workbench are unchanged.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from msgspec.structs import replace

from workbench.broker.agent_sessions import Session, Sessions
from workbench.broker.token_release import release_details
from workbench.errors import WorkbenchError
from workbench.permissions.release_rules import ReleaseDecision
from workbench.privacy.detectors.json_fields import texts_and_numbers
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
        "code",  # up to 400,000 characters, masked by the writer of the entry; masking again would take 90 ms
        "address",  # the actual target of a connection, which the audit must contain
    }
)
LONGEST_KEY = 400  # characters of a key in the audit
KEPT_LEAVES = 500  # argument values of a call that are masked for the audit
KEPT_ARGUMENTS = 4_000  # characters of a call's arguments in the audit
KEPT_FAULT = 2_400  # characters of a fault in the audit
LATER = "(in the entry of its answer)"  # replaces arguments that cannot be masked yet
_AT_ONCE = 64  # calls whose masked arguments are cached: as many as one program makes concurrently
_MOST_CLEAN = 4_096  # cached texts without known values
_SHORT = 120  # characters of a cached text
log = logging.getLogger(__name__)


class AuditMasking:
    """Masks the entries of one audit. `is_tool`: whether a server has this tool; tool names that programs made up
    are masked as text."""

    def __init__(self, sessions: Sessions, is_tool: Callable[[str, str], bool]) -> None:
        self._sessions = sessions
        self._is_tool = is_tool
        self._clean: tuple[object, set[str]] = (None, set())  # masking state, and short texts without known values

    def mask(self, note: Note) -> Note:
        """Return the masked entry."""
        session = self._sessions.get(note.session)
        if session is None or not session.masks_personal_data:
            return note
        made_up = bool(note.tool) and not self._is_tool(note.server, note.tool)
        try:
            return note if self._is_clean(note, session) else self._mask_texts(note, session, made_up=made_up)
        except WorkbenchError as fault:  # an answer cannot be searched; the entry must be written all the same
            names = {"server": "", "tool": ""} if made_up else {}
            return replace(note, summary=note.kind, detail={"withheld": fault.message}, **names)

    def _mask_texts(self, note: Note, session: Session, *, made_up: bool) -> Note:
        return replace(
            note,
            summary=session.mask_known(note.summary),
            server=session.mask_known(note.server) if made_up else note.server,
            tool=session.mask_known(note.tool) if made_up else note.tool,
            detail={key: value if key in _LEFT else _masked(value, session) for key, value in note.detail.items()},
        )

    def _is_clean(self, note: Note, session: Session) -> bool:
        """Whether no text of the entry contains a known value. Many entries repeat the same short texts, so these
        are cached."""
        known = (session.id, session.masking_state)
        if self._clean[0] != known or len(self._clean[1]) > _MOST_CLEAN:
            self._clean = known, set()
        clean = self._clean[1]
        waiting: list[object] = [note.summary, note.server, note.tool]
        waiting += [value for key, value in note.detail.items() if key not in _LEFT]
        session.look_up(value for value in waiting if isinstance(value, str) and value not in clean)
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
    """Return arguments as JSON text with PII tokens, short enough for a list. Only the shown part is masked, because
    a program may pass megabytes, ten thousand times."""
    if not arguments:
        return "{}"
    remembered = session.shown_arguments.get(id(arguments))
    if remembered is not None and remembered[0] is arguments and remembered[1] == session.masking_state:
        return remembered[2]
    left = [KEPT_LEAVES]
    session.look_up(text[: 2 * KEPT_ARGUMENTS] for text in islice(texts_and_numbers(arguments), KEPT_LEAVES))
    text = _cut(_json_text(session.mask_json(_shorten_value(dict(arguments), session, left))))
    if left[0] > 0 and "…" not in text:  # longer arguments may be megabytes, which must not be kept in memory
        if len(session.shown_arguments) >= _AT_ONCE:
            session.shown_arguments.clear()
        session.shown_arguments[id(arguments)] = (arguments, session.masking_state, text)
    return text


def _cut(text: str) -> str:
    return text if len(text) <= KEPT_ARGUMENTS else text[: cut_before(text, KEPT_ARGUMENTS)] + " …"


def _shorten_value(value: JsonValue, session: Session, left: list[int]) -> JsonValue:
    """Return the value with a limited number of leaves, and only the start of long texts."""
    left[0] -= 1
    if isinstance(value, str) and len(value) > KEPT_ARGUMENTS:
        return f"{session.mask_start(value, KEPT_ARGUMENTS)} … ({len(value):,} characters)"
    if isinstance(value, list):
        return [_shorten_value(item, session, left) for item in value[: max(0, left[0])] if left[0] > 0]
    if isinstance(value, dict):
        some = islice(value.items(), max(0, left[0]))
        return {
            session.mask_start(key, LONGEST_KEY): _shorten_value(item, session, left)
            for key, item in some
            if left[0] > 0
        }
    return value


def with_masked_names(call: ToolCall, session: Session) -> ToolCall:
    """Mask the names in a call of an unknown tool, because a program chose them and they may be long or personal."""
    server, tool = (session.mask_start(word, LONGEST_KEY) for word in (call.server, call.tool))
    return replace(call, server=server, tool=tool)


def ended_call_note(
    call: ToolCall, tool: Tool, session: Session, risk: Risk, outcome: Outcome, given: Sequence[ReleaseDecision] = ()
) -> Note:
    """Return the audit entry for the answer of a call. Never fails, because it may be written when the caller is
    gone."""
    kind, word = ("call.done", "answered") if outcome.ok else ("call.failed", "failed")
    word = "was answered from the cache" if outcome.cached else word
    summary = f"{tool.server}.{tool.name} {word}"
    try:
        return call_note(kind, call, session, risk, summary, outcome, ok=outcome.ok, given=given)
    except Exception as fault:  # data from a server can make a parser fail in any way
        log.exception("the details of a call of %s.%s cannot be written to the audit", tool.server, tool.name)
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
