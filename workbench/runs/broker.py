"""The only door to real servers. A form's call and a program's call meet the same steps here, in the same order:
policy, restoring of personal data, the call, registering what came back, the audit.

What has to be done when: before a call goes out, policy has said yes, tokens are values again, and the audit holds
`call.sent` if the call may change anything. Before its answer reaches anybody, what is personal in it is known to the
session. That a program's call was answered is written down while the program already works with the answer: together
with the next ones, within a hundredth of a second, and always before the end of the run is told
(`Journal.append_soon`); so is what the history and the doors get to know (`afterwards.py`). A core that is killed may
leave out of the audit that the last calls were answered, never that one was sent which may have changed something. A
user's own call is written before the user is told, unless its answer is long: then the answer comes first, and what is
personal in it becomes known behind it, before anything else is masked with the values of that session and before the
core ends (`registrations.py`). Whatever was refused or cancelled is written before anybody is told.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from workbench.errors import WorkbenchError
from workbench.events import CallProgress
from workbench.policy.calls import CallVerdict, check_call, tool_risk
from workbench.policy.gate import unasked
from workbench.policy.levels import at_least
from workbench.policy.profiles import outside
from workbench.policy.trust import NO_RULE, Judged
from workbench.privacy.restoring import Weighed
from workbench.records import (
    Fault,
    Note,
    Origin,
    Outcome,
    Place,
    Risk,
    ServerConfig,
    Tool,
    ToolCall,
    Verdict,
    Word,
)
from workbench.runs.afterwards import Afterwards
from workbench.runs.caching import Caching
from workbench.runs.guard import Guard
from workbench.runs.ingress import register_outcome
from workbench.runs.restored import asked, count, denial, give, noted, restored, weighed
from workbench.runs.rooms import Rooms
from workbench.runs.sealing import for_program
from workbench.runs.sessions import Session
from workbench.runs.shown import LONGEST_KEY, shown_arguments
from workbench.runs.tape import Tapes

log = logging.getLogger(__name__)

BIG_ANSWER = 20_000  # bytes; past this, looking for personal data would hold up the loop, so a thread does it
LATER = "(in the entry of its answer)"  # instead of arguments that cannot be masked yet
KEPT_FAULT = 2_400  # characters of what went wrong that the audit keeps
Progress = Callable[[float, float, str], None]


class Broker:
    """Carries one call from a wish to an outcome; whatever happens, the audit has it."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self.afterwards = Afterwards()
        self.caching = Caching(rooms)
        self.tapes = Tapes()

    async def call(
        self,
        call: ToolCall,
        verdict: Verdict | None = None,
        approved: bool = False,
        progress: Progress | None = None,
        guard: Guard | None = None,
    ) -> Outcome:
        """Do the call if policy agrees, and the guard of its run if it is part of one; a refusal is an outcome, not an
        exception."""
        session = self._rooms.sessions.get(call.session)
        if session is None:
            return _refusal(call, Fault(f"There is no session {call.session}.", "Connect again."))
        try:
            tool = self._rooms.catalog.tool(call.server, call.tool)
        except WorkbenchError as fault:
            unknown = Fault(fault.message, fault.hint, code="unknown_tool")
            return self._refuse(_named(call, session), session, unknown, Risk.LOW)
        if (call.server, call.tool) != (tool.server, tool.name):
            call = replace(call, server=tool.server, tool=tool.name)
        if (blocked := self._rooms.catalog.blocked(tool)) is not None:
            return self._refuse(call, session, blocked, Risk.HIGH)
        if verdict is not None and (beyond := outside(verdict.profile, verdict.required, tool)) is not None:
            return self._refuse(call, session, beyond, Risk.HIGH)
        ruled = await self._ruled(call, tool, session, approved) if verdict is not None else NO_RULE
        word = ruled.word if verdict is not None else self._own_word(call, tool)
        said = check_call(call, tool, verdict, approved, word, ruled.why)
        if not said.allow and not (said.pause and guard is not None):
            words = f"{said.reason} {await self._giving(call, tool, session) if said.confirm else ''}".strip()
            return self._refuse(call, session, Fault(words, said.hint), said.risk, confirm=said.confirm, asks=said.asks)
        return await self._carry(call, tool, said, session, progress, guard)

    def progress(self, call_id: str) -> Progress:
        """Tells the doors how far a call is."""

        def tell(done: float, total: float, message: str) -> None:
            self._rooms.tell(CallProgress(call_id, done, total, message))

        return tell

    def _own_word(self, call: ToolCall, tool: Tool) -> Word | None:
        """What the user said of their own calls of this tool; nothing that an agent does comes by here."""
        if call.origin is not Origin.PERSON or call.run_id or call.confirmed:
            return None
        if (permission := self._rooms.rules.for_own_calls(tool)) is None:
            return None
        self._rooms.rules.note_use(permission)
        return Word.ALLOW

    async def _ruled(self, call: ToolCall, tool: Tool, session: Session, approved: bool) -> Judged:
        """What the person's rules say of this call, with personal data as it would be sent."""
        rules = self._rooms.rules
        found = rules.judge(tool, None, session.id, call.run_id)
        if rules.looks_into(tool):
            try:
                arguments = await restored(call, tool, session)
            except WorkbenchError:  # the call itself says what is wrong
                return Judged(Word.ASK, None, "Its arguments cannot be read.")
            foreseen, found = found, await asyncio.to_thread(rules.judge, tool, arguments, session.id, call.run_id)
            if foreseen.word is Word.ALLOW and found.word is None and not approved and self._would_ask(tool):
                return Judged(Word.ASK, None, f"Your rules allow {tool.server}.{tool.name} for other arguments only.")
        rules.note_use(found.permission)
        whole = found.permission is None or found.permission.kind != "arguments"
        return NO_RULE if found.word is Word.ASK and approved and whole else found

    def _stands_behind(self, tool: Tool) -> tuple[ServerConfig | None, str]:
        """The server's entry and the hash of the tool's definition as they are now; empty when they are gone."""
        catalog = self._rooms.catalog
        try:
            return catalog.server(tool.server).state.config, catalog.tool(tool.server, tool.name).hash
        except WorkbenchError:
            return None, ""

    def _would_ask(self, tool: Tool) -> bool:
        return not unasked(tool_risk(tool), self._rooms.settings())

    async def _carry(
        self,
        call: ToolCall,
        tool: Tool,
        said: CallVerdict,
        session: Session,
        progress: Progress | None,
        guard: Guard | None,
    ) -> Outcome:
        try:
            given, arguments = await give(call, tool, session, self._rooms.rules)
        except WorkbenchError as fault:
            return self._refuse(call, session, Fault(fault.message, fault.hint), said.risk)
        if (denied := denial(given)) is not None:
            return self._refuse(call, session, denied, said.risk)
        if guard is None and not call.confirmed and (words := asked(given)):
            question = Fault(words, "Call it once more with your confirmation to do it anyway.")
            return self._refuse(call, session, question, said.risk, confirm=True)
        if guard is not None and (held := await guard.hold(call, tool, said, arguments)) is not None:
            return await self._held(call, tool, session, said.risk, held)
        if guard is not None:
            asked_about = self._stands_behind(tool)
            if (against := await guard.refusal(call, tool, said, arguments, given)) is not None:
                return self._refuse(call, session, against, said.risk)
            if self._stands_behind(tool) != asked_about:
                return self._refuse(call, session, _replaced(tool), said.risk)
        count(given, session)
        if at_least(said.risk, Risk.MEDIUM):  # the audit knows of a side effect before the world does
            words = f"{tool.server}.{tool.name} was called"
            sending = _entry("call.sent", call, session, said.risk, words, None, ok=True, given=given)
            if session.registrations.busy:  # they may come from an answer that was just shown
                sending = replace(sending, detail={**sending.detail, "arguments": LATER})
            self._rooms.journal.append_ahead(sending)
        sent = replace(call, arguments=arguments) if arguments is not call.arguments else call
        outcome = await self.caching.find(sent, tool)
        if outcome is None:
            outcome = await self._send(sent, tool, session, said.risk, progress)
            await self.caching.learn(sent, tool, outcome)
        if not call.run_id:
            return await self._for_user(sent, call, tool, session, said.risk, outcome, given)
        outcome = await self._registered(session, tool, outcome, call.run_id)
        if guard is not None:
            await guard.learn(call, tool, outcome)
        learns = guard is None or not guard.rehearses
        ended = _Ended(lambda: _ended(call, tool, session, said.risk, outcome, given))
        self.afterwards.put(lambda: self._remember(sent, tool, session, outcome, learns=learns))
        self.afterwards.put(ended.made)  # made while somebody waits for a server, written with others
        self._rooms.journal.append_soon(ended.made)
        return await self._for_program(outcome, tool, session, given)

    async def _for_user(
        self,
        sent: ToolCall,
        call: ToolCall,
        tool: Tool,
        session: Session,
        risk: Risk,
        outcome: Outcome,
        given: Sequence[Weighed],
    ) -> Outcome:
        """The answer of the user's own call: at once when looking it through would take long."""

        def note() -> None:
            self._remember(sent, tool, session, outcome)
            self._rooms.journal.append(_ended(call, tool, session, risk, outcome, given))

        register = partial(self._registered, session, tool, outcome, call.run_id)
        if session.origin is Origin.PERSON and (outcome.bytes > BIG_ANSWER or session.registrations.busy):
            session.registrations.put(register, note)
            return outcome
        outcome = await register()
        note()
        return outcome

    async def _for_program(
        self, outcome: Outcome, tool: Tool, session: Session, given: Sequence[Weighed] = ()
    ) -> Outcome:
        """What goes into a sandbox: without what a person sealed."""
        fields = self._rooms.rules.sealed(tool, self._rooms.settings().privacy_sealed)
        return await for_program(outcome, tool, session, fields, given)

    async def _held(self, call: ToolCall, tool: Tool, session: Session, risk: Risk, held: Outcome) -> Outcome:
        """A rehearsal answered; what it answered out of the history may hold personal data."""
        words = "was held by a rehearsal" if held.ok else "was refused: the rehearsal holds no more"
        self._note("call.held", call, session, risk, f"{call.server}.{call.tool} {words}", ok=held.ok)
        held = await self._registered(session, tool, held, call.run_id)
        return await self._for_program(held, tool, session)

    def _remember(self, call: ToolCall, tool: Tool, session: Session, outcome: Outcome, *, learns: bool = True) -> None:
        """So that the call can be found again, and the next search be better."""
        if not outcome.cached:  # else nobody was called
            self._rooms.history.keep(call, tool, outcome)
        if outcome.ok and learns:
            for question in session.questions(tool.server, tool.name):
                self._rooms.catalog.ran_after(question, tool.server, tool.name)

    async def _send(
        self, call: ToolCall, tool: Tool, session: Session, risk: Risk, progress: Progress | None
    ) -> Outcome:
        try:
            return await self._rooms.catalog.call(call, progress)
        except asyncio.CancelledError:
            self._note("call.cancelled", call, session, risk, f"{call.server}.{call.tool} was cancelled", ok=False)
            self._rooms.history.keep(call, tool, Outcome(call.id, ok=False, fault=Fault("The call was cancelled.")))
            raise
        except Exception as fault:  # whatever broke in the house: the audit must still have the call
            log.exception("a call of %s.%s broke", call.server, call.tool)
            return Outcome(
                call.id, ok=False, fault=Fault("The workbench itself failed.", "Its log says more.", str(fault))
            )

    async def _registered(self, session: Session, tool: Tool, outcome: Outcome, run_id: str) -> Outcome:
        """Remember the personal data that came in, with its keys, before anything can go out. An answer that cannot be
        read for it reaches no agent; a person sees it, as they see all answers."""
        place = Place(tool.server, tool.name, run_id, round(time.time(), 1))
        try:
            if outcome.bytes > BIG_ANSWER:
                await asyncio.to_thread(register_outcome, session, place, outcome)
            else:
                register_outcome(session, place, outcome)
        except Exception as fault:  # foreign data can break a reader in any way
            log.exception("an answer of %s.%s cannot be read for personal data", tool.server, tool.name)
            if session.origin is Origin.PERSON:
                return outcome
            unread = Fault(
                "The answer cannot be read for personal data, so it is not handed on.", "", type(fault).__name__
            )
            return Outcome(outcome.call_id, ok=False, fault=unread, ms=outcome.ms, bytes=outcome.bytes)
        return outcome

    def _refuse(
        self, call: ToolCall, session: Session, fault: Fault, risk: Risk, *, confirm: bool = False, asks: str = ""
    ) -> Outcome:
        if not confirm:  # a question back to the person is not a refusal yet
            summary = f"{call.server}.{call.tool} was refused: {session.mask(fault.message)}"
            self._note("call.refused", call, session, risk, summary, ok=False)
        return _refusal(call, fault, confirm=confirm, asks=asks)

    async def _giving(self, call: ToolCall, tool: Tool, session: Session) -> str:
        """What a person who is asked about the call should know of its tokens."""
        try:
            return asked(await weighed(call, tool, session, self._rooms.rules))
        except WorkbenchError:
            return ""  # the call itself says what is wrong

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
        self._rooms.journal.append(_entry(kind, call, session, risk, summary, None, ok=ok))


def _replaced(tool: Tool) -> Fault:
    return Fault(
        f"{tool.server}.{tool.name} was not called: its server or its definition changed while the call waited.",
        "Call it again: it is judged as it is now.",
    )


def _named(call: ToolCall, session: Session) -> ToolCall:
    """A call of what nobody has heard of: its names are a program's own words, of any length, about anybody."""
    server, tool = (session.mask_start(word, LONGEST_KEY) for word in (call.server, call.tool))
    return replace(call, server=server, tool=tool)


class _Ended:
    """The note of a call that was answered, made when somebody first wants it."""

    def __init__(self, make: Callable[[], Note]) -> None:
        self._make = make
        self._note: Note | None = None

    def made(self) -> Note:
        if self._note is None:
            self._note = self._make()
        return self._note


def _ended(
    call: ToolCall, tool: Tool, session: Session, risk: Risk, outcome: Outcome, given: Sequence[Weighed] = ()
) -> Note:
    """That a call was answered; it never fails, because it may be written when nobody can be told any more."""
    kind, word = ("call.done", "answered") if outcome.ok else ("call.failed", "failed")
    word = "was answered from the cache" if outcome.cached else word
    summary = f"{tool.server}.{tool.name} {word}"
    try:
        return _entry(kind, call, session, risk, summary, outcome, ok=outcome.ok, given=given)
    except Exception as fault:  # foreign data can break a reader in any way
        log.exception("what is known of a call of %s.%s cannot be written down", tool.server, tool.name)
        bare = replace(call, arguments={})
        return replace(
            _entry(kind, bare, session, risk, summary, None, ok=outcome.ok), detail={"unread": type(fault).__name__}
        )


def _entry(
    kind: str,
    call: ToolCall,
    session: Session,
    risk: Risk,
    summary: str,
    outcome: Outcome | None,
    *,
    ok: bool,
    given: Sequence[Weighed] = (),
) -> Note:
    detail: dict[str, object] = {"call": call.id, "arguments": shown_arguments(session, call.arguments)}
    if given:
        detail["restored"] = noted(given)
    if outcome is not None:
        detail["bytes"] = outcome.bytes
        if outcome.cached:
            detail["cached"] = round(outcome.cached)
        if outcome.fault:
            detail["fault"] = session.mask_start(f"{outcome.fault.message} {outcome.fault.detail}", KEPT_FAULT)
    return Note(
        kind=kind,
        summary=summary,
        actor=session.author,
        session=session.id,
        run_id=call.run_id,
        server=call.server,
        tool=call.tool,
        risk=str(risk),
        ok=ok,
        ms=outcome.ms if outcome else 0.0,
        tokens=outcome.tokens if outcome else 0,
        detail=detail,
    )


def _refusal(call: ToolCall, fault: Fault, *, confirm: bool = False, asks: str = "") -> Outcome:
    return Outcome(call.id, ok=False, fault=fault, refused=not confirm, needs_confirmation=confirm, asks=asks)
