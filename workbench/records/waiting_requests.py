"""Requests that wait for the user, as every client lists them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct

from workbench.records.common_types import Origin, Risk, count_of
from workbench.records.elicitation import Ask
from workbench.records.files import FileChanges
from workbench.records.held_calls import HeldCall
from workbench.records.runs import Effect, EffectKind, Gate, Run
from workbench.records.stated_facts import call_sentence, unstated_effects

_FILES_NAMED = 3


class RequestKind(StrEnum):
    """What waits."""

    PROGRAM = "program"
    CALL = "call"  # of a running program, or of a different client's own tool
    ANSWER = "answer"  # of a program that has ended, before its agent gets it
    FILES = "files"  # changes of a program that ran without approval
    FORM = "form"  # what a server asks the user; only a window shows it
    TRUST = "trust"  # what a server's annotations are worth, which programs wait for


class WaitingRequest(Struct, frozen=True):
    """One request that waits for the user. The texts may contain personal data."""

    id: str
    kind: RequestKind
    sentence: str  # what it would do
    author: str = ""  # whose request it is
    session: str = ""
    run_id: str = ""
    risk: Risk | None = None  # None: it has none
    effects: tuple[str, ...] = ()  # what the sentence does not state, the worst first; of a call, why it is held
    deadline: float = 0.0  # when it is denied; 0: never
    clock_left: float = 0.0  # seconds left while its clock is stopped; 0: it runs
    fingerprint: str = ""  # SHA-256 of what is shown: it differs as soon as an answer would mean something else
    answers: tuple[str, ...] = ("allow", "deny")  # that a client other than a window can give
    own: bool = False  # the user's own program
    run: Run | None = None
    held_call: HeldCall | None = None
    files: FileChanges | None = None
    elicitation: Ask | None = None


def program_request(run: Run) -> WaitingRequest:
    """Return a waiting program as a request."""
    verdict, proposal = run.verdict, run.proposal
    allowable = verdict is not None and verdict.gate is not Gate.BLOCKED
    effects = unstated_effects(verdict) if verdict is not None else ()
    return WaitingRequest(
        run.id,
        RequestKind.PROGRAM,
        verdict.sentence if verdict is not None else "",
        proposal.author,
        proposal.session,
        run.id,
        verdict.risk if verdict is not None else Risk.HIGH,
        tuple(map(_effect_sentence, effects)),
        run.deadline,
        run.clock_left,
        _hash(run.id, run.fingerprint, proposal.sha),
        ("allow", "deny") if allowable else ("deny",),
        proposal.origin is Origin.PERSON,
        run=run,
    )


def call_request(held_call: HeldCall) -> WaitingRequest:
    """Return a held call, or an answer that is held, as a request."""
    return WaitingRequest(
        held_call.id,
        RequestKind.ANSWER if held_call.is_answer else RequestKind.CALL,
        call_sentence(held_call),
        held_call.author,
        held_call.session,
        held_call.run_id,
        held_call.risk,
        held_call.why,
        held_call.deadline,
        held_call.clock_left,
        _hash(held_call.id, held_call.server, held_call.tool, held_call.arguments, *held_call.list),
        held_call=held_call,
    )


def files_request(changes: FileChanges) -> WaitingRequest:
    """Return held file changes as a request."""
    names = ", ".join(one.path for one in changes.files[:_FILES_NAMED])
    more = " …" if changes.count > _FILES_NAMED else ""
    return WaitingRequest(
        changes.id,
        RequestKind.FILES,
        f"Wants to change {names}{more}.",
        changes.actor,
        run_id=changes.id,
        risk=Risk.MEDIUM,
        fingerprint=_hash(msgspec.json.encode(changes).decode()),
        files=changes,
    )


def form_request(ask: Ask) -> WaitingRequest:
    """Return a server's request for the user's input as a request, never in the server's own text."""
    what = {"url": "asks you to visit a page", "sampling": "requests a completion (sampling)"}
    sentence = f"{ask.server} {what.get(ask.kind, 'asks you to fill in a form')}."
    return WaitingRequest(
        ask.id,
        RequestKind.FORM,
        sentence,
        ask.server,
        ask.session,
        ask.run_id,
        deadline=ask.deadline,
        answers=(),
        elicitation=ask,
    )


def trust_requests(waiting: Sequence[Run]) -> list[WaitingRequest]:
    """Return the decisions about servers that these waiting programs need, each server once."""
    programs: dict[str, int] = {}
    for run in waiting:
        for server in run.verdict.waits_for_trust if run.verdict is not None else ():
            programs[server] = programs.get(server, 0) + 1
    return [
        WaitingRequest(
            server,
            RequestKind.TRUST,
            f"You have not decided what programs may do with {server}: {count_of(many, 'program')} would then be"
            " judged again.",
            server,
            fingerprint=_hash(server),
            answers=("allow",),
        )
        for server, many in programs.items()
    ]


def _effect_sentence(effect: Effect) -> str:
    refused = " (the sandbox will refuse it)" if effect.kind is EffectKind.REFUSED else ""
    return f"Line {effect.line}: {effect.text}{refused}" if effect.line > 0 else f"{effect.text}{refused}"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
