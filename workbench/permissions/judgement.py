"""The judgement of a tool call: whether it may be sent to its server, waits for the user, or is refused.

`judge` evaluates the functions of `RULES` in order. A rule that denies ends the judgement, and so does one that
settles the call; reasons to ask the user are collected. The order is the same for calls of the user, of programs and
of agents. A judgement changes nothing: the broker counts uses of rules, asks and sends.

Before a program runs, `foresee` evaluates the rules that need no arguments, so that a program with calls that are
certain to be refused is returned to its author.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from workbench.permissions import own_calls, provenance_rules, tool_annotations
from workbench.permissions.call_rules import Foreseen, ToolRules
from workbench.permissions.provenance_rules import PRIVATE, UNTRUSTED, CallReason
from workbench.permissions.release_rules import NEVER_ALWAYS, ReleaseDecision, offered_rules
from workbench.permissions.rule_offers import names_all_exactly
from workbench.permissions.run_profiles import outside
from workbench.permissions.tool_annotations import facts_of, needs_no_approval
from workbench.permissions.tool_verbs import name_words
from workbench.records import (
    CallDecision,
    Fault,
    JsonObject,
    JsonValue,
    Origin,
    Permission,
    Risk,
    RunProfile,
    Tool,
    ToolCall,
    ToolUse,
    ValueOrigin,
    Verdict,
)
from workbench.records.common_types import at_least, worst
from workbench.settings import Settings

ANYWAY: Final = "To make the call anyway, repeat it with your confirmation."
RELEASE: Final = "restore"  # prefix of the name of a reason about PII tokens
_WHO: Final = "Only the user can change this rule."


class PlanMatch(Enum):
    """What the plan of a dry run says about one call."""

    EXACT = "exact"  # the user selected exactly this call
    BY_PLACE = "by place"  # a selected call, except for values from the answer of an earlier planned call
    LEFT_OUT = "left out"  # the user saw the call and did not select it
    NOWHERE = "nowhere"  # the plan has no such call
    NO_PLAN = "no plan"


class CountedCall(Struct, frozen=True):
    """One call of a run, counted before it is judged."""

    number: int = 1  # number of calls of the tool by the run, including this one
    planned: PlanMatch = PlanMatch.NO_PLAN


FIRST_CALL: Final = CountedCall()


class ValueSources(Struct, frozen=True):
    """The sources of the values of one call."""

    values: tuple[ValueOrigin, ...] = ()
    # whether a destination value was not checked, because of its length or the number of values
    unread_place: bool = False
    unread: bool = False  # whether some other value was not checked
    places: tuple[str, ...] = ()  # destinations of the call: hosts of addresses, and all others as they are


class RunEvidence(Protocol):
    """What a judgement needs to know about the calling run and its session. Owned by the run (`RunGuard`); a
    judgement reads it, sometimes on a worker thread, and changes nothing."""

    @property
    def unreviewed(self) -> bool:
        """Whether the program ran without approval because it seemed to leave nothing to decide."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of data (`PRIVATE`, `UNTRUSTED`) that the session has read."""

    @property
    def private_servers(self) -> frozenset[str]:
        """The servers whose private data the session has read; "": a server that is no longer known."""

    @property
    def announced_tokens(self) -> frozenset[tuple[str, str, str]]:
        """Server, tool and PII token: which tokens the approved text showed to go to which tool."""

    def sources(self, tool: Tool, arguments: JsonObject) -> ValueSources:
        """Return the sources of the values, without values that the approved text itself contains."""

    def derived(self, arguments: JsonObject) -> Sequence[tuple[str, str]]:
        """Return path and text of values that are neither in the program's text nor in a public answer."""

    def holds(self, arguments: JsonObject) -> bool:
        """Whether the program's text, as the user read or wrote it, contains every value."""

    def unshown(self, tool: Tool, arguments: JsonObject) -> str:
        """Return an argument that says what a call does and has a value that the program's text excludes, as it was
        analysed; empty if there is none."""

    def describe(self, reason: CallReason, tool: Tool) -> CallReason:
        """Return a reason about private data with the kinds of personal data in the value."""

    def allowed_before(self, tool: Tool, reason: CallReason) -> bool:
        """Whether the user has allowed this reason for the rest of the run, or this value for the session."""

    def denied_before(self, tool: Tool, reason: CallReason) -> bool:
        """Whether the user has denied exactly this in this run."""


class CallContext(Struct, frozen=True):
    """What a call is judged by: values of one moment, and the calling run."""

    tool: Tool  # the tool with effective annotations, after the user's trust
    rules: ToolRules
    settings: Settings
    blocked: Fault | None = None  # why the tool's definition is blocked
    replaced: bool = False  # whether the server's entry or the definition changed after the user was asked
    verdict: Verdict | None = None  # verdict on the calling program; None: no program calls
    approved: bool = False  # whether the user approved exactly this program
    arguments: JsonObject = field(default_factory=dict)  # arguments as they would be sent
    release: tuple[ReleaseDecision, ...] = ()  # values that would replace PII tokens
    damaged: Fault | None = None  # why its PII tokens cannot be restored
    run: RunEvidence | None = None
    counted: CountedCall = FIRST_CALL
    dry_run: bool = False
    dry_run_reads_outside: bool = False  # whether a dry run really makes calls of tools that read external data
    allowed_now: frozenset[tuple[str, str, str]] = (
        frozenset()
    )  # keys of reasons that the user has allowed for this call


class Judgement(Struct, frozen=True):
    """The result of judging one call."""

    decision: CallDecision
    risk: Risk  # risk of the tool
    reasons: tuple[CallReason, ...] = ()  # why the call is denied, or what the user is asked about
    offers: tuple[Permission, ...] = ()  # rules that would have answered some of the reasons in the user's place
    sources: tuple[ValueOrigin, ...] = ()  # sources of values, as far as they were checked
    used: tuple[Permission, ...] = ()  # rules that decided something
    stand_in: bool = False  # whether the dry run answers in place of the server
    unsuspected: bool = False  # whether the sources of its values were checked without any objection

    @property
    def text(self) -> str:
        """All reasons as complete sentences."""
        return " ".join(dict.fromkeys(f"{one.text.rstrip('.')}." for one in self.reasons))

    @property
    def hint(self) -> str:
        return next((one.hint for one in self.reasons if one.hint), "")

    @property
    def noted_risk(self) -> Risk:
        """The risk in the audit: at least that of the reasons for a denied call."""
        return (
            worst((self.risk, *(one.risk for one in self.reasons))) if self.decision is CallDecision.DENY else self.risk
        )

    @property
    def fault(self) -> Fault:
        """Return the fault of a refused call for its caller."""
        code = next((one.code for one in self.reasons if one.code), "")
        return Fault(self.text, self.hint, code=code)

    @property
    def asks(self) -> str:
        """Why the user's own call asks: the tool `destroys`, `sends` or is `unknown`; empty for other reasons."""
        return next((one.rule for one in self.reasons if one.rule in own_calls.QUESTIONS), "")


def judge(call: ToolCall, context: CallContext) -> Judgement:
    """Judge whether this call may be sent to its server in this context."""
    case = Case(call, context)
    for rule in RULES:
        if reasons := rule(case):  # a rule may also remove reasons of others
            case.reasons += reasons
            if any(one.decision is CallDecision.DENY for one in reasons):
                break
        if case.settled:
            break
    return case.judgement()


def foresee(rules: ToolRules, profile: RunProfile | None, required: Sequence[str], session: str) -> Foreseen:
    """Judge any call of this tool by the user's rules and the limits of a run."""
    tool, judged = rules.tool, rules.judge(None, session)
    if judged.decision is CallDecision.DENY:
        return Foreseen(CallDecision.DENY, judged.why, f"Write the program without {tool.server}.{tool.name}.")
    if (fault := outside(profile, tuple(required), tool)) is not None:
        return Foreseen(CallDecision.DENY, fault.message, fault.hint)
    return Foreseen(judged.decision, judged.why, depends=judged.depends)


class Case:
    """The state of one judgement: the call, its context, and the results of the rules so far."""

    def __init__(self, call: ToolCall, context: CallContext) -> None:
        tool, verdict = context.tool, context.verdict
        self.call = call
        self.context = context
        self.tool = tool
        self.name = f"{tool.server}.{tool.name}"
        self.facts = facts_of(tool_annotations.for_call(tool, context.arguments))
        self.risk = self.facts.risk
        self.uses: list[ToolUse] = []  # uses of the tool in the program's text
        if verdict is not None:
            self.uses = [one for one in verdict.tools if one.tool == tool.name and one.server == tool.server]
        self.reasons: list[CallReason] = []
        self.settled = False  # whether later rules are skipped
        self.allowed_by_rule = False  # whether a rule of the user allows the call of a program
        # whether that rule names exactly where the call goes, what it acts on, and what it does
        self.allowed_for_exactly_this = False
        # whether rules and the program's approval leave no reason to ask about the call itself
        self.call_expected = True
        self.used: list[Permission] = []
        self.stand_in = False
        self.sources: ValueSources | None = None  # None: not checked
        self.answered = False  # whether the user allowed some of the reasons before
        self._evidence: tuple[CallReason, ...] | None = None

    @property
    def covered(self) -> bool:
        """Whether the user approved a program that names this tool."""
        return self.call_expected and self.context.approved and bool(self.uses)

    def evidence(self) -> tuple[CallReason, ...]:
        """Return the objections to the call that follow from the sources of its values and from earlier calls of the
        program."""
        if self._evidence is None:
            self._evidence = tuple(_evidence(self))
        return self._evidence

    def judgement(self) -> Judgement:
        denied = tuple([one for one in self.reasons if one.decision is CallDecision.DENY])
        reasons = denied or (() if self.settled else tuple(self.reasons))
        offered: tuple[Permission, ...] = ()
        if reasons and not denied and self.context.release:
            rules = {one.rule for one in reasons}
            asked = [
                one for one in self.context.release if one.decision is CallDecision.ASK and _release_rule(one) in rules
            ]
            offered = offered_rules(asked, self.tool)
        return Judgement(
            CallDecision.DENY if denied else CallDecision.ASK if reasons else CallDecision.ALLOW,
            self.risk,
            reasons,
            offered,
            self.sources.values if self.sources is not None else (),
            tuple(self.used),
            self.stand_in,
            unsuspected=self.sources is not None and not self.answered and not self.reasons,
        )


# ── the rules, in the order of evaluation ─────────────────────────────────────────────────────────────────────────────
RULED, UNFORESEEN, PLAN, OPTION, OTHER = "rule", "unforeseen", "plan", "option", "other"
_OPTION = re.compile(r"--?[A-Za-z][\w-]*(?:[=/~.].*)?", re.DOTALL)
_OPERANDS = frozenset(
    ("revision", "target", "ref", "branch", "commit", "base", "path", "file", "source", "tag", "range")
)


def held_call_replaced(case: Case) -> Sequence[CallReason]:
    """Deny if the user allowed the call for a different server entry or definition than the current one."""
    if not case.context.replaced:
        return ()
    text = f"{case.name} was not called: its server or its definition changed while the call waited for approval."
    return (_deny("replaced", case.risk, text, "Call it again; the current definition will be checked."),)


def blocked_definition(case: Case) -> Sequence[CallReason]:
    """Deny if the definition changed since the user saw it."""
    fault = case.context.blocked
    return () if fault is None else (_deny_with("blocked", Risk.HIGH, fault),)


def run_bounds(case: Case) -> Sequence[CallReason]:
    """Deny tools outside the run's profile and its `required_tools`."""
    verdict = case.context.verdict
    fault = outside(verdict.profile, verdict.required, case.tool) if verdict is not None else None
    return () if fault is None else (_deny_with("bounds", Risk.HIGH, fault),)


def assessed_definition(case: Case) -> Sequence[CallReason]:
    """Deny if the definition changed since the program was assessed."""
    verdict = case.context.verdict
    assessed = verdict.definitions.get(case.name) if verdict is not None else None
    if assessed is None or assessed == case.tool.hash:
        return ()
    text = f"The definition of {case.name} changed after this program was assessed."
    hint = "Submit the program again; it will be assessed with the new definition."
    return (_deny("definition", case.risk, text, hint),)


def agent_without_program(case: Case) -> Sequence[CallReason]:
    """Deny calls of agents that do not come from an assessed program."""
    if case.context.verdict is not None or case.call.origin is Origin.PERSON:
        return ()
    text = f"{case.name} was called by an agent outside an assessed program."
    return (_deny("no program", case.risk, text, "Call tools from a program that you pass to execute_code."),)


def damaged_tokens(case: Case) -> Sequence[CallReason]:
    """Deny a call with a PII token that is damaged or unknown to the session."""
    fault = case.context.damaged
    return () if fault is None else (_deny_with("token", case.risk, fault),)


def user_rules(case: Case) -> Sequence[CallReason]:
    """Apply the user's rules about calls of programs. Approving the program answers a rule that asks about a tool
    without conditions, but not one about arguments, because the user had not seen them."""
    context, call, rules = case.context, case.call, case.context.rules
    if context.verdict is None or not (rules.rules or rules.lost or case.facts.unasked):
        return ()
    answer = rules.judge(context.arguments, call.session, call.run_id)
    if answer.decision is None:
        asks = (
            rules.looks_into_arguments and not context.approved and not needs_no_approval(case.risk, context.settings)
        )
        if asks and rules.judge(None, call.session, call.run_id).decision is CallDecision.ALLOW:
            return (_ask(RULED, case, f"A rule allows {case.name}, but only for other arguments."),)
    if answer.permission is not None:
        case.used.append(answer.permission)
    if answer.decision is CallDecision.DENY:
        return (_deny(RULED, case.risk, answer.why, "Continue without this call; only the user can change the rule."),)
    about_tool = answer.permission is None or answer.permission.kind != "arguments"
    if answer.decision is CallDecision.ASK and not (context.approved and about_tool):
        return (_ask(RULED, case, answer.why),)
    case.allowed_by_rule = answer.decision is CallDecision.ALLOW
    case.allowed_for_exactly_this = (
        case.allowed_by_rule
        and answer.permission is not None
        and not about_tool
        and names_all_exactly(answer.permission.where, context.arguments)
    )
    return ()


def token_release(case: Case) -> Sequence[CallReason]:
    """Release personal data to the servers it came from; to other servers according to the user's rules, or after
    asking."""
    context = case.context
    if not context.release:
        return ()
    case.used += [one.rule for one in context.release if one.rule is not None]
    if denied := [one for one in context.release if one.decision is CallDecision.DENY]:
        rule = next((one.rule.label for one in denied if one.rule is not None), "")
        words = "; ".join(str(one.restoration) for one in denied)
        text = f"The call was not made: {words}. {rule}".strip()
        return (replace(_deny(RELEASE, case.risk, text, _WHO), code="refused"),)
    if context.run is None and case.call.confirmed:
        return ()
    asked = [one for one in context.release if one.decision is CallDecision.ASK]
    if asked and context.run is not None:
        told = context.run.announced_tokens
        server, tool = case.tool.server, case.tool.name
        asked = [one for one in asked if not all((server, tool, token) in told for token in one.restoration.tokens)]
    hint = ANYWAY if context.run is None else ""
    return [
        CallReason(
            _release_rule(one),
            Risk.HIGH if one.restoration.kind in NEVER_ALWAYS else Risk.MEDIUM,
            str(one.restoration),
            value=" ".join(sorted(one.restoration.tokens)),
            hint=hint,
        )
        for one in asked
    ]


def own_call(case: Case) -> Sequence[CallReason]:
    """Allow the user's own call, because pressing Run is consent, except for tools that may destroy data or send
    data outside. A script's call in the user's name asks unless the tool is known to be harmless, because no button
    was pressed for it."""
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
    if (question := own_calls.find_objection(tool)) is not None:
        return (CallReason(question.what, case.risk, question.sentence, hint=ANYWAY),)
    if call.unattended and (at_least(case.risk, Risk.HIGH) or case.facts.sends or case.facts.unverified):
        return (CallReason(own_calls.UNKNOWN, case.risk, own_calls.describe_doubt(tool), hint=ANYWAY),)
    return ()


def approved_program(case: Case) -> Sequence[CallReason]:
    """Ask about a call that the program's text does not show, if it may change data or reads private data, and about
    a call of high risk in a program without approval."""
    context = case.context
    if context.verdict is None or case.allowed_by_rule or not case.call_expected:
        return ()
    unseen = at_least(case.risk, Risk.MEDIUM) or (not context.approved and case.facts.private)
    if not case.uses and unseen:
        doubt = own_calls.describe_doubt(case.tool)
        text = f"The program calls {case.name}, which the analysis did not find in its text. {doubt}"
        hint = "Import the tool by its name and call it directly, so that it can be assessed."
        return (_ask(UNFORESEEN, case, text, hint),)
    if (at_least(case.risk, Risk.HIGH) or case.facts.unverified) and not context.approved:
        text = f"The program calls {case.name} and has not been approved. {own_calls.describe_doubt(case.tool)}"
        return (_ask(UNFORESEEN, case, text, "Ask the user to approve the program."),)
    return ()


def outside_run(case: Case) -> Sequence[CallReason]:
    """End the judgement of a call outside a run, because the following rules are about runs."""
    if case.context.run is None and not case.reasons:
        case.settled = True
    return ()


def dry_run(case: Case) -> Sequence[CallReason]:
    """Hold the call in a dry run: it is recorded and answered with a stand-in value. Harmless calls are made. So are
    other calls that only read, if the dry run reads external data and nothing speaks against the sources of their
    values."""
    context = case.context
    if context.run is None or not context.dry_run or (case.call_expected and case.facts.harmless):
        return ()
    suspected = bool(case.evidence())
    only_reads = case.call_expected and context.dry_run_reads_outside and case.facts.only_reads
    if not only_reads or suspected:
        case.stand_in = case.settled = True
    return ()


def other_than_shown(case: Case) -> Sequence[CallReason]:
    """Ask about a call whose recipient, object or command is none of those that the approved program was said to have:
    the analysis does not follow every way in which a program changes its values."""
    context = case.context
    if context.run is None or not context.approved or case.allowed_by_rule or case.facts.harmless:
        return ()
    if not (path := context.run.unshown(case.tool, case.call.arguments)):
        return ()
    value = provenance_rules.canonical(case.call.arguments.get(path))
    case.call_expected = False
    text = f"The argument {path} of {case.name} is not what was shown when the program was approved"
    return (CallReason(OTHER, worst((case.risk, Risk.HIGH)), text, path=path, value=value),)


def option_as_argument(case: Case) -> Sequence[CallReason]:
    """Ask about a value such as `--output=FILE` where a branch or a file is expected: a program that the server starts
    may take it for an option."""
    if case.context.verdict is None or case.context.approved or case.allowed_by_rule:
        return ()
    for key, value in case.context.arguments.items():
        named = not _OPERANDS.isdisjoint(name_words(key))
        if named and any(isinstance(one, str) and _OPTION.fullmatch(one) for one in _items(value)):
            text = (
                f"The argument {key} begins with a hyphen, so a program of {case.tool.server} may take it for an option"
            )
            return (replace(_ask(OPTION, case, text), risk=Risk.HIGH),)  # it may write any file, or run a program
    return ()


def _items(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else [value]


def harmless_call(case: Case) -> Sequence[CallReason]:
    """Allow a call that changes nothing and sends nothing outside, without checking the sources of its values."""
    if not case.reasons and case.facts.harmless and case.context.counted.planned is not PlanMatch.LEFT_OUT:
        case.settled = True
    return ()


def approved_plan(case: Case) -> Sequence[CallReason]:
    """Apply the plan of a dry run: each selected call is allowed once."""
    planned = case.context.counted.planned
    if planned is PlanMatch.LEFT_OUT:
        text = "The user did not include this call in the plan."
        return (_deny(PLAN, case.risk, text, "Continue without this call, or ask the user why."),)
    if planned is PlanMatch.EXACT:
        case.settled = True
    elif planned is PlanMatch.BY_PLACE:
        case.reasons = [one for one in case.reasons if one.rule not in (RULED, UNFORESEEN)]
    elif planned is PlanMatch.NOWHERE and not case.facts.only_reads:
        text = f"The allowed plan does not contain this call of {case.name}"
        risk, value = worst((case.risk, Risk.MEDIUM)), provenance_rules.canonical(case.context.arguments)
        return (CallReason(PLAN, risk, text, value=value),)
    return ()


def data_sources(case: Case) -> Sequence[CallReason]:
    """Ask about values from text that outsiders can write, private data that would be sent outside, and more calls
    than the program's text shows."""
    context, tool = case.context, case.tool
    if context.run is None:
        return ()
    found = list(case.evidence())
    if any(one.rule == "private" for one in found):
        held = found
        # private values that were passed as tokens have their own reason
        if case.call.arguments is not context.arguments:
            plain = context.run.sources(tool, case.call.arguments)
            held = list(_from_sources(case, plain))
        paths = {one.path for one in held if one.rule == "private"}
        found = [one for one in found if one.rule != "private" or one.path in paths]
        found = [context.run.describe(one, tool) if one.rule == "private" else one for one in found]
    if context.counted.planned is PlanMatch.BY_PLACE:
        found = [one for one in found if one.path]  # only reasons about values; the call itself is in the plan
    places = case.sources.places if case.sources is not None else ()
    return [replace(one, places=places) if one.path else one for one in found]


def answered_before(case: Case) -> Sequence[CallReason]:
    """Remove reasons that the user has allowed for this call, the rest of the run, or a value in the session; deny
    again what the user denied in this run."""
    run, tool = case.context.run, case.tool
    if run is None:
        return ()
    left = [
        one for one in case.reasons if one.key not in case.context.allowed_now and not run.allowed_before(tool, one)
    ]
    case.answered, case.reasons = len(left) < len(case.reasons), left
    if any(run.denied_before(tool, one) for one in left):
        text = "This call needs the user's approval, which the user denied earlier in this run for the same reason"
        return (_deny("repeated", case.risk, text, "Continue without this call, or ask the user why."),)
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
    other_than_shown,
    option_as_argument,
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
        text = f"The arguments of {case.name} are too large to check where all their values came from"
        value = provenance_rules.canonical(context.arguments)
        yield CallReason("unread", worst((case.risk, Risk.HIGH)), text, value=value)
    # the user has not approved which and how many
    destroys_in_loop = case.facts.destroys and any(one.often for one in case.uses)
    unseen = case.covered or case.facts.unasked
    if unseen and destroys_in_loop and not run.holds(context.arguments):
        yield CallReason("loop", Risk.HIGH, f"The program calls {case.name} in a loop, as often as its data says")


def _from_sources(case: Case, found: ValueSources) -> tuple[CallReason, ...]:
    run = case.context.run
    kinds, unreviewed = (run.kinds, run.unreviewed) if run is not None else (frozenset[str](), False)
    return provenance_rules.object_to(
        case.tool, found.values, kinds, covered=case.covered, spared=unreviewed, ruled=case.allowed_for_exactly_this
    )


def _beyond_program(case: Case) -> Iterator[CallReason]:
    """Yield reasons for more calls than the program's text shows, or than a program without approval may make."""
    context, run = case.context, case.context.run
    kinds = run.kinds if run is not None and run.unreviewed else None
    if (
        kinds is not None
        and (reason := provenance_rules.beyond_mild(case.tool, context.counted.number, kinds)) is not None
    ):
        yield reason
        return
    often, expected = any(one.often for one in case.uses), sum(one.times for one in case.uses)
    if case.uses and context.counted.number > expected and not often and at_least(case.risk, Risk.MEDIUM):
        text = f"This is call {context.counted.number} of {case.name}; the text of the program shows {expected}"
        yield CallReason("often", case.risk, text)


def _may_carry(case: Case) -> bool:
    """Whether this call reaches a recipient that has not seen all private data that was read, and the analysis could
    not exclude that its arguments contain some."""
    run, verdict = case.context.run, case.context.verdict
    arguments = case.call.arguments
    if run is None or not any(
        tool_annotations.reaches_new_recipient(case.tool, server, arguments) for server in run.private_servers
    ):
        return False
    return verdict is None or not case.uses or case.name in verdict.may_carry


def _derived(case: Case) -> Iterator[CallReason]:
    """Yield reasons for values that may be derived from private data. Checks the values as the program passed them:
    tokens are asked about when they are restored."""
    run = case.context.run
    if run is None:
        return
    values = case.sources.values if case.sources is not None else ()
    chosen = any(UNTRUSTED in one.kinds and provenance_rules.names_place(one.path) for one in values)
    risk = provenance_rules.leak_risk(chosen=chosen)
    for path, text in run.derived(case.call.arguments):
        argument = f"The argument {path}" if path else "An argument"
        words = f"{argument} may be derived from private data read earlier, and this call can send it outside"
        yield CallReason("derived", risk, words, path=path, value=text, by_outsiders=chosen)


# ── reasons ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def _deny(rule: str, risk: Risk, text: str, hint: str = "") -> CallReason:
    return CallReason(rule, risk, text, decision=CallDecision.DENY, hint=hint)


def _deny_with(rule: str, risk: Risk, fault: Fault) -> CallReason:
    return CallReason(rule, risk, fault.message, decision=CallDecision.DENY, hint=fault.hint, code=fault.code)


def _ask(rule: str, case: Case, text: str, hint: str = "The user must allow this call.") -> CallReason:
    """Return a reason about the call itself, whatever its arguments are."""
    case.call_expected = False
    return CallReason(rule, worst((case.risk, Risk.MEDIUM)), text, hint=hint)


def _release_rule(one: ReleaseDecision) -> str:
    return f"{RELEASE} {one.restoration.kind}"
