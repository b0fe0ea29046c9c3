"""Answers what a person says of personal data for good: marks, and how each kind is looked for. The audit is told, and
no value with it.
"""

from __future__ import annotations

from workbench.api.marker import api
from workbench.desk.seat import BY, Seat
from workbench.errors import WorkbenchError
from workbench.events import PrivacyChanged
from workbench.privacy.detectors.kinds import BY_NAME, SEALED
from workbench.privacy.user_marks import switched, with_threshold
from workbench.records import JsonValue, Note, PrivacyMark, PrivacyRules
from workbench.settings import change


class MarksDesk(Seat):
    """Only a person's door is answered: no agent may let anything pass."""

    @api
    async def privacy_rules(self) -> PrivacyRules:
        """The marks of the person and of the bench, and how each kind is looked for."""
        return self._services.personal.view(self._services.settings())

    @api(decides=True)
    async def mark_privacy(self, mark: PrivacyMark) -> PrivacyRules:
        """Hide something for good, or let it pass; counts in every session at once."""
        made = self._services.personal.add(mark)
        deed = f"hidden as {made.kind}" if made.hide else "let pass"
        self._note_mark("privacy.marked", f"You marked a {made.what} to be {deed}", made)
        return self._follow()

    @api(decides=True, consent=True)
    async def unmark_privacy(self, mark_id: str) -> PrivacyRules:
        gone = self._services.personal.remove(mark_id)
        deed = "hidden" if gone.hide else "let pass"
        self._note_mark("privacy.unmarked", f"You took back that a {gone.what} is {deed}", gone)
        return self._follow()

    @api(decides=True, consent=True)
    async def set_privacy_kind(self, kind: str, on: bool, threshold: float) -> PrivacyRules:
        """Look for a kind of personal data or not, and from which score on in prose; 0 leaves that as it is."""
        if kind not in BY_NAME or kind == SEALED:
            raise WorkbenchError(f"There is no kind of personal data {kind!r:.40}.")
        if threshold and not 0 < threshold <= 1:
            raise WorkbenchError("A threshold is a number above 0, up to 1.")
        settings = self._services.settings()
        self._set("privacy.off", switched(settings.privacy_off, kind, on=on))
        if threshold:
            self._set("privacy.thresholds", with_threshold(settings.privacy_thresholds, kind, threshold))
        return self._follow()

    def _set(self, name: str, value: JsonValue) -> None:
        """What is so already needs no line in the audit."""
        settings = self._services.settings()
        if change(settings, name, value) != settings:
            self._change_setting(name, value)

    def _note_mark(self, kind: str, summary: str, mark: PrivacyMark) -> None:
        self._services.journal.append(Note(kind, summary, BY, "person", detail={"mark": mark.id}))

    def _follow(self) -> PrivacyRules:
        settings = self._services.settings()
        self._services.sessions.follow(self._services.personal.following(settings))
        view = self._services.personal.view(settings)
        self._services.tell(PrivacyChanged(view))
        return view
