"""The one judgement of a tool call: whether it may go to its server, waits for the user, or is refused.

`judge` asks the rules of `RULES` in their order. A rule that denies ends the judgement, and so does one that settles
the call; reasons to ask the user add up. The same order holds for calls of the user, of programs and of agents. A
judgement changes nothing: what follows from it (counting uses of rules, asking, sending) is the broker's.

Before a program runs, `foresee` asks the rules that need no arguments, so that what is certain to be refused goes back
to its author.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from workbench.permissions import own_calls, provenance_rules, tool_annotations
from workbench.permissions.call_rules import Foreseen, ToolRules
from workbench.permissions.provenance_rules import PRIVATE, CallReason
from workbench.permissions.release_rules import NEVER_ALWAYS, ReleaseDecision, offers
from workbench.permissions.run_profiles import outside
from workbench.permissions.tool_annotations import facts_of, unasked
from workbench.records import (
    Fault,
    JsonObject,
    Origin,
    Permission,
    Risk,
    RunProfile,
    Tool,
    ToolCall,
    ToolUse,
    ValueOrigin,
    Verdict,
    Word,
)
from workbench.records.common_types import at_least, worst
from workbench.settings import Settings

ANYWAY: Final = "Call it once more with your confirmation to do it anyway."
RELEASE: Final = "restore"  # begins the name of a reason about PII tokens; the kind of data follows
_WHO: Final = "Ask the user, who can change what may go where."


class PlanMatch(Enum):
    """What the plan of a dry run says of one call."""

    EXACT = "exact"  # the user saw exactly this call
    BY_PLACE = "by place"  # the same call, apart from values that an earlier planned call answered
    LEFT_OUT = "left out"  # the user saw it and did not tick it
    NOWHERE = "nowhere"  # the dry run held no such call
    NO_PLAN = "no plan"


class CountedCall(Struct, frozen=True):
    """One call of a run, counted before it is judged."""

    number: int = 1  # how often the run has called the tool, with this call
    planned: PlanMatch = PlanMatch.NO_PLAN


FIRST_CALL: Final = CountedCall()


class ValueSources(Struct, frozen=True):
    """Which answers the values of one call came from."""

    values: tuple[ValueOrigin, ...] = ()
    unread_place: bool = False  # a value that says where something goes was too long or one too many to look at
    unread: bool = False  # some other value was


class RunEvidence(Protocol):
    """What a judgement asks about the run that makes the call and about its session. Owned by the run (`RunGuard`); a
    judgement reads it, sometimes on a worker thread, and changes nothing."""

    @property
    def unreviewed(self) -> bool:
        """Whether the program ran without approval because it seemed to leave nothing to decide."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of data (`PRIVATE`, `UNTRUSTED`) that the session has read."""

    @property
    def private_servers(self) -> frozenset[str]:
        """The servers whose private data the session has read; "": a server that is not known any more."""

    @property
    def announced_tokens(self) -> frozenset[tuple[str, str, str]]:
        """Server, tool and PII token: what the approved text showed to go where."""

    def sources(self, tool: Tool, arguments: JsonObject) -> ValueSources:
        """Where the values came from, without those that the approved text holds itself."""

    def derived(self, arguments: JsonObject) -> Sequence[tuple[str, str]]:
        """Path and text of values that stand neither in the program nor in a public answer."""

    def holds(self, arguments: JsonObject) -> bool:
        """Whether the program's text, as the user read or wrote it, contains every value."""

    def describe(self, reason: CallReason, tool: Tool) -> CallReason:
        """A reason about private data, with the kinds of personal data in the value."""

    def allowed_before(self, tool: Tool, reason: CallReason) -> bool:
        """Whether the user has allowed this for the rest of the run, or this value in the session."""

    def denied_before(self, tool: Tool, reason: CallReason) -> bool:
        """Whether the user has denied exactly this in this run."""


class CallContext(Struct, frozen=True):
    """What a call is judged by: values of one moment, and the run that calls."""

    tool: Tool  # as the user's trust weighs it
    rules: ToolRules
    settings: Settings
    blocked: Fault | None = None  # why the tool's definition is out of force
    replaced: bool = False  # its server's entry or its definition changed after the user was asked
    verdict: Verdict | None = None  # of the program that calls; None: no program calls
    approved: bool = False  # the user approved exactly this program
    arguments: JsonObject = field(default_factory=dict)  # as they would be sent
    release: tuple[ReleaseDecision, ...] = ()  # what would be put in place of PII tokens
    damaged: Fault | None = None  # why its tokens cannot become values
    run: RunEvidence | None = None
    counted: CountedCall = FIRST_CALL
    dry_run: bool = False
    dry_run_reads_outside: bool = False  # whether a dry run really calls tools that read the world outside
    allowed_now: frozenset[tuple[str, str, str]] = (
        frozenset()
    )  # keys of reasons that the user has answered for this call


class Judgement(Struct, frozen=True):
    """The answer about one call."""

    decision: Word
    risk: Risk  # of the tool
    reasons: tuple[CallReason, ...] = ()  # why it is denied, or what the user is asked about
    offers: tuple[Permission, ...] = ()  # rules that would have answered a part of it in the user's place
    sources: tuple[ValueOrigin, ...] = ()  # where values came from, as far as that was looked at
    used: tuple[Permission, ...] = ()  # rules that decided something
    stand_in: bool = False  # the dry run answers in the server's place
    unsuspected: bool = False  # the sources of its values were looked at, and nothing spoke against it

    @property
    def text(self) -> str:
        """All reasons in whole sentences."""
        return " ".join(dict.fromkeys(f"{one.text.rstrip('.')}." for one in self.reasons))

    @property
    def hint(self) -> str:
        return next((one.hint for one in self.reasons if one.hint), "")

    @property
    def noted_risk(self) -> Risk:
        """As the audit has it: what may not be called at all counts as high."""
        return worst((self.risk, *(one.risk for one in self.reasons))) if self.decision is Word.DENY else self.risk

    @property
    def fault(self) -> Fault:
        """Why the call is refused, for its caller."""
        code = next((one.code for one in self.reasons if one.code), "")
        return Fault(self.text, self.hint, code=code)

    @property
    def asks(self) -> str:
        """What the tool of the user's own call may do: `destroys`, `sends` or `unknown`; empty: another question."""
        return next((one.rule for one in self.reasons if one.rule in own_calls.QUESTIONS), "")


def judge(call: ToolCall, context: CallContext) -> Judgement:
    """Whether this call may go to its server in this context."""
    case = Case(call, context)
    for rule in RULES:
        if reasons := rule(case):  # a rule may also take away the reasons of others
            case.reasons += reasons
            if any(one.decision is Word.DENY for one in reasons):
                break
        if case.settled:
            break
    return case.judgement()


def foresee(rules: ToolRules, profile: RunProfile | None, required: Sequence[str], session: str) -> Foreseen:
    """What the user's rules and the bounds of a run say of any call of this tool."""
    tool, judged = rules.tool, rules.judge(None, session)
    if judged.word is Word.DENY:
        return Foreseen(Word.DENY, judged.why, f"Do without {tool.server}.{tool.name}.")
    if (fault := outside(profile, tuple(required), tool)) is not None:
        return Foreseen(Word.DENY, fault.message, fault.hint)
    return Foreseen(judged.word, judged.why, depends=judged.depends)


class Case:
    """One judgement under way: the call, its context, and what the rules asked so far have found."""

    def __init__(self, call: ToolCall, context: CallContext) -> None:
        tool, verdict = context.tool, context.verdict
        self.call = call
        self.context = context
        self.tool = tool
        self.name = f"{tool.server}.{tool.name}"
        self.facts = facts_of(tool)
        self.risk = self.facts.risk
        self.uses: list[ToolUse] = []  # where the text of the program names the tool
        if verdict is not None:
            self.uses = [one for one in verdict.tools if one.tool == tool.name and one.server == tool.server]
        self.reasons: list[CallReason] = []
        self.settled = False  # no later rule is asked
        self.allowed_by_rule = False  # of the user's, about calls of programs
        self.call_expected = True  # rules and the program's approval leave nothing to ask about the call as such
        self.used: list[Permission] = []
        self.stand_in = False
        self.sources: ValueSources | None = None  # None: not looked at
        self.answered = False  # some reasons were answered by the user before
        self._evidence: tuple[CallReason, ...] | None = None

    @property
    def covered(self) -> bool:
        """Whether the user agreed to a program that names this tool."""
        return self.call_expected and self.context.approved and bool(self.uses)

    def evidence(self) -> tuple[CallReason, ...]:
        """What speaks against the call because of where its values came from and of what the program did so far."""
        if self._evidence is None:
            self._evidence = tuple(_evidence(self))
        return self._evidence

    def judgement(self) -> Judgement:
        denied = tuple([one for one in self.reasons if one.decision is Word.DENY])
        reasons = denied or (() if self.settled else tuple(self.reasons))
        offered: tuple[Permission, ...] = ()
        if reasons and not denied and self.context.release:
            rules = {one.rule for one in reasons}
            asked = [one for one in self.context.release if one.word is Word.ASK and _release_rule(one) in rules]
            offered = offers(asked, self.tool)
        return Judgement(
            Word.DENY if denied else Word.ASK if reasons else Word.ALLOW,
            self.risk,
            reasons,
            offered,
            self.sources.values if self.sources is not None else (),
            tuple(self.used),
            self.stand_in,
            unsuspected=self.sources is not None and not self.answered and not self.reasons,
        )


# ── the rules, in the order in which they are asked ──────────────────────────────────────────────────────────────────
RULED, UNFORESEEN, PLAN = "rule", "unforeseen", "plan"


def held_call_replaced(case: Case) -> Sequence[CallReason]:
    """The user agreed to another server or another definition than would be called now."""
    if not case.context.replaced:
        return ()
    text = f"{case.name} was not called: its server or its definition changed while the call waited."
    return (_deny("replaced", case.risk, text, "Call it again: it is judged as it is now."),)


def blocked_definition(case: Case) -> Sequence[CallReason]:
    """A definition that changed since the user saw it is out of force."""
    fault = case.context.blocked
    return () if fault is None else (_deny_with("blocked", Risk.HIGH, fault),)


def run_bounds(case: Case) -> Sequence[CallReason]:
    """A run calls the tools of its profile and of its `required_tools` only."""
    verdict = case.context.verdict
    fault = outside(verdict.profile, verdict.required, case.tool) if verdict is not None else None
    return () if fault is None else (_deny_with("bounds", Risk.HIGH, fault),)


def assessed_definition(case: Case) -> Sequence[CallReason]:
    """The program was assessed with the definition that is called."""
    verdict = case.context.verdict
    assessed = verdict.definitions.get(case.name) if verdict is not None else None
    if assessed is None or assessed == case.tool.hash:
        return ()
    text = f"The definition of {case.name} changed after this program was assessed."
    hint = "Submit the program again; it will be assessed with the new definition."
    return (_deny("definition", case.risk, text, hint),)


def agent_without_program(case: Case) -> Sequence[CallReason]:
    """Agents call tools from assessed programs only."""
    if case.context.verdict is not None or case.call.origin is Origin.PERSON:
        return ()
    text = f"{case.name} was called by an agent outside of an assessed program."
    return (_deny("no program", case.risk, text, "Call tools from a program given to execute_code."),)


def damaged_tokens(case: Case) -> Sequence[CallReason]:
    """A PII token that is damaged or unknown to the session reaches no server."""
    fault = case.context.damaged
    return () if fault is None else (_deny_with("token", case.risk, fault),)


def user_rules(case: Case) -> Sequence[CallReason]:
    """What the user allowed, denied or wants to be asked about, for programs. A rule that asks about a tool as a whole
    has been answered by approving the program; one about arguments has not, because the user had not seen them."""
    context, call, rules = case.context, case.call, case.context.rules
    if context.verdict is None or not (rules.rules or rules.lost):
        return ()
    answer = rules.judge(context.arguments, call.session, call.run_id)
    if answer.word is None:
        asks = rules.looks_into_arguments and not context.approved and not unasked(case.risk, context.settings)
        if asks and rules.judge(None, call.session, call.run_id).word is Word.ALLOW:
            return (_ask(RULED, case, f"Your rules allow {case.name} for other arguments only."),)
    if answer.permission is not None:
        case.used.append(answer.permission)
    if answer.word is Word.DENY:
        return (_deny(RULED, case.risk, answer.why, "Do without it; the user can change the rule."),)
    about_tool = answer.permission is None or answer.permission.kind != "arguments"
    if answer.word is Word.ASK and not (context.approved and about_tool):
        return (_ask(RULED, case, answer.why),)
    case.allowed_by_rule = answer.word is Word.ALLOW
    return ()


def token_release(case: Case) -> Sequence[CallReason]:
    """Personal data goes to the servers it came from; to others as the user's rules say, or after they are asked."""
    context = case.context
    if not context.release:
        return ()
    case.used += [one.rule for one in context.release if one.rule is not None]
    if denied := [one for one in context.release if one.word is Word.DENY]:
        rule = next((one.rule.label for one in denied if one.rule is not None), "")
        words = "; ".join(str(one.what) for one in denied)
        text = f"It was not called: {words}. {rule}".strip()
        return (replace(_deny(RELEASE, case.risk, text, _WHO), code="refused"),)
    if context.run is None and case.call.confirmed:
        return ()
    asked = [one for one in context.release if one.word is Word.ASK]
    if asked and context.run is not None:
        told = context.run.announced_tokens
        server, tool = case.tool.server, case.tool.name
        asked = [one for one in asked if not all((server, tool, token) in told for token in one.what.tokens)]
    hint = ANYWAY if context.run is None else ""
    return [
        CallReason(
            _release_rule(one),
            Risk.HIGH if one.what.kind in NEVER_ALWAYS else Risk.MEDIUM,
            str(one.what),
            value=" ".join(sorted(one.what.tokens)),
            hint=hint,
        )
        for one in asked
    ]


def own_call(case: Case) -> Sequence[CallReason]:
    """Pressing Run is the user's consent, except to what may destroy something or send something out. A call that a
    script makes in the user's name asks about whatever is not known to be harmless: no button was pressed for it."""
    context, call, tool = case.context, case.call, case.tool
    if context.verdict is not None:
        return ()
    if call.confirmed:
        case.settled = True
        return ()
    permission = context.rules.own_call_permission if not call.run_id else None
    if permission is not None:
        case.used.append(permission)
        return ()
    if (question := own_calls.objection(tool)) is not None:
        return (CallReason(question.what, case.risk, question.sentence, hint=ANYWAY),)
    if call.unattended and (at_least(case.risk, Risk.HIGH) or case.facts.sends):
        return (CallReason(own_calls.UNKNOWN, case.risk, own_calls.doubt(tool), hint=ANYWAY),)
    return ()


def approved_program(case: Case) -> Sequence[CallReason]:
    """A program calls what its text was read to call; what may change or destroy something only once it is approved."""
    context = case.context
    if context.verdict is None or case.allowed_by_rule or not case.call_expected:
        return ()
    unseen = at_least(case.risk, Risk.MEDIUM) or (not context.approved and case.facts.private)
    if not case.uses and unseen:
        text = f"The program calls {case.name}, which could not be read from its text. {own_calls.doubt(case.tool)}"
        hint = "Import the tool by its name and call it directly, so that it can be assessed."
        return (_ask(UNFORESEEN, case, text, hint),)
    if at_least(case.risk, Risk.HIGH) and not context.approved:
        text = f"Nobody approved a program that calls {case.name}. {own_calls.doubt(case.tool)}"
        return (_ask(UNFORESEEN, case, text, "Ask the user to approve it."),)
    return ()


def outside_run(case: Case) -> Sequence[CallReason]:
    """The rules that follow are about runs."""
    if case.context.run is None and not case.reasons:
        case.settled = True
    return ()


def dry_run(case: Case) -> Sequence[CallReason]:
    """In a dry run nothing changes and nothing is sent: the call is written down and answered in the server's place."""
    context = case.context
    if context.run is None or not context.dry_run or (case.call_expected and case.facts.harmless):
        return ()
    suspected = bool(case.evidence())
    only_reads = case.call_expected and context.dry_run_reads_outside and case.facts.only_reads
    if not only_reads or suspected:
        case.stand_in = case.settled = True
    return ()


def harmless_call(case: Case) -> Sequence[CallReason]:
    """A call that changes nothing and reaches nobody outside is sent without a look at where its values came from."""
    if not case.reasons and case.facts.harmless and case.context.counted.planned is not PlanMatch.LEFT_OUT:
        case.settled = True
    return ()


def approved_plan(case: Case) -> Sequence[CallReason]:
    """A run that goes by the plan of a dry run may do what was ticked, each once."""
    planned = case.context.counted.planned
    if planned is PlanMatch.LEFT_OUT:
        text = "The user did not include this call in the plan."
        return (_deny(PLAN, case.risk, text, "Go on without it, or ask why."),)
    if planned is PlanMatch.EXACT:
        case.settled = True
    elif planned is PlanMatch.BY_PLACE:
        case.reasons = [one for one in case.reasons if one.rule not in (RULED, UNFORESEEN)]
    elif planned is PlanMatch.NOWHERE and not case.facts.only_reads:
        text = f"Stands nowhere in the plan that was allowed: {case.name}"
        risk, value = worst((case.risk, Risk.MEDIUM)), provenance_rules.canonical(case.context.arguments)
        return (CallReason(PLAN, risk, text, value=value),)
    return ()


def data_sources(case: Case) -> Sequence[CallReason]:
    """Values out of text that outsiders can write, private data on its way outside, more calls than the text says."""
    context, tool = case.context, case.tool
    if context.run is None:
        return ()
    found = list(case.evidence())
    if any(one.rule == "private" for one in found):
        held = found
        if case.call.arguments is not context.arguments:  # private values that came as tokens have their own reason
            plain = context.run.sources(tool, case.call.arguments)
            held = list(_from_sources(case, plain))
        paths = {one.path for one in held if one.rule == "private"}
        found = [one for one in found if one.rule != "private" or one.path in paths]
        found = [context.run.describe(one, tool) if one.rule == "private" else one for one in found]
    if context.counted.planned is PlanMatch.BY_PLACE:
        found = [one for one in found if one.path]  # of its values; the call itself is in the plan
    return found


def answered_before(case: Case) -> Sequence[CallReason]:
    """What the user allowed is not asked again: for this call, for the rest of the run, for a value in the session.
    What they denied in this run is denied again."""
    run, tool = case.context.run, case.tool
    if run is None:
        return ()
    left = [
        one for one in case.reasons if one.key not in case.context.allowed_now and not run.allowed_before(tool, one)
    ]
    case.answered, case.reasons = len(left) < len(case.reasons), left
    if any(run.denied_before(tool, one) for one in left):
        text = "This call needs the user's approval, and the same was denied before"
        return (_deny("repeated", case.risk, text, "Go on without it, or ask why."),)
    return ()


Rule = Callable[[Case], Sequence[CallReason]]
RULES: Final[tuple[Rule, ...]] = (
    held_call_replaced,
    blocked_definition,
    run_bounds,
    assessed_definition,
    agent_without_program,
    damaged_tokens,
    user_rules,
    token_release,
    own_call,
    approved_program,
    outside_run,
    dry_run,
    harmless_call,
    approved_plan,
    data_sources,
    answered_before,
)


# ── evidence ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def _evidence(case: Case) -> Iterator[CallReason]:
    context, tool, run = case.context, case.tool, case.context.run
    if run is None:
        return
    case.sources = found = run.sources(tool, context.arguments)
    if case.call_expected:
        yield from _beyond_program(case)
    reasons = list(_from_sources(case, found))
    yield from reasons
    if not case.covered and PRIVATE in run.kinds and _may_carry(case):
        told = {one.path for one in reasons if one.rule == "private"}
        yield from (one for one in _derived(case) if one.path not in told)
    if run.kinds and (found.unread_place or (found.unread and not case.covered)):
        text = f"A call of {case.name} holds more than can be looked at"
        value = provenance_rules.canonical(context.arguments)
        yield CallReason("unread", worst((case.risk, Risk.HIGH)), text, value=value)
    destroys_in_loop = case.facts.destroys and any(one.often for one in case.uses)  # which and how many is not approved
    if case.covered and destroys_in_loop and not run.holds(context.arguments):
        yield CallReason("loop", Risk.HIGH, f"Calls {case.name} as often as its data says")


def _from_sources(case: Case, found: ValueSources) -> tuple[CallReason, ...]:
    run = case.context.run
    kinds, unreviewed = (run.kinds, run.unreviewed) if run is not None else (frozenset[str](), False)
    return provenance_rules.object_to(case.tool, found.values, kinds, covered=case.covered, spared=unreviewed)


def _beyond_program(case: Case) -> Iterator[CallReason]:
    """More calls than the text of the program says, or than a program without approval may make."""
    context, run = case.context, case.context.run
    kinds = run.kinds if run is not None and run.unreviewed else None
    if (
        kinds is not None
        and (reason := provenance_rules.beyond_mild(case.tool, context.counted.number, kinds)) is not None
    ):
        yield reason
        return
    often = any(one.often for one in case.uses)
    if case.uses and context.counted.number > len(case.uses) and not often and at_least(case.risk, Risk.MEDIUM):
        text = f"Calls {case.name} for the {context.counted.number}th time; its text says {len(case.uses)}"
        yield CallReason("often", case.risk, text)


def _may_carry(case: Case) -> bool:
    """Whether this call reaches a recipient that has not seen all private data that was read, and the analysis could
    not exclude that its arguments are made of it."""
    run, verdict = case.context.run, case.context.verdict
    arguments = case.call.arguments
    if run is None or not any(tool_annotations.hears(case.tool, server, arguments) for server in run.private_servers):
        return False
    return verdict is None or not case.uses or case.name in verdict.may_carry


def _derived(case: Case) -> Iterator[CallReason]:
    """Values as the program gave them: tokens are asked about where they are put in."""
    run = case.context.run
    if run is None:
        return
    risk = Risk.CRITICAL if provenance_rules.trifecta(case.tool, run.kinds) else Risk.HIGH
    for path, text in run.derived(case.call.arguments):
        words = f"Its {path or 'argument'} may be made of private data that was read before, and reaches outside"
        yield CallReason("derived", risk, words, path=path, value=text)


# ── reasons ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def _deny(rule: str, risk: Risk, text: str, hint: str = "") -> CallReason:
    return CallReason(rule, risk, text, decision=Word.DENY, hint=hint)


def _deny_with(rule: str, risk: Risk, fault: Fault) -> CallReason:
    return CallReason(rule, risk, fault.message, decision=Word.DENY, hint=fault.hint, code=fault.code)


def _ask(rule: str, case: Case, text: str, hint: str = "The user must allow this call.") -> CallReason:
    """About the call as such, whatever its arguments are."""
    case.call_expected = False
    return CallReason(rule, worst((case.risk, Risk.MEDIUM)), text, hint=hint)


def _release_rule(one: ReleaseDecision) -> str:
    return f"{RELEASE} {one.what.kind}"
