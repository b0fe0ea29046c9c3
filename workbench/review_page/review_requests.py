"""Approval requests as the review page shows them, and the check of a signed answer to one.

An answer is signed over the request, the fingerprint of what was shown, and a challenge that works once. So it cannot
be repeated, cannot apply to a changed program, and cannot be made by a device that is not paired.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import (
    Decision,
    HeldCallAnswer,
    JsonObject,
    Note,
    RequestKind,
    ReviewDevice,
    Risk,
    WaitingRequest,
)
from workbench.records.common_types import at_least
from workbench.review_page.paired_devices import PairedDevices, is_signed_by
from workbench.runs.run_manager import RunManager

CHALLENGE_SECONDS: Final = 600.0  # how long an answer can be given after the list was loaded
CLOCK_SECONDS: Final = 300.0  # by which the clock of a device may differ
MOST_CHALLENGES: Final = 2_000
MOST_REQUESTS: Final = 100
MOST_FACTS: Final = 12
LONGEST_CODE: Final = 20_000  # characters
LONGEST_REASON: Final = 500  # characters
LONGEST_NONCE: Final = 100  # characters
LIST: Final = "mcp-workbench review page: list"
ANSWER: Final = "mcp-workbench review page: answer"
_SHOWN: Final = (RequestKind.PROGRAM, RequestKind.CALL, RequestKind.ANSWER)


class ListRequest(Struct, frozen=True):
    """A device asks for the waiting requests."""

    device: str
    at: int  # time of the device, in milliseconds
    nonce: str
    signature: str


class SignedAnswer(Struct, frozen=True):
    """A device answers one request."""

    device: str
    request: str
    fingerprint: str
    challenge: str
    allow: bool
    signature: str
    reason: str = ""


class _Challenge(Struct, frozen=True):
    device: str
    request: str
    fingerprint: str
    expires: float


class ReviewRequests:
    """What waits for the user, for paired devices."""

    def __init__(
        self,
        services: Services,
        run_manager: RunManager,
        devices: PairedDevices,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._services = services
        self._run_manager = run_manager
        self._devices = devices
        self._clock = clock
        self._challenges: OrderedDict[str, _Challenge] = OrderedDict()
        self._nonces: OrderedDict[str, float] = OrderedDict()

    def list(self, asked: ListRequest) -> JsonObject:
        """Return the waiting requests, each with a challenge for its answer."""
        device = self._device(asked.device)
        now = self._clock()
        text = "\n".join((LIST, asked.device, str(asked.at), asked.nonce))
        if not is_signed_by(device, text, asked.signature):
            raise WorkbenchError("The signature is not valid.", "Pair this device again.")
        if abs(now - asked.at / 1000) > CLOCK_SECONDS:
            raise WorkbenchError("The clock of this device is wrong.", "Set its time automatically.")
        if not 0 < len(asked.nonce) <= LONGEST_NONCE or asked.nonce in self._nonces:
            raise WorkbenchError("This message was already used.", "Load the page again.")
        self._remember_nonce(asked.nonce, now)
        self._devices.note_use(device.id)
        requests = [one for one in self._run_manager.open_requests() if one.kind in _SHOWN][:MOST_REQUESTS]
        items = [self._item(device, one) for one in requests]
        return {"device": device.name, "now": now, "limit": self._limit.value, "requests": items}

    def answer(self, given: SignedAnswer) -> str:
        """Apply a signed answer; returns what happened as a sentence."""
        device = self._device(given.device)
        reason = hashlib.sha256(given.reason.encode("utf-8", "replace")).hexdigest()
        word = "allow" if given.allow else "deny"
        text = "\n".join((ANSWER, given.device, given.request, given.fingerprint, given.challenge, word, reason))
        if not is_signed_by(device, text, given.signature):
            self._note(device, "review_page.refused", "An answer with an invalid signature was refused")
            raise WorkbenchError("The signature is not valid.", "Pair this device again.")
        challenge = self._challenges.pop(given.challenge, None)
        expected = (given.device, given.request, given.fingerprint)
        if challenge is None or (challenge.device, challenge.request, challenge.fingerprint) != expected:
            self._note(device, "review_page.refused", "An answer that was already used or never asked for was refused")
            words = "This answer was already used, or does not belong to what was shown."
            raise WorkbenchError(words, "Load it again.")
        if self._clock() > challenge.expires:
            raise WorkbenchError("This answer came too late after the request was shown.", "Load it again.")
        self._devices.note_use(device.id)
        return self._decide(device, given)

    # internal
    def _decide(self, device: ReviewDevice, given: SignedAnswer) -> str:
        by, reason = f"you, on {device.name}", given.reason[:LONGEST_REASON]
        shown = next((one for one in self._run_manager.open_requests() if one.id == given.request), None)
        if shown is not None:
            self._check(given, shown)
            if shown.held_call is not None:
                self._run_manager.answer_held_call(HeldCallAnswer(shown.id, given.allow, reason=reason, by=by))
                return _outcome_sentence(given.allow)
        run = self._run_manager.run(given.request)
        decision = Decision(
            run.id, run.proposal.sha, given.allow, by, reason, self._clock(), fingerprint=run.fingerprint
        )
        self._run_manager.decide(decision)  # refuses with who answered if it no longer waits
        return _outcome_sentence(given.allow)

    def _check(self, given: SignedAnswer, shown: WaitingRequest) -> None:
        if given.fingerprint != shown.fingerprint:
            raise WorkbenchError("The request changed after it was shown.", "Load it again and review it.")
        if given.allow and not self._may_allow(shown):
            raise WorkbenchError(
                f"A request of {shown.risk} risk can be allowed only in the window or a terminal.",
                "You can deny it here.",
            )

    @property
    def _limit(self) -> Risk:
        return Risk(self._services.settings().review_page_risk)

    def _may_allow(self, request: WaitingRequest) -> bool:
        """Return whether the request can be allowed here; an answer of a program can be read in full elsewhere only."""
        small = request.risk is not None and at_least(self._limit, request.risk)
        return small and "allow" in request.answers and request.kind is not RequestKind.ANSWER

    def _device(self, device_id: str) -> ReviewDevice:
        device = self._devices.get(device_id)
        if device is None:
            raise WorkbenchError("This device is not paired, or it was revoked.", "Pair it again.")
        return device

    def _challenge(self, device: ReviewDevice, request: str, fingerprint: str) -> str:
        made, expires = secrets.token_urlsafe(18), self._clock() + CHALLENGE_SECONDS
        self._challenges[made] = _Challenge(device.id, request, fingerprint, expires)
        while len(self._challenges) > MOST_CHALLENGES:
            self._challenges.popitem(last=False)
        return made

    def _remember_nonce(self, nonce: str, now: float) -> None:
        self._nonces[nonce] = now
        while self._nonces and next(iter(self._nonces.values())) < now - 2 * CLOCK_SECONDS:
            self._nonces.popitem(last=False)

    def _item(self, device: ReviewDevice, request: WaitingRequest) -> JsonObject:
        run, held = request.run, request.held_call
        body, notes = "", list[str]()
        if run is not None:
            body, notes = run.proposal.code, [run.isolation] if run.isolation else []
        elif held is not None:
            body, notes = (
                "\n".join(held.list or (held.arguments,)),
                [f"{held.more + 1} similar calls"] * bool(held.more),
            )
        more = len(request.effects) - MOST_FACTS
        facts = [*request.effects[:MOST_FACTS], *([f"{more} more are shown in the window."] * (more > 0))]

        def masked(text: str) -> str:
            return self._masked_text(request.session, text)

        return {
            "id": request.id,
            "kind": request.kind.value,
            "agent": masked(request.author),
            "sentence": masked(request.sentence),
            "risk": str(request.risk),
            "claimed": masked(run.proposal.purpose) if run is not None else "",
            "facts": list(map(masked, facts)),
            "notes": list(map(masked, notes)),
            "body": masked(body[:LONGEST_CODE]),
            "cut": len(body) > LONGEST_CODE,
            "deadline": request.deadline,
            "fingerprint": request.fingerprint,
            "challenge": self._challenge(device, request.id, request.fingerprint),
            "allowable": self._may_allow(request),
        }

    def _masked_text(self, session_id: str, text: str) -> str:
        """Return a text as the page shows it: masked as for the agent, unless the user wants real values."""
        if self._services.settings().review_page_values:
            return text
        session = self._services.sessions.get(session_id) or self._services.sessions.person
        return session.mask(text)

    def _note(self, device: ReviewDevice, kind: str, summary: str) -> None:
        self._services.journal.append(Note(kind, summary, actor=device.name, ok=False, detail={"device": device.id}))


def _outcome_sentence(allow: bool) -> str:
    return "Allowed." if allow else "Denied."
