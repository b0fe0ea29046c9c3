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
    Gate,
    HeldCall,
    HeldCallAnswer,
    JsonObject,
    Note,
    ReviewDevice,
    Risk,
    Run,
)
from workbench.records.common_types import at_least, rank
from workbench.records.stated_facts import call_sentence
from workbench.review_page.paired_devices import PairedDevices, is_signed_by
from workbench.runs.run_manager import RunManager

CHALLENGE_SECONDS: Final = 600.0  # how long an answer can be given after the list was loaded
CLOCK_SECONDS: Final = 300.0  # by which the clock of a device may differ
MOST_CHALLENGES: Final = 2_000
MOST_REQUESTS: Final = 100
LONGEST_CODE: Final = 20_000  # characters
LONGEST_REASON: Final = 500  # characters
LIST: Final = "mcp-workbench review page: list"
ANSWER: Final = "mcp-workbench review page: answer"


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
        if not asked.nonce or asked.nonce in self._nonces:
            raise WorkbenchError("This message was already used.", "Load the page again.")
        self._remember_nonce(asked.nonce, now)
        self._devices.note_use(device.id)
        items = [self._program(device, run) for run in self._run_manager.runs() if run.awaits_answer]
        items += [self._call(device, held) for held in self._run_manager.held_calls.all()]
        shown = sorted(items, key=lambda item: float(item["deadline"]))[:MOST_REQUESTS]
        return {"device": device.name, "now": now, "limit": self._limit.value, "requests": shown}

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
        held = next((one for one in self._run_manager.held_calls.all() if one.id == given.request), None)
        if held is not None:
            self._check(given, _call_fingerprint(held), held.risk, allowable=not held.is_answer)
            self._run_manager.answer_held_call(HeldCallAnswer(held.id, given.allow, reason=reason, by=by))
            return _outcome_sentence(given.allow)
        run = self._run_manager.run(given.request)
        verdict = run.verdict
        if run.awaits_answer and verdict is not None:
            allowable = verdict.gate is not Gate.BLOCKED
            self._check(given, _program_fingerprint(run), verdict.risk, allowable=allowable)
        decision = Decision(
            run.id, run.proposal.sha, given.allow, by, reason, self._clock(), fingerprint=run.fingerprint
        )
        self._run_manager.decide(decision)  # refuses with who answered if it no longer waits
        return _outcome_sentence(given.allow)

    def _check(self, given: SignedAnswer, fingerprint: str, risk: Risk, *, allowable: bool) -> None:
        if given.fingerprint != fingerprint:
            raise WorkbenchError("The request changed after it was shown.", "Load it again and review it.")
        if given.allow and not (allowable and self._may_allow(risk)):
            raise WorkbenchError(
                f"A request of {risk} risk can be allowed only in the window or a terminal.", "You can deny it here."
            )

    @property
    def _limit(self) -> Risk:
        return Risk(self._services.settings().review_page_risk)

    def _may_allow(self, risk: Risk) -> bool:
        return at_least(self._limit, risk)

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
        self._nonces[nonce[:100]] = now
        while self._nonces and next(iter(self._nonces.values())) < now - 2 * CLOCK_SECONDS:
            self._nonces.popitem(last=False)

    def _program(self, device: ReviewDevice, run: Run) -> JsonObject:
        verdict, fingerprint = run.verdict, _program_fingerprint(run)
        risk = verdict.risk if verdict is not None else Risk.HIGH
        sentence = verdict.sentence if verdict is not None else ""
        effects = [one for one in verdict.effects if one.text not in sentence] if verdict is not None else []
        effects.sort(key=lambda one: -rank(one.risk))
        code, session = run.proposal.code, run.proposal.session
        return {
            "id": run.id,
            "kind": "program",
            "agent": self._masked_text(session, run.proposal.author),
            "sentence": self._masked_text(session, sentence),
            "risk": risk.value,
            "claimed": self._masked_text(session, run.proposal.purpose),
            "facts": [self._masked_text(session, f"Line {one.line}: {one.text}") for one in effects[:12]],
            "notes": [self._masked_text(session, run.isolation)] if run.isolation else [],
            "body": self._masked_text(session, code[:LONGEST_CODE]),
            "cut": len(code) > LONGEST_CODE,
            "deadline": run.deadline,
            "fingerprint": fingerprint,
            "challenge": self._challenge(device, run.id, fingerprint),
            "allowable": self._may_allow(risk) and (verdict is None or verdict.gate is not Gate.BLOCKED),
        }

    def _call(self, device: ReviewDevice, held: HeldCall) -> JsonObject:
        fingerprint = _call_fingerprint(held)
        return {
            "id": held.id,
            "kind": "answer" if held.is_answer else "call",
            "agent": self._masked_text(held.session, held.author),
            "sentence": self._masked_text(held.session, call_sentence(held)),
            "risk": held.risk.value,
            "claimed": "",
            "facts": [self._masked_text(held.session, one) for one in held.why[:12]],
            "notes": [f"{held.more + 1} similar calls"] if held.more else [],
            "body": self._masked_text(held.session, "\n".join(held.list or (held.arguments,))[:LONGEST_CODE]),
            "cut": len(held.arguments) > LONGEST_CODE,
            "deadline": held.deadline,
            "fingerprint": fingerprint,
            "challenge": self._challenge(device, held.id, fingerprint),
            "allowable": self._may_allow(held.risk) and not held.is_answer,
        }

    def _masked_text(self, session_id: str, text: str) -> str:
        """Return a text as the page shows it: masked as for the agent, unless the user wants real values."""
        if self._services.settings().review_page_values:
            return text
        session = self._services.sessions.get(session_id) or self._services.sessions.person
        return session.mask(text)

    def _note(self, device: ReviewDevice, kind: str, summary: str) -> None:
        self._services.journal.append(Note(kind, summary, actor=device.name, ok=False, detail={"device": device.id}))


def _program_fingerprint(run: Run) -> str:
    return hashlib.sha256(f"{run.fingerprint}\0{run.proposal.sha}".encode()).hexdigest()


def _call_fingerprint(held: HeldCall) -> str:
    text = "\0".join((held.id, held.server, held.tool, held.arguments, *held.list))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _outcome_sentence(allow: bool) -> str:
    return "Allowed." if allow else "Denied."
