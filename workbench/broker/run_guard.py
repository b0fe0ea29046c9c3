"""The evidence of one run for judgements of its calls, and the waiting of its calls for the user.

A run has one `RunGuard`. It counts the run's calls, remembers what the user allowed and denied in it, compares
arguments with what the session has read (`provenance_index.py`), and compares calls with the plan of a dry run.
`permissions/judgement.py` decides whether a call is sent, and uses the guard as evidence (`RunEvidence`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Final, Protocol
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.approval_gate import is_auto_approved_as_additive
from workbench.analysis.reading import Reading
from workbench.broker.agent_sessions import Session
from workbench.broker.comparable_text import MOST_LEAVES, argument_leaves, is_date_or_amount, split_words
from workbench.broker.held_call_sentences import held_call_sentence
from workbench.broker.held_calls import SHOWN_LINE, HeldCalls
from workbench.broker.program_answers import readable_texts
from workbench.broker.provenance_index import AnswerRead, FoundSource
from workbench.broker.token_release import AnnouncedTokens, describe_personal_data, find_announced_tokens
from workbench.errors import WorkbenchError
from workbench.offload import SOURCE_INDEXING
from workbench.permissions import provenance_rules
from workbench.permissions.call_rules import REST, KnownArguments
from workbench.permissions.judgement import PLAN, CountedCall, Judgement, PlanMatch, ValueSources
from workbench.permissions.provenance_rules import DESTINATION, PRIVATE, UNTRUSTED, CallReason, canonical, names_place
from workbench.permissions.rule_offers import says_what_is_done
from workbench.permissions.tool_annotations import facts_of
from workbench.records import (
    ChangedCall,
    HeldCall,
    HeldCallAnswer,
    JsonObject,
    JsonValue,
    Origin,
    Outcome,
    Risk,
    RuleOffer,
    Run,
    Tool,
    ToolCall,
    ValueOrigin,
    Verdict,
)
from workbench.records.common_types import at_least, worst
from workbench.settings import Settings

MOST_WALKED: Final = 50_000  # values of a call that are visited at all
LONGEST_PLACE: Final = 8_000  # characters of one destination value
MOST_MESSAGES: Final = 200  # answers of a run that may be messages to reply to
LONGEST_REST: Final = 200_000  # characters of the values that are checked together


class ArgumentValues(Struct, frozen=True):
    """The argument values to check: path, text, and whether the value names a destination."""

    values: tuple[tuple[str, str, bool], ...]
    unread_place: bool = False  # a destination value is missing, because of the limits
    unread: bool = False  # some value is missing, because of the limits


def collect_values(arguments: JsonObject) -> ArgumentValues:
    """Collect the values of a call; ordinary values beyond a limit are checked together as one text."""
    walk = argument_leaves(dict(arguments))
    every = [(path, text, names_place(path)) for path, text in islice(walk, MOST_WALKED)]
    more = next(walk, None) is not None
    places, others = [one for one in every if one[2]], [one for one in every if not one[2]]
    taken, rest = others[:MOST_LEAVES], "\n".join(text for _, text, _ in others[MOST_LEAVES:])
    together = [("", rest[:LONGEST_REST], False)] if rest else []
    return ArgumentValues(
        (*places[:MOST_LEAVES], *taken, *together),
        unread_place=more or len(places) > MOST_LEAVES or any(len(text) > LONGEST_PLACE for _, text, _ in places),
        unread=more or len(rest) > LONGEST_REST,
    )


def order_arguments(arguments: JsonObject, about: Collection[str]) -> tuple[JsonObject, int]:
    """Order the arguments for the approval request: those it is about first, then destinations. Also returns how
    many characters of them, on one line, the user must see."""
    asked = {path.split(".")[0].replace("[]", "") for path in about}
    ranks = {key: 0 if key in asked else 1 if _names_destination(key, value) else 2 for key, value in arguments.items()}
    ordered = {key: arguments[key] for key in sorted(arguments, key=lambda key: ranks[key])}
    decisive = {key: value for key, value in ordered.items() if ranks[key] < 2}
    return ordered, len(json.dumps(decisive, ensure_ascii=False, default=str)) if decisive else 0


def _names_destination(key: str, value: object) -> bool:
    if names_place(key):
        return True
    return isinstance(value, dict | list) and any(
        names_place(path) for path, _ in islice(argument_leaves({key: value}), MOST_LEAVES)
    )


_SENDERS: Final = frozenset({"from", "sender", "from_address", "from_email", "sender_email", "sender_address"})


# `bob@acme.com`, `Bob <bob@acme.com>` or `"Bob, Acme" <bob@acme.com>`, and nothing that a mailer takes for a second one
_ADDRESS: Final = re.compile(
    r"""(?:"[^"<>@\\\r\n]*"|[^"<>@,;:\\\r\n]*)[ ]?<([^\s<>@,;:"\\]+@[\w.-]+)>|([^\s<>@,;:"\\]+@[\w.-]+)"""
)


def _single_address(text: str) -> str:
    """Return the mail address in a text that is exactly one; else nothing."""
    found = _ADDRESS.fullmatch(text.strip(" "))
    return (found[1] or found[2]).casefold() if found is not None else ""


def answers_message(address: str, others: Sequence[str], texts: Iterable[str]) -> bool:
    """Whether a call with these values answers the message that a tool returned: to its sender, with its subject."""
    for text in texts:
        try:
            message = json.loads(text)
        except ValueError:
            continue
        if isinstance(message, dict) and len(message) == 1:
            message = next(iter(message.values()))
        if not isinstance(message, dict) or not isinstance(subject := message.get("subject"), str) or not subject:
            continue
        senders = [value for key, value in message.items() if key.casefold() in _SENDERS and isinstance(value, str)]
        same = _single_address(address) in {_single_address(one) for one in senders} - {""}
        if same and any(one.casefold() in (f"re: {subject.casefold()}", subject.casefold()) for one in others):
            return True
    return False


def _is_open(known: KnownArguments, key: str) -> bool:
    """Whether the program's text leaves the value of this argument open."""
    return key in known.unknown or (REST in known.unknown and key not in known.values)


SHOWN_VALUE = 300  # characters of one value in an approval request
SHOWN_ARGUMENTS = 20_000  # characters of all arguments in an approval request
_SUSPECT_KINDS = frozenset({UNTRUSTED, PRIVATE})


class CallPlan(Protocol):
    """The plan of a dry run, as used to judge calls (`dry_run/plan.py`)."""

    def judge(self, call_id: str, tool: Tool, arguments: JsonObject) -> PlanMatch:
        """Compare a call with the plan, and use up the line that it matches."""

    def learn(self, call_id: str, outcome: Outcome) -> None:
        """Record the real answer of a planned call."""


class SideEffectHolder(Protocol):
    """A dry run, as used to answer in place of a server (`dry_run/held_side_effects.py`)."""

    @property
    def asks_outside(self) -> bool:
        """Whether calls of tools that read external data are really made."""

    async def hold(
        self,
        call: ToolCall,
        tool: Tool,
        arguments: JsonObject,
        risk: Risk,
        origins: tuple[ValueOrigin, ...],
        verdict: Verdict | None,
    ) -> Outcome:
        """Record the call, and return a stand-in answer."""


class JudgedEdit(Struct, frozen=True):
    """A held call with arguments that the user wrote."""

    call: ToolCall
    arguments: JsonObject  # as they would be sent
    judgement: Judgement


Rejudge = Callable[[JsonObject], Awaitable[JudgedEdit]]  # raises WorkbenchError if the call would be refused


class GuardedRun(Protocol):
    """The parts of a run that its guard uses."""

    @property
    def record(self) -> Run: ...

    @property
    def reading(self) -> Reading | None: ...

    @property
    def session(self) -> Session: ...

    @property
    def plan(self) -> CallPlan | None: ...

    @property
    def dry_run(self) -> SideEffectHolder | None: ...

    @property
    def wait_seconds(self) -> float:
        """How long its approval requests wait for the user."""

    def write_audit(self, kind: str, summary: str, detail: dict[str, object]) -> None:
        """Write an entry into the audit of the run."""

    def note_changed_call(self, changed: ChangedCall) -> None:
        """Remember that the user changed the arguments of a call, for its author."""

    def offer_call_rules(self, tool: Tool, arguments: JsonObject) -> tuple[RuleOffer, ...]:
        """Return the rules that would have allowed a call, as lasting answers to its request."""


class RunGuard:
    """The state of one run that its calls are judged by. The broker calls, in this order: `count`, then `judge` with
    this object as evidence, `ask` if the judgement asks, `note_sent` before the call is sent, `learn` after its answer;
    in a dry run `hold_call` instead of sending."""

    def __init__(
        self,
        run: GuardedRun,
        settings: Callable[[], Settings],
        held_calls: HeldCalls,
        waiting: Callable[[str, bool], None],
    ) -> None:
        """`held_calls`: the queue of calls that wait for the user. `waiting` is called with the id of a call that
        starts (True) or stops (False) waiting."""
        self._run = run
        self._settings = settings
        self._held_calls = held_calls
        self._waiting = waiting
        self._provenance = run.session.provenance
        self._calls: Counter[tuple[str, str]] = Counter()
        # server, tool, rule → destinations: allowed for the rest of this run; None: to any destination
        self._allowed_rest: dict[tuple[str, str, str], set[str] | None] = {}
        self._denied: set[tuple[str, ...]] = set()
        self._messages: list[AnswerRead] = []  # short answers of this run that outsiders can write
        self.asked = 0  # number of calls that waited for the user

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the run's program."""
        return self._run.record.verdict

    @property
    def approved(self) -> bool:
        """Whether the user approved exactly this program."""
        record = self._run.record
        return record.decision is not None and record.decision.allow and record.decision.sha == record.proposal.sha

    # ── before and after a call ──────────────────────────────────────────────────────────────────
    def count(self, call: ToolCall, tool: Tool, arguments: JsonObject) -> CountedCall:
        """Count a call before it is judged; uses up its line of the plan, if there is one."""
        self._calls[tool.server, tool.name] += 1
        plan = self._run.plan
        planned = plan.judge(call.id, tool, arguments) if plan is not None else PlanMatch.NO_PLAN
        return CountedCall(self._calls[tool.server, tool.name], planned)

    def note_sent(self, tool: Tool, arguments: JsonObject, judgement: Judgement) -> None:
        """Record that a call is sent to its server."""
        facts = facts_of(tool)
        if facts.reaches_outside:
            self._provenance.called_outside = True
        if self.approved and UNTRUSTED in self._provenance.kinds and not facts.destroys:
            places = (text for _, text, place in collect_values(arguments).values if place)
            self._run.session.allowed_destinations |= {
                (tool.server, text.casefold()) for text in places if self._program_contains(text)
            }
        if judgement.unsuspected and facts.reads_named_hosts:
            self._provenance.accept_addresses(text for _, text, place in collect_values(arguments).values if place)

    async def learn(self, call: ToolCall, tool: Tool, outcome: Outcome) -> None:
        """Record an answer; it is indexed when the judgement of a later call needs it."""
        if self._run.plan is not None:
            self._run.plan.learn(call.id, outcome)
        if (kinds := provenance_rules.kinds_of(tool)) and (texts := readable_texts(outcome)):
            read = AnswerRead(call.id, call.run_id, tool.server, tool.name, kinds, texts)
            self._provenance.learn(read)
            if UNTRUSTED in kinds and len(self._messages) < MOST_MESSAGES and sum(map(len, texts)) < LONGEST_PLACE:
                self._messages.append(read)

    # ── dry runs ─────────────────────────────────────────────────────────────────────────────────
    @property
    def is_dry_run(self) -> bool:
        return self._run.dry_run is not None

    @property
    def dry_run_reads_outside(self) -> bool:
        """Whether a dry run really makes calls of tools that read external data."""
        return self._run.dry_run is not None and self._run.dry_run.asks_outside

    async def hold_call(self, call: ToolCall, tool: Tool, arguments: JsonObject, judgement: Judgement) -> Outcome:
        """Return the answer of a dry run in place of the server's; the call becomes a line of its plan."""
        if self._run.dry_run is None:
            raise RuntimeError("not a dry run")
        found = shorten_values(judgement.sources)
        return await self._run.dry_run.hold(call, tool, arguments, judgement.risk, found, self._run.record.verdict)

    # ── evidence for the judgement; may be called on a worker thread ─────────────────────────────
    @property
    def kinds(self) -> frozenset[str]:
        return self._provenance.kinds

    @property
    def private_servers(self) -> frozenset[str]:
        return self._provenance.private_servers

    @property
    def unreviewed(self) -> bool:
        record = self._run.record
        asked = record.decision is not None or self._run.plan is not None
        return (
            not asked and record.verdict is not None and is_auto_approved_as_additive(record.verdict, self._settings())
        )

    @cached_property
    def announced_tokens(self) -> AnnouncedTokens:
        return find_announced_tokens(self._run.reading) if self.approved and self._run.reading else frozenset()

    def needs_thread(self, tool: Tool) -> bool:
        """Whether finding the sources of a call's values would block the event loop."""
        provenance, facts = self._provenance, facts_of(tool)
        if not provenance.kinds or facts.harmless:
            return False
        long = provenance.characters > SOURCE_INDEXING.limit
        return provenance.needs_thread or (long and PRIVATE in provenance.kinds and facts.reaches_outside)

    def sources(self, tool: Tool, arguments: JsonObject) -> ValueSources:
        """Return the sources of a call's values. Values that the user read or wrote as part of the program have no
        source, nor do addresses that were used before, because a page repeats its own address."""
        if not self._provenance.kinds:
            return ValueSources()
        argument_values = collect_values(arguments)
        if argument_values.values:
            self._provenance.index_answers()
        again: Collection[str] = self._provenance.accepted_addresses if facts_of(tool).reads_named_hosts else ()
        listed = _listed_values(tool)
        found = tuple(
            _value_origin(path, text, came)
            for path, text, place in argument_values.values
            if not (place and text in again) and (place or not (is_date_or_amount(text) or text in listed(path)))
            for came in self._provenance.find_sources(
                text, _SUSPECT_KINDS, names=place, known=self._is_known, server=tool.server
            )
            if not (place and self._is_mere_link(tool, text, came))
        )
        if any(UNTRUSTED in one.kinds and names_place(one.path) for one in found) and self._replies(
            tool, argument_values
        ):
            found = tuple(one for one in found if not names_place(one.path))
        places = tuple(sorted({_destination(text) for _, text, place in argument_values.values if place}))
        return ValueSources(found, argument_values.unread_place, argument_values.unread, places)

    def _is_mere_link(self, tool: Tool, text: str, came: FoundSource) -> bool:
        """Whether a call only reads the page of a link as it was written, and nothing private was read except where the
        link came from."""
        provenance = self._provenance
        if not facts_of(tool).reads_named_hosts or came.read is None or provenance.private_servers - {came.read.server}:
            return False
        return provenance.is_link_in(text, came.read)

    def _replies(self, tool: Tool, values: ArgumentValues) -> bool:
        """Whether an approved program only replies to the sender of a message that it read, with its subject. Nothing
        else that the session has read may be in the call, even if the program's text has it as a constant."""
        places = [text for _, text, place in values.values if place]
        if not (self.approved and facts_of(tool).sends and len(places) == 1) or values.unread or values.unread_place:
            return False
        others = [text for _, text, place in values.values if not place]
        message = next((read for read in self._messages if answers_message(places[0], others, read.texts)), None)
        if message is None:
            return False
        own = f" {' '.join(word for text in message.texts for word in split_words(text))} "
        return not any(
            self._provenance.find_sources(text, _SUSPECT_KINDS, known=lambda part: f" {' '.join(part)} " in own)
            for text in others
        )

    def derived(self, arguments: JsonObject) -> Sequence[tuple[str, str]]:
        return [
            (path, text)
            for path, text, _ in collect_values(arguments).values
            if text and text not in self._constants and not self._provenance.is_public(text)
        ]

    def holds(self, arguments: JsonObject) -> bool:
        return self._program_contains(*(text for _, text in argument_leaves(dict(arguments))))

    def unshown(self, tool: Tool, arguments: JsonObject) -> str:
        known = self._foreseen.get((tool.server, tool.name), ())
        for key, value in arguments.items():
            if not says_what_is_done(key) or any(_is_open(one, key) for one in known):
                continue
            if known and not any(key in one.values and canonical(one.values[key]) == canonical(value) for one in known):
                return key
        return ""

    @cached_property
    def _foreseen(self) -> Mapping[tuple[str, str], Sequence[KnownArguments]]:
        """Return what the texts of the program, of its skills and of earlier programs in its REPL session say about the
        arguments of each tool."""
        found: dict[tuple[str, str], list[KnownArguments]] = {}
        reading = self._run.reading
        if reading is None or not reading.complete:
            return found
        inner = (call for skill in reading.skills.values() for call in skill.calls)
        for call in (*reading.calls, *reading.earlier_calls, *inner):
            found.setdefault((call.tool.server, call.tool.name), []).extend(call.stated_arguments)
        return found

    def describe(self, reason: CallReason, tool: Tool) -> CallReason:
        return describe_personal_data(reason, self._run.session.vault, tool)

    def allowed_before(self, tool: Tool, reason: CallReason) -> bool:
        place, session = (tool.server, tool.name), self._run.session
        rest = self._allowed_rest.get((*place, reason.rule), set[str]())
        if rest is None or (rest and reason.places and rest.issuperset(reason.places)):
            return True
        if reason.rule == DESTINATION and not facts_of(tool).destroys:
            return (tool.server, reason.value.casefold()) in session.allowed_destinations
        return (*place, *reason.key) in session.allowed_values

    def denied_before(self, tool: Tool, reason: CallReason) -> bool:
        return (tool.server, tool.name, *reason.key) in self._denied

    @cached_property
    def _constants(self) -> frozenset[str]:
        """Return the literal texts and numbers of the program, and of earlier programs in its REPL session."""
        return self._run.reading.constants if self._run.reading else frozenset()

    def _is_known(self, part: Sequence[str]) -> bool:
        return self._program_contains(" ".join(part))

    def _program_contains(self, *texts: str) -> bool:
        """Whether the program's text, as the user read or wrote it, contains all these texts."""
        if not (self.approved or self._run.record.proposal.origin is Origin.PERSON):
            return False
        return all(self._program_has_words(split_words(text)) for text in texts)

    def _program_has_words(self, part: Sequence[str]) -> bool:
        """Whether the program's text contains these words; an account number may be grouped differently there."""
        together = "".join(part)
        return f" {' '.join(part)} " in self._text or (len(together) > 7 and together in self._text.replace(" ", ""))

    @cached_property
    def _text(self) -> str:
        return f" {' '.join(split_words(self._run.record.proposal.code))} "

    # ── asking the user ──────────────────────────────────────────────────────────────────────────
    async def ask(
        self,
        call: ToolCall,
        tool: Tool,
        arguments: JsonObject,
        judgement: Judgement,
        rejudge: Rejudge | None = None,
    ) -> tuple[HeldCallAnswer, JudgedEdit | None]:
        """Hold the call until the user has answered, and remember the answer. Also returns the call with the arguments
        that the user changed, if they did. `rejudge` judges the call with changed arguments."""
        run, name, reasons = self._run, f"{tool.server}.{tool.name}", judgement.reasons
        held_call, line, decisive = self._held_call(call, tool, arguments, judgement)
        edits: dict[str, JudgedEdit] = {}  # by the text that the user wrote

        async def edit(text: str) -> HeldCall:
            assert rejudge is not None
            edits[text] = found = await rejudge(parse_arguments(text))
            changed, _, _ = self._held_call(call, tool, found.arguments, found.judgement)
            return replace(changed, original=held_call.arguments)

        self.asked += 1
        self._waiting(call.id, True)
        run.write_audit(
            "call.waiting",
            f"{name} waits for approval: {reasons[0].text}",
            {"call": call.id, "why": held_call.why},
        )
        try:
            wait, alone = run.wait_seconds, decisive > SHOWN_LINE
            may_edit = rejudge is not None and len(line) <= SHOWN_ARGUMENTS
            answer = await self._held_calls.ask(
                held_call, line[:SHOWN_LINE], wait, alone=alone, edit=edit if may_edit else None
            )
        finally:
            self._waiting(call.id, False)
        changed = edits.get(answer.arguments) if answer.allow else None
        if changed is not None:
            reasons = changed.judgement.reasons
            self._note_change(call, tool, arguments, changed.arguments)
        said = "was allowed by the user" if answer.allow else f"was denied: {answer.reason or 'the user denied it'}"
        detail: dict[str, object] = {"call": call.id, "allow": answer.allow}
        run.write_audit("call.allowed" if answer.allow else "call.denied", f"{name} {said}", detail)
        self._remember(tool, reasons, answer)
        return answer, changed

    def _held_call(
        self, call: ToolCall, tool: Tool, arguments: JsonObject, judgement: Judgement
    ) -> tuple[HeldCall, str, int]:
        """Return the request about a call, the call on one line, and how many characters of it the user must see."""
        run, reasons = self._run, judgement.reasons
        author = run.record.proposal.author
        shown, decisive = order_arguments(arguments, [one.path for one in reasons])
        text = json.dumps(shown, ensure_ascii=False, indent=2, default=str)
        risk = worst(one.risk for one in reasons) if reasons else judgement.risk
        origins = shorten_values(one for one in judgement.sources if any(one.path == reason.path for reason in reasons))
        trifecta = provenance_rules.trifecta(tool, self._provenance.kinds)
        certain = not (trifecta or origins or at_least(risk, Risk.HIGH))
        held_call = HeldCall(
            id="",
            run_id=run.record.id,
            call_id=call.id,
            server=tool.server,
            tool=tool.name,
            arguments=text if len(text) <= SHOWN_ARGUMENTS else text[:SHOWN_ARGUMENTS] + " …",
            why=tuple(dict.fromkeys(f"{one.text.rstrip('.')}." for one in reasons)),
            risk=risk,
            sentence=held_call_sentence(
                author, tool, shown, reasons, judgement.sources, run.record.id, run.record.verdict
            ),
            origins=origins,
            session=run.session.id,
            author=author,
            trifecta=trifecta,
            offers=judgement.offers,
            once_only=_why_once(reasons),
            rule_offers=run.offer_call_rules(tool, shown) if certain else (),
        )
        return held_call, json.dumps(shown, ensure_ascii=False, default=str), decisive

    def _note_change(self, call: ToolCall, tool: Tool, before: JsonObject, after: JsonObject) -> None:
        """Write into the audit what the user changed, and keep it for the author of the program."""
        texts = [json.dumps(one, ensure_ascii=False, indent=1, default=str) for one in (before, after)]
        self._run.note_changed_call(ChangedCall(call.id, tool.server, tool.name, *texts))
        masked = [self._run.session.mask_for_audit(text, SHOWN_ARGUMENTS) for text in texts]
        detail: dict[str, object] = {"call": call.id, "before": masked[0], "after": masked[1]}
        self._run.write_audit(
            "call.edited", f"{tool.server}.{tool.name} was changed by the user while it waited", detail
        )

    def _remember(self, tool: Tool, reasons: Sequence[CallReason], answer: HeldCallAnswer) -> None:
        place, session = (tool.server, tool.name), self._run.session
        for one in reasons:
            if not answer.allow:
                self._denied.add((*place, *one.key))
            elif answer.scope == "rest" and not _why_once([one]):
                self._allow_rest((*place, one.rule), one.places)
            elif one.value and one.rule != PLAN:  # a plan applies to one run
                session.allowed_values.add((*place, *one.key))
                if one.rule == DESTINATION and not facts_of(tool).destroys:
                    session.allowed_destinations.add((tool.server, one.value.casefold()))

    def _allow_rest(self, about: tuple[str, str, str], places: tuple[str, ...]) -> None:
        """Allow the rest of the run for this reason: to the destinations of the allowed calls, if they have any."""
        allowed = self._allowed_rest.setdefault(about, set())
        if not places:
            self._allowed_rest[about] = None
        elif allowed is not None:
            allowed |= set(places)


def _why_once(reasons: Iterable[CallReason]) -> str:
    """Return why the rest of the run is not offered, if outsiders' text chose where a call goes."""
    if any(one.by_outsiders for one in reasons):
        return "The destination comes from text that outsiders can write, so each further one is shown to you."
    return ""


def _destination(text: str) -> str:
    """Return the host of an address; any other destination in one spelling."""
    return (urlsplit(text).hostname or text) if "://" in text else " ".join(text.split()).casefold()


def _listed_values(tool: Tool) -> Callable[[str], Collection[str]]:
    """Return a function that returns the values that the schema of a tool lists for an argument."""
    properties = tool.input_schema.get("properties")
    fields = properties if isinstance(properties, Mapping) else {}

    def listed(path: str) -> Collection[str]:
        found = fields.get(path.removesuffix("[]"))
        values = found.get("enum") if isinstance(found, Mapping) else None
        return values if isinstance(values, list | tuple) else ()

    return listed


def parse_arguments(text: str) -> JsonObject:
    """Return the arguments that the user wrote as JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError("The arguments are not valid JSON.", str(fault)) from fault
    if not isinstance(found, dict):
        raise WorkbenchError("The arguments must be a JSON object.", "Write { and } around them.")
    return found


def keep_tokens(changed: JsonValue, restored: JsonValue, original: JsonValue) -> JsonValue:
    """Return changed arguments in which each value that the user left as it was is the program's own again: with its
    PII tokens, whose release is judged. `restored`: the program's arguments as they were shown."""
    if changed == restored:
        return original
    if isinstance(changed, dict) and isinstance(restored, dict) and isinstance(original, dict):
        return {
            key: keep_tokens(value, restored[key], original[key]) if key in restored and key in original else value
            for key, value in changed.items()
        }
    if isinstance(changed, list) and isinstance(restored, list) and isinstance(original, list):
        pairs = list(zip(changed, restored, original, strict=False))
        return [*(keep_tokens(*three) for three in pairs), *changed[len(pairs) :]]
    return changed


def shorten_values(found: Iterable[ValueOrigin]) -> tuple[ValueOrigin, ...]:
    """Return sources with values shortened for an approval request."""
    return tuple(
        replace(one, value=f"{one.value[:SHOWN_VALUE]} …") if len(one.value) > SHOWN_VALUE else one for one in found
    )


def _value_origin(path: str, text: str, came: FoundSource) -> ValueOrigin:
    read = came.read
    origin = ValueOrigin(path, text, tuple(sorted(came.kinds)), around=came.excerpt)
    if read is None:
        return origin
    return replace(origin, server=read.server, tool=read.tool, call_id=read.call_id, run_id=read.run_id)
