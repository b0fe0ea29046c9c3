"""The only path to servers, for calls of users, programs and agents: judge, audit, send, register the answer, audit
again.

Guarantees:

* Before a call is sent, `judge` has allowed it, its PII tokens are restored to values, and the audit holds `call.sent`
  if the call may change anything.
* Before an answer reaches a program or an agent, its personal data is registered in the session.
* The audit entry for the answer of a program's call is written within a hundredth of a second, together with following
  ones (`Journal.append_soon`), and always before the end of the run is announced. If a core is killed, the audit may
  lack the latest answers, never the entry of a sent call that may have changed something.
* A user's own call is audited before the user gets the answer, unless the answer is long: then the answer is shown
  first, and its personal data is registered before anything else is masked with the values of that session and before
  the core ends (`answer_registration.py`).
* A refused or cancelled call is audited before any client is notified.

A call that waited for the user is judged once more, with the rules, definitions and servers of that time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial

from msgspec.structs import replace

from workbench import offload
from workbench.broker.agent_pause import PAUSED, is_paused
from workbench.broker.agent_sessions import Session
from workbench.broker.answer_registration import keep_outcome, register_outcome
from workbench.broker.call_audit import LATER, call_note, ended_call_note, with_masked_names
from workbench.broker.program_answers import seal_answer
from workbench.broker.run_guard import JudgedEdit, RunGuard, keep_tokens
from workbench.broker.services import Services
from workbench.broker.token_release import count_release, restore_tokens
from workbench.errors import WorkbenchError
from workbench.events import CallProgress, Event, ServerRemoved, SignInChanged
from workbench.permissions.judgement import FIRST_CALL, RULED, UNFORESEEN, CallContext, CountedCall, Judgement, judge
from workbench.permissions.release_rules import ReleaseDecision
from workbench.permissions.tool_annotations import facts_of
from workbench.records import (
    CallDecision,
    Fault,
    HeldCallAnswer,
    JsonObject,
    Origin,
    Outcome,
    Permission,
    Place,
    Risk,
    ServerConfig,
    Tool,
    ToolCall,
)
from workbench.records.common_types import at_least
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.tool_definitions.schema_validation import find_argument_departure
from workbench.workspace.answer_cache import key_of


class ToolAnswerCaching:
    """Caches answers of reading tools that the settings name, for equal calls of programs."""

    hears = (SignInChanged, ServerRemoved)

    def __init__(self, services: Services) -> None:
        self._services = services

    async def find(self, call: ToolCall, tool: Tool) -> Outcome | None:
        """Return a cached answer to the call, or None."""
        if not call.run_id or not self._is_cached(tool):
            return None
        found = await asyncio.to_thread(self._services.answer_cache.find, tool.server, self._key(call, tool))
        return None if found is None else replace(found, call_id=call.id)

    async def learn(self, call: ToolCall, tool: Tool, outcome: Outcome) -> None:
        """Cache the answer of a server, or invalidate its cached answers after a call that may have changed
        something."""
        if not self._services.settings().cache_tools:
            return
        if facts_of(tool).risk is not Risk.LOW:
            await asyncio.to_thread(self._services.answer_cache.forget, tool.server)
        elif self._is_cached(tool) and outcome.ok:
            await asyncio.to_thread(self._services.answer_cache.keep, tool.server, self._key(call, tool), outcome)

    def hear(self, event: Event) -> None:
        """Delete the cached answers of a server with a new sign-in and of a removed server."""
        if isinstance(event, SignInChanged) and self._services.settings().cache_tools:
            self._services.answer_cache.forget(event.server)
        elif isinstance(event, ServerRemoved) and self._services.settings().cache_tools:
            self._services.answer_cache.forget(event.name)

    def _is_cached(self, tool: Tool) -> bool:
        if not (patterns := self._services.settings().cache_tools):
            return False
        names = patterns.split()
        if not tool.hints.read_only or facts_of(tool).risk is not Risk.LOW:
            return False
        return any(name == tool.server or fnmatchcase(f"{tool.server}.{tool.name}", name) for name in names)

    def _key(self, call: ToolCall, tool: Tool) -> str:
        try:
            entry = fingerprint(self._services.catalog.server(tool.server).state.config)
        except WorkbenchError:
            entry = ""
        return key_of(tool.hash, entry, tool.name, call.arguments)


log = logging.getLogger(__name__)

Progress = Callable[[float, float, str], None]
Target = tuple[ServerConfig | None, str]  # entry of a server, and hash of a tool's definition


class Broker:
    """Judges and makes calls; each call is audited, whatever happens."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.caching = ToolAnswerCaching(services)

    async def call(self, call: ToolCall, guard: RunGuard | None = None, progress: Progress | None = None) -> Outcome:
        """Judge the call, and make it if allowed. `guard`: the guard of the calling run, if a program calls. A
        refusal is an outcome, not an exception."""
        session = self._services.sessions.get(call.session)
        if session is None:
            return _refusal(call, Fault(f"There is no session {call.session}.", "Connect again."))
        try:
            tool = self._services.catalog.tool(call.server, call.tool)
        except WorkbenchError as fault:
            unknown = Fault(fault.message, fault.hint, code="unknown_tool")
            return self._refuse(with_masked_names(call, session), session, unknown, Risk.LOW)
        if (call.server, call.tool) != (tool.server, tool.name):
            call = replace(call, server=tool.server, tool=tool.name)
        if is_paused(self._services.settings(), session.origin):
            return self._refuse(call, session, PAUSED, Risk.LOW)
        context = await self._context(call, tool, session, guard)
        judgement = await self._judge(call, context, guard)
        used = self._count_uses(judgement.used)
        while judgement.decision is CallDecision.ASK and guard is not None:
            target = self._target(tool)
            rejudge = partial(self._rejudge, call, context, session, guard)
            answer, changed = await guard.ask(call, tool, context.arguments, judgement, rejudge)
            if not answer.allow:
                return self._refuse(call, session, _denied_by_user(answer, judgement), judgement.risk)
            if changed is not None:
                call, judgement = changed.call, changed.judgement
            replaced = self._target(tool) != target
            if not replaced:
                tool = self._services.catalog.tool(tool.server, tool.name)
            allowed = context.allowed_now | {one.key for one in judgement.reasons}
            context = await self._context(call, tool, session, guard, context.counted)
            context = replace(context, replaced=replaced, allowed_now=allowed)
            judgement = await self._judge(call, context, guard)
            used |= self._count_uses(rule for rule in judgement.used if rule.id not in used)
        if judgement.decision is not CallDecision.ALLOW:
            confirm = judgement.decision is CallDecision.ASK
            return self._refuse(
                call, session, judgement.fault, judgement.noted_risk, confirm=confirm, asks=judgement.asks
            )
        if is_paused(self._services.settings(), session.origin):  # since it began to wait
            return self._refuse(call, session, PAUSED, judgement.noted_risk)
        if judgement.stand_in and guard is not None:
            return await self._answer_dry_run(call, context, session, judgement, guard)
        return await self._make_call(call, context, session, judgement, guard, progress)

    def progress(self, call_id: str) -> Progress:
        """Return a function that reports the progress of a call to the clients."""

        def tell(done: float, total: float, message: str) -> None:
            self._services.tell(CallProgress(call_id, done, total, message))

        return tell

    # ── judging ──────────────────────────────────────────────────────────────────────────────────
    async def _context(
        self, call: ToolCall, tool: Tool, session: Session, guard: RunGuard | None, counted: CountedCall | None = None
    ) -> CallContext:
        """Return what the call is judged by now. `counted`: from the first judgement of a call that waited for the
        user, so that it counts once."""
        rules, damaged = self._services.rules.rules_for(tool), None
        try:
            release, arguments = await restore_tokens(call, tool, session, rules)
        except WorkbenchError as fault:
            release, arguments, damaged = (), call.arguments, Fault(fault.message, fault.hint)
        if guard is not None and counted is None:
            counted = guard.count(call, tool, arguments)
        return CallContext(
            tool,
            rules,
            self._services.settings(),
            blocked=self._services.catalog.blocked(tool),
            verdict=guard.verdict if guard is not None else None,
            approved=guard is not None and guard.approved,
            arguments=arguments,
            release=release,
            damaged=damaged,
            run=guard,
            counted=counted or FIRST_CALL,
            dry_run=guard is not None and guard.is_dry_run,
            dry_run_reads_outside=guard is not None and guard.dry_run_reads_outside,
        )

    async def _judge(self, call: ToolCall, context: CallContext, guard: RunGuard | None) -> Judgement:
        """Judge a call; on a thread if rules follow paths or the sources of long values must be searched."""
        if context.rules.looks_into_arguments or (guard is not None and guard.needs_thread(context.tool)):
            return await asyncio.to_thread(judge, call, context)
        return judge(call, context)

    async def _rejudge(
        self, call: ToolCall, context: CallContext, session: Session, guard: RunGuard, arguments: JsonObject
    ) -> JudgedEdit:
        """Judge a held call with arguments that the user wrote; raises if it would be refused."""
        if departure := find_argument_departure(context.tool, arguments):
            raise WorkbenchError("The tool does not take these arguments.", departure)
        kept = keep_tokens(arguments, context.arguments, call.arguments)
        assert isinstance(kept, dict)
        changed = replace(call, arguments=kept)
        now = await self._context(changed, context.tool, session, guard, context.counted)
        if now.damaged is not None:
            raise WorkbenchError(now.damaged.message, now.damaged.hint)
        now = replace(now, replaced=context.replaced, allowed_now=context.allowed_now)
        judgement = await self._judge(changed, now, guard)
        if judgement.decision is CallDecision.DENY:
            raise WorkbenchError(judgement.fault.message, judgement.fault.hint)
        return JudgedEdit(changed, now.arguments, judgement)

    def _count_uses(self, rules: Iterable[Permission]) -> set[str]:
        """Count that these rules decided something, even if the user then denied the call; returns their ids."""
        counted = set()
        for rule in rules:
            self._services.rules.note_use(rule)
            counted.add(rule.id)
        return counted

    def _target(self, tool: Tool) -> Target:
        """Return the server's current entry and the hash of the tool's current definition; empty if either no longer
        exists."""
        catalog = self._services.catalog
        try:
            return catalog.server(tool.server).state.config, catalog.tool(tool.server, tool.name).hash
        except WorkbenchError:
            return None, ""

    # ── sending ──────────────────────────────────────────────────────────────────────────────────
    async def _make_call(
        self,
        call: ToolCall,
        context: CallContext,
        session: Session,
        judgement: Judgement,
        guard: RunGuard | None,
        progress: Progress | None,
    ) -> Outcome:
        tool, arguments, given, risk = context.tool, context.arguments, context.release, judgement.risk
        if guard is not None:
            guard.note_sent(tool, arguments, judgement)
        count_release(given, session)
        if at_least(risk, Risk.MEDIUM):  # a side effect is audited before it happens
            words = f"{tool.server}.{tool.name} was called"
            sending = call_note("call.sent", call, session, risk, words, None, ok=True, given=given)
            if session.registrations.busy:  # the arguments may contain values of an answer that was just shown
                sending = replace(sending, detail={**sending.detail, "arguments": LATER})
            self._services.journal.append(sending)
        sent = replace(call, arguments=arguments) if arguments is not call.arguments else call
        outcome = await self.caching.find(sent, tool)
        if outcome is None:
            outcome = await self._send(sent, tool, session, risk, progress)
            await self.caching.learn(sent, tool, outcome)
        if not call.run_id:
            return await self._answer_user(sent, call, tool, session, risk, outcome, given)
        outcome = await self._register_answer(session, tool, outcome, call)
        if guard is not None:
            await guard.learn(call, tool, outcome)
        learns = guard is None or not guard.is_dry_run
        self._remember(sent, tool, session, outcome, learns=learns)
        self._services.journal.append_soon(lambda: ended_call_note(call, tool, session, risk, outcome, given))
        return await self._answer_program(outcome, tool, session, given)

    async def _answer_user(
        self,
        sent: ToolCall,
        call: ToolCall,
        tool: Tool,
        session: Session,
        risk: Risk,
        outcome: Outcome,
        given: Sequence[ReleaseDecision],
    ) -> Outcome:
        """Return the answer of the user's own call; before registration if that would take long."""

        def note() -> None:
            self._remember(sent, tool, session, outcome)
            self._services.journal.append(ended_call_note(call, tool, session, risk, outcome, given))

        register = partial(self._register_answer, session, tool, outcome, call)
        long = outcome.bytes > offload.ANSWER_INDEXING.limit
        if session.origin is Origin.PERSON and (long or session.registrations.busy):
            session.registrations.add(register, note)
            return outcome
        outcome = await register()
        note()
        return outcome

    async def _answer_program(
        self, outcome: Outcome, tool: Tool, session: Session, given: Sequence[ReleaseDecision] = ()
    ) -> Outcome:
        """Return the answer as the sandbox gets it, with sealed values replaced by tokens."""
        return await seal_answer(outcome, tool, session, self._sealed_fields(tool), given)

    def _sealed_fields(self, tool: Tool) -> tuple[str, ...]:
        return self._services.rules.rules_for(tool).sealed_fields(self._services.settings().privacy_sealed)

    async def _answer_dry_run(
        self, call: ToolCall, context: CallContext, session: Session, judgement: Judgement, guard: RunGuard
    ) -> Outcome:
        """Return the answer of a dry run; it is registered too, because answers from the history may contain
        personal data."""
        held = await guard.hold_call(call, context.tool, context.arguments, judgement)
        words = "was held by a dry run" if held.ok else "was refused: the dry run cannot hold more calls"
        self._note(
            "call.held_by_dry_run", call, session, judgement.risk, f"{call.server}.{call.tool} {words}", ok=held.ok
        )
        held = await self._register_answer(session, context.tool, held, call)
        return await self._answer_program(held, context.tool, session)

    def _remember(self, call: ToolCall, tool: Tool, session: Session, outcome: Outcome, *, learns: bool = True) -> None:
        """Add the call to the history, and let the search ranking learn from it."""
        if not outcome.cached:  # a cached answer called no server
            self._services.history.keep(call, tool, outcome)
        if outcome.ok and learns:
            for question in session.find_queries(tool.server, tool.name):
                self._services.catalog.ran_after(question, tool.server, tool.name)

    async def _send(
        self, call: ToolCall, tool: Tool, session: Session, risk: Risk, progress: Progress | None
    ) -> Outcome:
        try:
            return await self._services.catalog.call(call, progress)
        except asyncio.CancelledError:
            self._note("call.cancelled", call, session, risk, f"{call.server}.{call.tool} was cancelled", ok=False)
            self._services.history.keep(call, tool, Outcome(call.id, ok=False, fault=Fault("The call was cancelled.")))
            raise
        except Exception as fault:  # an unexpected fault of the workbench must still leave an audit entry
            log.exception("a call of %s.%s failed in the workbench", call.server, call.tool)
            return Outcome(
                call.id,
                ok=False,
                fault=Fault("The workbench failed with an internal error.", "See its log.", str(fault)),
            )

    async def _register_answer(self, session: Session, tool: Tool, outcome: Outcome, call: ToolCall) -> Outcome:
        """Keep an answer, so that its personal data is found when parts of it are sent out; where values are sealed,
        search it at once. An answer for which that fails reaches no agent; the user sees it, as all answers."""
        place = Place(tool.server, tool.name, call.run_id, round(time.time(), 1), call_id=call.id)
        try:
            if session.sealed or self._sealed_fields(tool):
                await offload.REGISTRATION.run(outcome.bytes, register_outcome, session, place, outcome)
            await offload.ANSWER_INDEXING.run(outcome.bytes, keep_outcome, session, place, outcome)
        except Exception as fault:  # data from a server can make a parser fail in any way
            log.exception("an answer of %s.%s cannot be searched for personal data", tool.server, tool.name)
            if session.origin is Origin.PERSON:
                return outcome
            words = "The answer could not be searched for personal data, so it is withheld."
            unread = Fault(words, "", type(fault).__name__)
            if isinstance(fault, WorkbenchError):
                unread = Fault(fault.message, fault.hint)
            return Outcome(outcome.call_id, ok=False, fault=unread, ms=outcome.ms, bytes=outcome.bytes)
        return outcome

    def _refuse(
        self, call: ToolCall, session: Session, fault: Fault, risk: Risk, *, confirm: bool = False, asks: str = ""
    ) -> Outcome:
        if not confirm:  # asking the user is not a refusal
            summary = f"{call.server}.{call.tool} was refused: {session.mask(fault.message)}"
            self._note("call.refused", call, session, risk, summary, ok=False)
        return _refusal(call, fault, confirm=confirm, asks=asks)

    def _note(
        self,
        kind: str,
        call: ToolCall,
        session: Session,
        risk: Risk,
        summary: str,
        *,
        ok: bool = True,
    ) -> None:
        self._services.journal.append(call_note(kind, call, session, risk, summary, None, ok=ok))


def _denied_by_user(answer: HeldCallAnswer, judgement: Judgement) -> Fault:
    """Return the fault that a program gets for a call that the user denied."""
    about = [one for one in judgement.reasons if one.rule in (RULED, UNFORESEEN)]
    words = f"{about[0].text.rstrip('.')}." if about else "This call needs the user's approval."
    reason = f"The user denied it: {answer.reason}" if answer.reason and answer.held_call_id else answer.reason
    return Fault(f"{words} {reason or 'The user denied it.'}", "Continue without this call, or ask the user why.")


def _refusal(call: ToolCall, fault: Fault, *, confirm: bool = False, asks: str = "") -> Outcome:
    return Outcome(call.id, ok=False, fault=fault, refused=not confirm, needs_confirmation=confirm, asks=asks)
