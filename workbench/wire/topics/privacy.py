"""What a person asks of personal data: what was hidden, what stands behind a token, what a model sees."""

from __future__ import annotations

from typing import Protocol

from workbench.records import (
    ModelView,
    PrivacyMark,
    PrivacyQuery,
    PrivacyReport,
    PrivacyRules,
    PrivacySession,
    Revealed,
    Trial,
)


class PrivacyQuestions(Protocol):
    """Only a person's door is answered: no agent gets a value back."""

    async def privacy_sessions(self) -> tuple[PrivacySession, ...]:
        """The person's own first, then agents' that have tokens or are connected, the newest first."""

    async def privacy_report(self, query: PrivacyQuery) -> PrivacyReport: ...

    async def privacy_export(self, session: str) -> str:
        """All that is known of a session's values but the values, as JSON."""

    async def reveal(self, session: str, token: str, copied: bool = False) -> Revealed:
        """The value behind one token; that a person looked at it, or copied it, is written into the audit."""

    async def forget_values(self, session: str) -> int:
        """Drop all values of a session, and tell how many there were; tokens made before stand for nothing then."""

    async def model_view(self, text: str, server: str) -> ModelView:
        """What an agent would see of a text that this server sent; nothing is sent anywhere."""

    async def try_privacy(self, text: str) -> Trial:
        """What the detector finds in a text and how it would be masked; nothing of it is kept."""

    async def privacy_rules(self) -> PrivacyRules:
        """The marks of the person and of the bench, and how each kind is looked for."""

    async def mark_privacy(self, mark: PrivacyMark) -> PrivacyRules:
        """Hide something for good, or let it pass; counts in every session at once."""

    async def unmark_privacy(self, mark_id: str) -> PrivacyRules: ...

    async def set_privacy_kind(self, kind: str, on: bool, threshold: float) -> PrivacyRules:
        """Look for a kind of personal data or not, and from which score on in prose; 0 leaves that as it is."""
