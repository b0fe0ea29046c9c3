"""Approval requests as MCP elicitations: the user answers in the agent's own client.

This is off by default, because a client may answer without its user. It is offered for low and medium risk only; the
window and the terminal can answer the same request meanwhile, and the first answer counts. The key of a request
contains the hash of what is shown, so an answer cannot apply to a changed program.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import mcp.types as T
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from workbench.agent.program_tools import LOOK, Context
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.privacy.text_kinds import KindMarks, TextKind
from workbench.records import (
    Decision,
    HeldCall,
    HeldCallAnswer,
    JsonObject,
    RequestKind,
    Risk,
    Run,
    RunState,
    WaitingRequest,
)
from workbench.records.common_types import count_of
from workbench.records.waiting_requests import call_request, program_request
from workbench.runs.run_manager import RunManager

log = logging.getLogger(__name__)

_OFFERED: Final = (Risk.LOW, Risk.MEDIUM)
_SHOWN_EFFECTS: Final = 6
_LONGEST_REASON: Final = 500  # characters
_LONGEST_ARGUMENTS: Final = 1_500  # characters
_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "title": "Decision", "enum": ["allow", "deny"]},
        "reason": {"type": "string", "title": "Reason", "description": "The agent gets it if you deny."},
    },
    "required": ["decision"],
}


class ApprovalElicitation:
    """Approval requests of one agent's runs as elicitations to its client."""

    def __init__(self, services: Services, run_manager: RunManager, marks: KindMarks) -> None:
        self._services = services
        self._run_manager = run_manager
        self._marks = marks
        self._answered: set[str] = set()  # keys of requests that the client answered; a key is never used again

    def is_possible(self, context: Context) -> bool:
        """Whether the user switched it on and the client can show forms."""
        if not self._services.settings().approval_elicitation:
            return False
        capabilities = context.session.client_capabilities
        elicitation = capabilities.elicitation if capabilities is not None else None
        return elicitation is not None and (elicitation.form is not None or elicitation.url is None)

    def requests(self, run: Run) -> dict[str, T.ElicitRequest]:
        """Return the elicitations for what a run waits for now, by key; empty if the risk is too high."""
        waiting = [program_request(run)] if run.awaits_answer else [call_request(one) for one in run.held_calls]
        found = {_key(one): one for one in waiting if self._is_offered(one)}
        return {key: self._request(self._text(one)) for key, one in found.items() if key not in self._answered}

    def _is_offered(self, request: WaitingRequest) -> bool:
        is_known = request.run is None or bool(request.run.fingerprint)
        return (
            is_known
            and request.risk in _OFFERED
            and "allow" in request.answers
            and request.kind is not RequestKind.ANSWER
        )

    def apply(self, run_id: str, responses: Mapping[str, T.InputResponse]) -> None:
        """Apply the client's answers; answers to requests that no longer wait are ignored."""
        run = self._run_manager.run(run_id)
        waiting = self.requests(run)
        for key, response in responses.items():
            if key not in waiting or not isinstance(response, T.ElicitResult):
                continue
            self._answered.add(key)
            if (allow := _decision(response)) is not None:
                with suppress(WorkbenchError):  # it was answered elsewhere at the same moment
                    self._decide(run, key, allow, _reason(response))

    async def ask_during_call(self, context: Context, run_id: str) -> None:
        """Send elicitations while a call of a client with an older protocol is open, until it is cancelled. A form
        that the user need not answer any more is withdrawn."""
        asked = set[str]()
        while True:
            for key, request in self.requests(self._run_manager.run(run_id)).items():
                if key not in asked:
                    asked.add(key)
                    await self._ask(context, run_id, key, request)
            await asyncio.sleep(LOOK)

    async def _ask(self, context: Context, run_id: str, key: str, request: T.ElicitRequest) -> None:
        asking = spawn(
            f"elicitation of {run_id}",
            context.session.send_request(
                request, T.ElicitResult, metadata=ServerMessageMetadata(related_request_id=context.request_id)
            ),
        )
        try:
            while not asking.done() and key in self.requests(self._run_manager.run(run_id)):
                await asyncio.wait([asking], timeout=LOOK)
            if asking.done():
                self.apply(run_id, {key: asking.result()})
        except (MCPError, NoBackChannelError, ValidationError) as fault:
            log.info("the agent's client did not answer an elicitation: %s", type(fault).__name__)
            self._answered.add(key)  # the agent is told that its request waits elsewhere
        finally:
            asking.cancel()

    def _decide(self, run: Run, key: str, allow: bool, reason: str) -> None:
        by = f"you, in {run.proposal.author}"
        if run.state is RunState.WAITING:
            decision = Decision(run.id, run.proposal.sha, allow, by, reason, time.time(), fingerprint=run.fingerprint)
            self._run_manager.decide(decision)
            return
        held = next(one for one in run.held_calls if _key(call_request(one)) == key)
        self._run_manager.answer_held_call(HeldCallAnswer(held.id, allow, reason=reason, by=by))

    def _request(self, message: str) -> T.ElicitRequest:
        schema = self._marks.mark_schema(_SCHEMA, TextKind.FIXED)
        return T.ElicitRequest(params=T.ElicitRequestFormParams(message=message, requested_schema=schema))

    def _text(self, request: WaitingRequest) -> str:
        if request.held_call is not None:
            return self._call_text(request, request.held_call)
        more = len(request.effects) - _SHOWN_EFFECTS
        lines = [request.sentence, *(f"- {text}" for text in request.effects[:_SHOWN_EFFECTS])]
        lines += [f"- {count_of(more, 'more effect')}"] * (more > 0)
        lines += [request.run.isolation] if request.run is not None and request.run.isolation else []
        head = self._fixed(f"A program of {request.author} asks for your approval ({request.risk} risk).\n")
        rest = self._fixed(
            f"\nThe program itself: `mcp-workbench runs show {request.id}`, or in the workbench's window."
        )
        return head + self._marks.mark("\n".join(lines), TextKind.PUBLIC) + rest

    def _call_text(self, request: WaitingRequest, held: HeldCall) -> str:
        head = self._fixed(f"A running program of {held.author} asks for your approval ({held.risk} risk).\n")
        many = f"\nThis and {held.more} similar calls." if held.more and held.sentence else ""
        text = f"{request.sentence}{many}\n{held.arguments[:_LONGEST_ARGUMENTS]}"
        rest = self._fixed(f"\nThe complete call: `mcp-workbench calls show {held.id}`, or in the workbench's window.")
        return head + self._marks.mark(text, TextKind.DATA) + rest

    def _fixed(self, text: str) -> str:
        return self._marks.mark(text, TextKind.FIXED)


def _key(request: WaitingRequest) -> str:
    """Return the key of one form. It names the request and what is shown, so that neither an answer to a different
    request of the same program, nor to a changed one, can apply."""
    return f"{request.kind}-{request.fingerprint[:16]}"


def _decision(response: T.ElicitResult) -> bool | None:
    """Return the decision of the user; None when the form was cancelled or is incomplete: the request waits on."""
    if response.action == "decline":
        return False
    word = (response.content or {}).get("decision") if response.action == "accept" else None
    return {"allow": True, "deny": False}.get(str(word))


def _reason(response: T.ElicitResult) -> str:
    reason = (response.content or {}).get("reason")
    return reason[:_LONGEST_REASON] if isinstance(reason, str) else ""
