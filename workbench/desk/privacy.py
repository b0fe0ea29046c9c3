"""Answers what a person asks of personal data: what was hidden from models, and what stands behind a token."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TypeVar

from msgspec import to_builtins

from workbench.api.marker import api
from workbench.desk.seat import BY, Seat
from workbench.desk.values import all_of, report_of, revealed
from workbench.errors import WorkbenchError
from workbench.privacy.detector_preview import preview_masking
from workbench.privacy.detectors.json_fields import parsed
from workbench.privacy.pii_tokens import count_tokens, unmask_with_spans
from workbench.records import (
    JsonObject,
    JsonValue,
    ModelView,
    Note,
    Origin,
    PrivacyQuery,
    PrivacyReport,
    PrivacySession,
    Revealed,
    Trial,
)
from workbench.runs.sessions import PREVIEW, Session

_SHORT = 2_000  # characters that are read at once: a thread would cost more
_LONGEST = 4_000_000  # characters of a text that is looked at for a person
_REMEMBERED = 20_000  # values that looking at a model's view leaves behind before they are dropped

Answer = TypeVar("Answer")


class PrivacyDesk(Seat):
    """A person's own look at what is hidden; every look at a value is told to the audit."""

    @api
    async def privacy_sessions(self) -> tuple[PrivacySession, ...]:
        """The person's own first, then agents' that have tokens or are connected, the newest first."""
        await asyncio.to_thread(self._services.keeping.bring_back)
        here = {agent.session for agent in self._house.entrance.agents()}
        person, *agents = self._services.sessions.all()
        agents = [*self._services.sessions.past.values(), *agents]
        found = [self._session_told(one, one.id in here) for one in reversed(agents)]
        return (self._session_told(person, True), *(one for one in found if one.tokens or one.here))

    @api
    async def privacy_report(self, query: PrivacyQuery) -> PrivacyReport:
        session = await self._settled(query.session)
        told, enabled = self._session_told(session, True), self._services.settings().privacy_enabled
        return await asyncio.to_thread(report_of, session, told, query, enabled)

    @api
    async def privacy_export(self, session: str) -> str:
        """All that is known of a session's values but the values, as JSON."""
        found = await self._settled(session)
        values = await asyncio.to_thread(all_of, found)
        self._note_look(
            "privacy.exported", f"You exported what is known of {found.author}'s tokens, without values", found
        )
        whole = {"session": found.id, "author": found.author, "values": [to_builtins(one) for one in values]}
        return json.dumps(whole, indent=2, ensure_ascii=False)

    @api
    async def reveal(self, session: str, token: str, copied: bool = False) -> Revealed:
        """The value behind one token; that a person looked at it, or copied it, is written into the audit."""
        if self._services.sessions.get(session) is None:
            await asyncio.to_thread(self._services.keeping.bring_back)
        found = self._session(session)
        answer = revealed(found, token)
        deed = "copied" if copied else "looked at"
        kind = "privacy.copied" if copied else "privacy.revealed"
        self._note_look(kind, f"You {deed} the value behind {answer.token}", found, {"token": answer.token})
        return answer

    @api(decides=True)
    async def forget_values(self, session: str) -> int:
        """Drop all values of a session, and tell how many there were; tokens made before stand for nothing then."""
        found = await self._settled(session)
        count = found.forget()
        await asyncio.to_thread(self._services.keeping.drop, session)
        self._note_look("privacy.forgotten", f"You had {count} values of this session forgotten", found)
        return count

    @api
    async def model_view(self, text: str, server: str) -> ModelView:
        """What an agent would see of a text that this server sent; nothing is sent anywhere."""
        if len(text) > _LONGEST:
            raise WorkbenchError("This is too long to be shown as a model would see it.", "Look at a part of it.")
        session = self._services.sessions.preview
        if len(session.vault.issued()) > _REMEMBERED:
            session.forget()
        enabled = self._services.settings().privacy_enabled
        return await _read(lambda: _seen(session, text, server, enabled), text)

    @api
    async def try_privacy(self, text: str) -> Trial:
        """What the detector finds in a text and how it would be masked; nothing of it is kept."""
        if len(text) > _LONGEST:
            raise WorkbenchError("This text is too long to try the detector on.", "Take a part of it.")
        following = self._services.personal.following(self._services.settings())
        return await _read(lambda: preview_masking(text, following.rules, following.known), text)

    async def _settled(self, name: str) -> Session:
        """A session that knows all that was shown of answers so far."""
        session = self._session(name)
        await session.registrations.settled()
        return session

    def _session(self, name: str) -> Session:
        sessions = self._services.sessions
        found = sessions.preview if name == PREVIEW else sessions.get(name) or sessions.past.get(name)
        if found is None:
            raise WorkbenchError(
                "The values of this session are not known any more.",
                "They ended with its core, or some time after its agent left. privacy.keep_days keeps values longer.",
            )
        return found

    def _session_told(self, session: Session, here: bool) -> PrivacySession:
        count = sum(session.vault.found().values())
        return PrivacySession(session.id, session.author, session.origin is Origin.AGENT, count, here)

    def _note_look(self, kind: str, summary: str, session: Session, detail: JsonObject | None = None) -> None:
        """Not through `_note`: that would take another session's token for a look-alike and hide it."""
        self._services.journal.append(Note(kind, summary, BY, session.id, detail=detail or {}))


def _seen(session: Session, text: str, server: str, enabled: bool) -> ModelView:
    """On the road of a call's answer: learnt with its keys, then masked as everything that goes to a model."""
    session.register(text, server, _value)
    masked = session.mask(text)
    whole, hidden = unmask_with_spans(masked, session.vault.restore)
    return ModelView(masked, session.id, hidden if whole == text else (), count_tokens(masked), enabled)


def _value(text: str) -> JsonValue:
    found = parsed(text)
    return text if found is None else found


async def _read(look: Callable[[], Answer], text: str) -> Answer:
    """Long texts on a thread: the loop serves everybody."""
    return look() if len(text) <= _SHORT else await asyncio.to_thread(look)
