"""Reads resources and prompts of servers: registers their personal data and audits the reading, as for calls.

Reading changes nothing at a server, so it is not judged. PII tokens in requests are restored to values, answers are
registered before anything can be sent out, and every reading is audited.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial

from msgspec.structs import replace

from workbench import offload
from workbench.broker.agent_sessions import Session
from workbench.broker.answer_registration import keep_outcome
from workbench.broker.call_audit import KEPT_FAULT, shown_arguments
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import Fault, Note, Outcome, PromptAnswer

log = logging.getLogger(__name__)

_SHOWN = 300  # characters of an address in the audit


class ResourceReader:
    """Reads resources and prompts; each reading is audited, whatever happens."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def resource(self, call_id: str, server: str, uri: str, session: Session) -> Outcome:
        """Return the content of a resource; a fault is an outcome."""
        what = f"The resource {session.mask_start(uri, _SHOWN)} of {server}"
        try:
            address = str(session.vault.restore_json({"uri": uri}, server)["uri"])
            outcome = await self._services.catalog.offered.read(call_id, server, address)
        except asyncio.CancelledError:
            self._note("resource.cancelled", f"{what}: the request was cancelled", server, session, ok=False)
            raise
        except WorkbenchError as fault:
            outcome = Outcome(call_id, ok=False, fault=Fault(fault.message, fault.hint))

        def note() -> None:
            kind, word = ("resource.read", "was read") if outcome.ok else ("resource.failed", "could not be read")
            self._note(kind, f"{what} {word}", server, session, outcome)

        await self._register_and_note(session, server, outcome, note)
        return outcome

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str], session: Session) -> PromptAnswer:
        """Return a prompt filled in with arguments; a fault is part of the answer."""
        what = f"The prompt {session.mask_start(name, _SHOWN)} of {server}"
        try:
            restored = session.vault.restore_json(dict(arguments), server)
            answer = await self._services.catalog.offered.prompt(server, name, restored)
        except asyncio.CancelledError:
            self._note(
                "prompt.cancelled", f"{what}: the request was cancelled", server, session, arguments=arguments, ok=False
            )
            raise
        except WorkbenchError as fault:
            answer = PromptAnswer(name, fault=Fault(fault.message, fault.hint))
        content = tuple(message.content for message in answer.messages)
        outcome = Outcome("", answer.fault is None, content, "", answer.fault, ms=answer.ms, bytes=answer.bytes)

        def note() -> None:
            kind, word = (
                ("prompt.filled", "was filled in") if outcome.ok else ("prompt.failed", "could not be filled in")
            )
            told = replace(outcome, tokens=answer.tokens)
            self._note(kind, f"{what} {word}", server, session, told, arguments=arguments)

        await self._register_and_note(session, server, outcome, note)
        return answer

    async def _register_and_note(
        self, session: Session, server: str, outcome: Outcome, note: Callable[[], None]
    ) -> None:
        """Register and audit an answer, after it is shown if registration takes long; only the user reads resources
        this way."""
        register = partial(self._register, session, server, outcome)
        if outcome.bytes > offload.ANSWER_INDEXING.limit or session.registrations.busy:
            session.registrations.add(register, note)
        else:
            await register()
            note()

    async def _register(self, session: Session, server: str, outcome: Outcome) -> None:
        """Register an answer. The user sees an answer even if it cannot be searched; agents cannot read resources
        this way."""
        try:
            await offload.ANSWER_INDEXING.run(outcome.bytes, keep_outcome, session, server, outcome)
        except Exception:  # data from a server can make a parser fail in any way
            log.exception("an answer of %s cannot be searched for personal data", server)

    def _note(
        self,
        kind: str,
        summary: str,
        server: str,
        session: Session,
        outcome: Outcome | None = None,
        *,
        arguments: Mapping[str, str] | None = None,
        ok: bool = True,
    ) -> None:
        detail: dict[str, object] = {}
        if arguments:
            detail["arguments"] = shown_arguments(session, arguments)
        if outcome is not None:
            detail["bytes"] = outcome.bytes
        if outcome is not None and outcome.fault is not None:
            detail["fault"] = session.mask_start(f"{outcome.fault.message} {outcome.fault.detail}", KEPT_FAULT)
        self._services.journal.append(
            Note(
                kind=kind,
                summary=summary,
                actor=session.author,
                session=session.id,
                server=server,
                risk="low",
                ok=outcome.ok if outcome else ok,
                ms=outcome.ms if outcome else 0.0,
                tokens=outcome.tokens if outcome else 0,
                detail=detail,
            )
        )
