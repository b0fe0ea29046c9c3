"""Takes known personal data out of every audit entry, in one place: whoever notes something can forget to.

Only values that the entry's session knows are replaced, nothing is guessed, so hashes, ids and words of ours stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec.structs import replace

from workbench.privacy.seen_texts import SeenTexts
from workbench.records import JsonValue, Note
from workbench.runs.sessions import Session, Sessions

_LEFT = frozenset(
    {
        "code",  # up to 400,000 characters, which who notes them has masked; twice would take 90 ms
        "address",  # where a connection really went, as the network found it: what an audit is for
    }
)


class NoteMasking:
    """For one journal. `is_tool`: whether a server has this tool; names that programs make up are texts of theirs."""

    def __init__(self, sessions: Sessions, is_tool: Callable[[str, str], bool]) -> None:
        self._sessions = sessions
        self._is_tool = is_tool
        self._clean: tuple[object, SeenTexts] = (
            None,
            SeenTexts(),
        )  # texts with nothing to hide, by who knows so much

    def mask(self, note: Note) -> Note:
        """The note as it may be written."""
        session = self._sessions.get(note.session)
        if session is None or not session.hides:
            return note
        if self._clean[0] != (known := (session.id, session.hidden_by)):
            self._clean = known, SeenTexts()
        made_up = bool(note.tool) and not self._is_tool(note.server, note.tool)
        return replace(
            note,
            summary=self._masked(note.summary, session),
            server=self._masked(note.server, session) if made_up else note.server,
            tool=self._masked(note.tool, session) if made_up else note.tool,
            detail={key: value if key in _LEFT else self._part(value, session) for key, value in note.detail.items()},
        )

    def _masked(self, text: str, session: Session) -> str:
        """Many entries say the same words; each is looked through once for who knows so much."""
        clean = self._clean[1]
        if text in clean:
            return text
        masked = session.mask_known(text)
        if masked == text:
            clean.add(text)
        return masked

    def _part(self, value: object, session: Session) -> JsonValue:
        if isinstance(value, str):
            return self._masked(value, session)
        if isinstance(value, dict):
            return {self._masked(str(key), session): self._part(part, session) for key, part in value.items()}
        if isinstance(value, Collection) and not isinstance(value, bytes):
            return [self._part(part, session) for part in value]
        return value
