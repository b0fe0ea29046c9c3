"""Stands before each call of one run with its real arguments, after policy has read the program and before the server
hears anything: the call passes, is refused, or waits for a person.

The order: what the program's text foretold (`policy/calls.py`), what the person's rules say, where the arguments came
from (`provenance.py`), what a rehearsal planned. An ordinary call, one that changes nothing and reaches nobody, is
through after a few lookups.
"""

from __future__ import annotations

import ast
import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from workbench.policy import bits
from workbench.policy import origins as policy
from workbench.policy.calls import CallVerdict, destroys
from workbench.policy.gate import spared
from workbench.policy.levels import at_least, worst
from workbench.policy.origins import PRIVATE, UNTRUSTED, Objection
from workbench.privacy.restoring import Weighed, offers
from workbench.records import (
    Fault,
    JsonObject,
    Outcome,
    Pause,
    PauseAnswer,
    Permission,
    Risk,
    Tool,
    ToolCall,
    ValueOrigin,
)
from workbench.runs.answered import texts_of
from workbench.runs.giving import Told, announced, giving_objections, spoken_once, unforetold
from workbench.runs.pauses import Pauses
from workbench.runs.plan import Planned, canonical
from workbench.runs.provenance import SHORT, Came, Read
from workbench.runs.road import Road, is_person
from workbench.runs.sifting import UNREAD, Sifted, in_order, sift
from workbench.runs.wording import leaves, words
from workbench.syntax import parse

SHOWN_VALUE = 300  # characters of one value in a question
SHOWN_ARGUMENTS = 20_000  # characters of all arguments in a question
SHOWN_LINE = 400  # characters of a call in a list of them
PLAN = "plan"  # the rule that a call stands nowhere in the plan
_LOOKED_FOR = frozenset({UNTRUSTED, PRIVATE})


class Guard:
    """One run's. `refusal` before each call, `learn` after each answer."""

    def __init__(self, road: Road, pauses: Pauses, waiting: Callable[[str, bool], None]) -> None:
        """`waiting` is told which call began or ceased to wait for a person."""
        self._road = road
        self._pauses = pauses
        self._waiting = waiting
        self._provenance = road.session.provenance
        self._calls: Counter[tuple[str, str]] = Counter()
        self._known: dict[tuple[str, str], tuple[Tool, bool, frozenset[str], bool]] = {}  # what was found out of a tool
        self._rest: set[tuple[str, str, str]] = set()  # server, tool, rule: the rest of this run may
        self._denied: set[tuple[str, ...]] = set()
        self.asked = 0  # how many calls waited for a person

    async def refusal(
        self, call: ToolCall, tool: Tool, said: CallVerdict, arguments: JsonObject, given: Sequence[Weighed] = ()
    ) -> Fault | None:
        """None lets it pass. `arguments`: as they would be sent; `given`: what would be put in place of tokens."""
        key = (tool.server, tool.name)
        self._calls[key] += 1
        giving = unforetold(given, tool, self._told)
        if said.allow and not giving and self._facts(tool)[1]:
            return None
        planned = self._road.plan.judge(call.id, tool, arguments) if self._road.plan is not None else None
        if planned is Planned.LEFT_OUT:
            return Fault("The person left this call out of the plan they allowed.", "Go on without it, or ask why.")
        if self._facts(tool)[3]:
            self._provenance.way_out = True
        if planned is Planned.EXACT:
            return None
        found, objections = await self._look(call, tool, said, arguments)
        if any(one.rule == "private" for one in objections):
            as_tokens = call.arguments is not arguments
            plain = (await self._look(call, tool, said, call.arguments))[1] if as_tokens else objections
            objections = spoken_once(objections, plain, self._road.session.vault, tool)
        if planned is Planned.BY_PLACE:
            objections = [one for one in objections if one.path]  # of its values; the call itself is in the plan
        elif planned is Planned.NOWHERE and not policy.only_reads(tool):
            objections = [_beyond_plan(tool, said, arguments), *objections]
        objections = [*giving_objections(giving), *objections]
        open_ones = [one for one in objections if not self._settled(tool, one)]
        if not open_ones:
            if not objections and bits.asks_anywhere(tool):
                self._provenance.pass_places(text for _, text, place in sift(arguments).values if place)
            return None
        if any((*key, one.rule, one.path, _named(one.value)) in self._denied for one in open_ones):
            return _denied(PauseAnswer("", allow=False, reason="the same was denied before"))
        answer = await self._ask(call, tool, arguments, open_ones, found, offers(giving, tool))
        self._remember(tool, open_ones, answer)
        return None if answer.allow else _denied(answer, said)

    @property
    def rehearses(self) -> bool:
        return self._road.rehearsal is not None

    async def hold(self, call: ToolCall, tool: Tool, said: CallVerdict, arguments: JsonObject) -> Outcome | None:
        """In a rehearsal: the answer in the server's place, to whatever does more than read. None lets it pass."""
        rehearsal = self._road.rehearsal
        if rehearsal is None or (said.allow and self._facts(tool)[1]):
            return None
        found, objections = await self._look(call, tool, said, arguments)
        if said.allow and rehearsal.asks_outside and policy.only_reads(tool) and not objections:
            return None
        return await rehearsal.hold(call, tool, arguments, said.risk, shortened(found), self._road.run.verdict)

    async def learn(self, call: ToolCall, tool: Tool, outcome: Outcome) -> None:
        """An answer came in; what it holds is looked at when a later call makes it matter."""
        if self._road.plan is not None:
            self._road.plan.learn(call.id, outcome)
        if (kinds := self._facts(tool)[2]) and (texts := texts_of(outcome)):
            self._provenance.learn(Read(call.id, call.run_id, tool.server, tool.name, kinds, texts))
            if self._provenance.overfull:
                await asyncio.to_thread(self._provenance.file)

    # ── what speaks against it ───────────────────────────────────────────────────────────────────
    async def _look(
        self, call: ToolCall, tool: Tool, said: CallVerdict, arguments: JsonObject
    ) -> tuple[tuple[ValueOrigin, ...], list[Objection]]:
        provenance, covered = self._provenance, said.allow and self._covered(tool)
        sifted = sift(arguments) if provenance.kinds else Sifted(())
        if sifted.values and provenance.heavy:
            await asyncio.to_thread(provenance.file)
        elif sifted.values:
            provenance.file()
        found = self._origins(sifted, tool)
        objections = [*self._unforeseen(tool, said), *self._objections(tool, found, covered=covered)]
        if not covered and PRIVATE in provenance.kinds and self._may_carry(tool, call):
            told = {one.path for one in objections if one.rule == "private"}
            derived = await self._search_derived(tool, call)
            objections += [one for one in derived if one.path not in told]
        if provenance.kinds and (sifted.unread_place or (sifted.unread and not covered)):
            words = f"A call of {tool.server}.{tool.name} {UNREAD}"
            objections.append(Objection("unread", worst((said.risk, Risk.HIGH)), words, "", canonical(arguments)))
        if covered and self._loops(tool) and not self._own(*(text for _, text in leaves(dict(arguments)))):
            name = f"{tool.server}.{tool.name}"
            objections.append(Objection("loop", Risk.HIGH, f"Calls {name} as often as its data says"))
        return found, objections

    def _objections(self, tool: Tool, found: tuple[ValueOrigin, ...], *, covered: bool) -> tuple[Objection, ...]:
        return policy.object_to(tool, found, self._provenance.kinds, covered=covered, spared=self._spared)

    def _may_carry(self, tool: Tool, call: ToolCall) -> bool:
        """Whether this call reaches somebody who has not seen all private data that was read, and reading the program
        could not exclude that its arguments are made of it."""
        if not any(bits.hears(tool, server, call.arguments) for server in self._provenance.private_from):
            return False
        verdict, name = self._road.run.verdict, f"{tool.server}.{tool.name}"
        named = verdict is not None and any((use.server, use.tool) == (tool.server, tool.name) for use in verdict.tools)
        return verdict is None or not named or name in verdict.may_carry

    async def _search_derived(self, tool: Tool, call: ToolCall) -> list[Objection]:
        """`_derived`, on a thread where each value is looked for in long answers."""
        if self._provenance.letters <= SHORT:
            return list(self._derived(tool, call))
        return await asyncio.to_thread(lambda: list(self._derived(tool, call)))

    def _derived(self, tool: Tool, call: ToolCall) -> Iterator[Objection]:
        """Values that stand neither in the program nor in an answer that is not private, as the program gave them:
        tokens are asked about where they are put in."""
        risk = Risk.CRITICAL if policy.trifecta(tool, self._provenance.kinds) else Risk.HIGH
        for path, text, _ in sift(call.arguments).values:
            if text and text not in self._constants and not self._provenance.is_public(text):
                words = (
                    f"Its {path or 'argument'} may be made of private data that was read before, and reaches outside"
                )
                yield Objection("derived", risk, words, path, text)

    @cached_property
    def _constants(self) -> frozenset[str]:
        """Texts and numbers that the program says itself, or those before it in its state."""
        state = self._road.state
        return frozenset(
            chain.from_iterable(map(_constants, (self._road.run.proposal.code, *(state.texts if state else ()))))
        )

    def _unforeseen(self, tool: Tool, said: CallVerdict) -> list[Objection]:
        """What reading the program did not foretell."""
        if not said.allow:
            return [Objection("unforeseen", worst((said.risk, Risk.MEDIUM)), said.reason)]
        verdict = self._road.run.verdict
        uses = [use for use in verdict.tools if (use.server, use.tool) == (tool.server, tool.name)] if verdict else []
        many = self._calls[tool.server, tool.name]
        if self._spared and (against := policy.beyond_mild(tool, many, self._provenance.kinds)) is not None:
            return [against]
        if uses and many > len(uses) and not any(use.often for use in uses) and at_least(said.risk, Risk.MEDIUM):
            words = f"Calls {tool.server}.{tool.name} for the {many}th time; its text says {len(uses)}"
            return [Objection("often", said.risk, words)]
        return []

    @property
    def _spared(self) -> bool:
        """Whether nobody was asked about this program because there seemed nothing to decide."""
        run = self._road.run
        settings = self._road.rooms.settings()
        asked = run.decision is not None or self._road.plan is not None
        return not asked and run.verdict is not None and spared(run.verdict, settings)

    def _origins(self, sifted: Sifted, tool: Tool) -> tuple[ValueOrigin, ...]:
        """Where its values came from, apart from what the user has read or written as part of the program, and from
        addresses that were asked before: a page repeats its own."""
        again: Collection[str] = self._provenance.passed if bits.asks_anywhere(tool) else ()
        return tuple(
            _value_origin(path, text, came)
            for path, text, place in sifted.values
            if not (place and text in again)
            for came in self._provenance.origin(text, _LOOKED_FOR, names=place, known=self._knows)
        )

    def _knows(self, part: Sequence[str]) -> bool:
        return self._own(" ".join(part))

    def _loops(self, tool: Tool) -> bool:
        """Whether it destroys, in a loop, so that approving the text said nothing about how many and which."""
        verdict = self._road.run.verdict
        often = verdict is not None and any(
            use.often and (use.server, use.tool) == (tool.server, tool.name) for use in verdict.tools
        )
        return often and destroys(tool)

    def _covered(self, tool: Tool) -> bool:
        """Whether a person agreed to a program that names this tool, or wrote it."""
        run = self._road.run
        named = run.verdict is not None and any(
            (use.server, use.tool) == (tool.server, tool.name) for use in run.verdict.tools
        )
        return named and self._agreed

    @property
    def _agreed(self) -> bool:
        run = self._road.run
        return run.decision is not None and run.decision.allow and run.decision.sha == run.proposal.sha

    @cached_property
    def _told(self) -> Told:
        """Which tokens go to which tools, as a person read it before they agreed."""
        run = self._road.run
        return announced(run.proposal.code, run.verdict.tools) if self._agreed and run.verdict else frozenset()

    def _own(self, *texts: str) -> bool:
        """Whether these texts stand in the program as a person read or wrote it."""
        if not (self._agreed or is_person(self._road)):
            return False
        return all(self._says(words(text)) for text in texts)

    def _says(self, part: Sequence[str]) -> bool:
        """Whether the program's text holds these words; an account may be written in groups there."""
        together = "".join(part)
        return f" {' '.join(part)} " in self._text or (len(together) > 7 and together in self._text.replace(" ", ""))

    @cached_property
    def _text(self) -> str:
        return f" {' '.join(words(self._road.run.proposal.code))} "

    # ── asking ───────────────────────────────────────────────────────────────────────────────────
    async def _ask(
        self,
        call: ToolCall,
        tool: Tool,
        arguments: JsonObject,
        objections: Sequence[Objection],
        found: tuple[ValueOrigin, ...],
        rules: tuple[Permission, ...] = (),
    ) -> PauseAnswer:
        road, name = self._road, f"{tool.server}.{tool.name}"
        shown, decisive = in_order(arguments, [one.path for one in objections])
        text = json.dumps(shown, ensure_ascii=False, indent=2, default=str)
        risk = worst(one.risk for one in objections)
        pause = Pause(
            id="",
            run_id=road.run.id,
            call_id=call.id,
            server=tool.server,
            tool=tool.name,
            arguments=text if len(text) <= SHOWN_ARGUMENTS else text[:SHOWN_ARGUMENTS] + " …",
            why=tuple(dict.fromkeys(f"{one.words.rstrip('.')}." for one in objections)),
            risk=risk,
            sentence=f"{road.run.proposal.author} wants to call {name} now.",
            origins=shortened(one for one in found if any(one.path == objection.path for objection in objections)),
            session=road.session.id,
            author=road.run.proposal.author,
            trifecta=policy.trifecta(tool, self._provenance.kinds),
            offers=rules,
        )
        line = json.dumps(shown, ensure_ascii=False, default=str)
        self.asked += 1
        self._waiting(call.id, True)
        road.note(
            "call.paused", f"{name} waits for a person: {objections[0].words}", {"call": call.id, "why": pause.why}
        )
        try:
            wait = road.rooms.settings().approval_wait_seconds
            answer = await self._pauses.ask(pause, line[:SHOWN_LINE], wait, alone=decisive > SHOWN_LINE)
        finally:
            self._waiting(call.id, False)
        words = "was allowed by a person" if answer.allow else f"was denied: {answer.reason or 'a person said no'}"
        detail: dict[str, object] = {"call": call.id, "allow": answer.allow}
        road.note("call.allowed" if answer.allow else "call.denied", f"{name} {words}", detail)
        return answer

    def _settled(self, tool: Tool, objection: Objection) -> bool:
        """Whether a person answered for this before: for the rest of the run, or for the same value in the session."""
        key = (tool.server, tool.name, objection.rule)
        return key in self._rest or (*key, objection.path, _named(objection.value)) in self._road.session.permitted

    def _remember(self, tool: Tool, objections: Sequence[Objection], answer: PauseAnswer) -> None:
        for one in objections:
            key = (tool.server, tool.name, one.rule)
            if not answer.allow:
                self._denied.add((*key, one.path, _named(one.value)))
            elif answer.scope == "rest":
                self._rest.add(key)
            elif one.value and one.rule != PLAN:  # a plan is for one run
                self._road.session.permitted.add((*key, one.path, _named(one.value)))

    # ── quick answers ────────────────────────────────────────────────────────────────────────────
    def _facts(self, tool: Tool) -> tuple[Tool, bool, frozenset[str], bool]:
        """Whether it is harmless, what its answers carry, whether it can send something out; asked again when the tool
        is not what it was."""
        known = self._known.get((tool.server, tool.name))
        if known is None or known[0] is not tool:
            known = tool, policy.harmless(tool), policy.kinds_of(tool), policy.can_send(tool)
            self._known[tool.server, tool.name] = known
        return known


def _constants(code: str) -> Iterator[str]:
    try:
        nodes = ast.walk(parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
            yield str(node.value)


def _beyond_plan(tool: Tool, said: CallVerdict, arguments: JsonObject) -> Objection:
    words = f"Stands nowhere in the plan that was allowed: {tool.server}.{tool.name}"
    return Objection(PLAN, worst((said.risk, Risk.MEDIUM)), words, "", canonical(arguments))


def _named(value: str) -> str:
    """The whole of a value for telling it from others, however long it is."""
    return value if len(value) <= SHOWN_VALUE else hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def shortened(found: Iterable[ValueOrigin]) -> tuple[ValueOrigin, ...]:
    """As a question shows them."""
    return tuple(
        replace(one, value=f"{one.value[:SHOWN_VALUE]} …") if len(one.value) > SHOWN_VALUE else one for one in found
    )


def _value_origin(path: str, text: str, came: Came) -> ValueOrigin:
    read = came.read
    origin = ValueOrigin(path, text, tuple(sorted(came.kinds)), around=came.around)
    if read is None:
        return origin
    return replace(origin, server=read.server, tool=read.tool, call_id=read.call_id, run_id=read.run_id)


def _denied(answer: PauseAnswer, said: CallVerdict | None = None) -> Fault:
    words = said.reason if said is not None and said.reason else "This call needs a person's word."
    reason = f"A person denied it: {answer.reason}" if answer.reason and answer.pause_id else answer.reason
    return Fault(f"{words} {reason or 'A person denied it.'}".strip(), "Go on without it, or ask why.")
