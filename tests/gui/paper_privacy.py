"""The paper project's answers about personal data: real vaults and real marks, in a folder of their own."""

from __future__ import annotations

import functools
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from workbench.api_handlers.privacy import _preview_view, report_of, revealed
from workbench.broker.agent_sessions import PREVIEW, Session, Sessions
from workbench.errors import WorkbenchError
from workbench.events import PrivacyChanged
from workbench.permissions.personal_data_marks import PersonalDataMarks
from workbench.privacy.detector_preview import preview_masking
from workbench.privacy.user_marks import with_kind_switched
from workbench.records import (
    ModelView,
    Origin,
    Place,
    PrivacyMark,
    PrivacyQuery,
    PrivacyReport,
    PrivacyRules,
    PrivacySession,
    Revealed,
    Trial,
)
from workbench.settings import change


class PaperPrivacy:
    """What is marked counts at once, as in the core."""

    bus: Any  # other parts of the paper project
    current_settings: Any
    note: Any

    @functools.cached_property
    def sessions(self) -> Sessions:
        return Sessions(lambda: self.current_settings.privacy_enabled)

    @functools.cached_property
    def personal(self) -> PersonalDataMarks:
        folder = Path(tempfile.mkdtemp(prefix="paper-privacy-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return PersonalDataMarks(folder / "workbench.toml", folder / "privacy.toml")

    def fill_privacy(self, count: int = 3) -> Session:
        """An agent's session in which a program read customers and wrote to one of them."""
        session = self.sessions.open("claude-code")
        names = ("Ada Lovelace", "Rosa Lund", "Ines Novak")
        people = [
            {"name": names[at % 3], "email": f"ada{at}@example.org", "phone": f"+44 20 7946 {at:04}"}
            for at in range(count)
        ]
        session.vault.register({"customers": people}, Place("crm", "list_customers", "run-1", 1_760_000_000.0))
        text = session.mask("\n".join(f"{one['name']} {one['email']} {one['phone']}" for one in people))
        session.token_history.record_text(text, "run-1")
        token = session.vault.issued()[1][0]
        session.token_history.record_call(token, "call-9", Place("mail", "send", "run-2", 1_760_000_100.0))
        return session

    async def privacy_sessions(self) -> tuple[PrivacySession, ...]:
        return tuple(self._told(one) for one in self.sessions.all())

    async def privacy_report(self, query: PrivacyQuery) -> PrivacyReport:
        session = self._session(query.session)
        return report_of(session, self._told(session), query, self.current_settings.privacy_enabled)

    async def privacy_export(self, session: str) -> str:
        return "{}"

    async def reveal(self, session: str, token: str, copied: bool = False) -> Revealed:
        self.note("reveal", session, token, copied)
        return revealed(self._session(session), token)

    async def forget_values(self, session: str) -> int:
        return self._session(session).forget()

    async def model_view(self, text: str, server: str) -> ModelView:
        return _preview_view(self.sessions.preview, text, server, self.current_settings.privacy_enabled)

    async def try_privacy(self, text: str) -> Trial:
        said = self.personal.following(self.current_settings)
        return preview_masking(text, said.rules, said.known)

    async def privacy_rules(self) -> PrivacyRules:
        return self.personal.view(self.current_settings)

    async def mark_privacy(self, mark: PrivacyMark) -> PrivacyRules:
        self.note("mark_privacy", mark)
        self.personal.add(mark)
        return self._follow()

    async def unmark_privacy(self, mark_id: str) -> PrivacyRules:
        self.personal.remove(mark_id)
        return self._follow()

    async def set_privacy_kind(self, kind: str, on: bool, threshold: float) -> PrivacyRules:
        self.note("set_privacy_kind", kind, on, threshold)
        off = with_kind_switched(self.current_settings.privacy_off, kind, on=on)
        self.current_settings = change(self.current_settings, "privacy.off", off)
        return self._follow()

    def _follow(self) -> PrivacyRules:
        self.sessions.follow(self.personal.following(self.current_settings))
        rules = self.personal.view(self.current_settings)
        self.bus.tell(PrivacyChanged(rules))
        return rules

    def _session(self, name: str) -> Session:
        found = self.sessions.preview if name == PREVIEW else self.sessions.get(name)
        if found is None:
            raise WorkbenchError("The values of this session are no longer stored.", "They end with the core.")
        return found

    def _told(self, session: Session) -> PrivacySession:
        count = sum(session.vault.counts_by_kind().values())
        return PrivacySession(session.id, session.author, session.origin is Origin.AGENT, count)
