"""Takes known personal data out of every audit entry, in one place: whoever notes something can forget to.

Only values that the entry's session knows are replaced, nothing is guessed, so hashes, ids and words of ours stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from workbench.records import JsonValue, Note
from workbench.runs.sessions import Session, Sessions

_MASKED = frozenset({"code"})  # up to 400,000 characters, which who notes them has masked; twice would take 90 ms


class NoteMasking:
    """For one journal. `is_tool`: whether a server has this tool; names that programs make up are texts of theirs."""

    def __init__(self, sessions: Sessions, is_tool: Callable[[str, str], bool]) -> None:
        self._sessions = sessions
        self._is_tool = is_tool

    def mask(self, note: Note) -> Note:
        """The note as it may be written."""
        session = self._sessions.get(note.session)
        if session is None or not session.hides:
            return note
        made_up = bool(note.tool) and not self._is_tool(note.server, note.tool)
        return replace(
            note,
            summary=session.mask_known(note.summary),
            server=session.mask_known(note.server) if made_up else note.server,
            tool=session.mask_known(note.tool) if made_up else note.tool,
            detail={key: value if key in _MASKED else _masked(value, session) for key, value in note.detail.items()},
        )


def _masked(value: object, session: Session) -> JsonValue:
    if isinstance(value, str):
        return session.mask_known(value)
    if isinstance(value, dict):
        return {session.mask_known(str(key)): _masked(part, session) for key, part in value.items()}
    if isinstance(value, Collection) and not isinstance(value, bytes):
        return [_masked(part, session) for part in value]
    return value
