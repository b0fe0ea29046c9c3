"""Connects the notifier with the requests of a core: what waits is masked, and a denial is one of the user."""

from __future__ import annotations

import time

from workbench.api_handlers.request_handler import BY, RequestHandler
from workbench.broker.services import Services
from workbench.notifications.notifier import Notifier
from workbench.records import Decision, HeldCallAnswer, RequestKind, WaitingRequest
from workbench.runs.run_manager import RunManager

_BY = f"{BY}, in a desktop notification"


class DesktopAnswers(RequestHandler):
    """Masks what a notification says, and denies a request from a notification."""

    def __init__(self, services: Services, manager: RunManager) -> None:
        super().__init__(services)
        self._manager = manager

    def mask(self, request: WaitingRequest) -> str:
        sessions = self._services.sessions
        return (sessions.get(request.session) or sessions.person).mask_for_audit(request.sentence)

    def deny(self, request: WaitingRequest) -> None:
        """Deny exactly the request that was shown. The user can undo it for a few seconds."""
        if request.run is not None:
            decision = Decision(request.id, request.run.proposal.sha, False, _BY, at=time.time(), undoable=True)
            self._manager.decide(decision)
        elif request.kind is RequestKind.CALL:
            self._manager.answer_held_call(HeldCallAnswer(request.id, False, undoable=True, by=_BY))

    def undo(self, request: WaitingRequest) -> None:
        self._manager.undo_denial(request.id)


def make_notifier(services: Services, manager: RunManager) -> Notifier:
    return Notifier(
        services.paths.project,
        services.settings,
        services.secrets.get_secret,
        DesktopAnswers(services, manager),
        services.tell,
        attended=lambda: manager.approvals.attended,
        windows=lambda: services.catalog.asks.has_windows,
    )
