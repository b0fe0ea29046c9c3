"""Lasting answers for a waiting program: the rules with which it would have run without asking.

Each offer is tried out: with its rules in force the program must need no approval, and each of its predicted calls
must be allowed. So none is offered for a program of critical risk, for code that was not analyzed, or for values that
come from outsiders or are private.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence

from msgspec import to_builtins
from msgspec.structs import replace

from workbench.analysis.approval_gate import decide_gate, written_data_file
from workbench.analysis.program_fingerprints import once_only, session_only
from workbench.analysis.reading import PYTHON, PredictedCall, Reading
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.permissions import workspace_files
from workbench.permissions.rule_offers import KINDS, CallOffer, offers
from workbench.permissions.rule_sentences import sentence
from workbench.permissions.tool_annotations import facts_of
from workbench.records import CallDecision, Gate, Origin, Permission, Risk, RuleOffer, Run, Verdict
from workbench.records.common_types import at_least
from workbench.runs.program_assessment import ProgramAssessor
from workbench.runs.sandbox_choice import SandboxChoice, choose_sandbox

PROGRAM, SERVER, FOLDER = "program", "server", "folder"  # kinds of offers besides those about calls
MOST_RULES = 6  # rules of one offer
MOST_CALLS = 12  # different calls of a program for which rules are derived
_ALWAYS = Permission("", "", CallDecision.ALLOW)


class ApprovalOffers:
    """Finds the lasting answers for waiting programs."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._assessor = ProgramAssessor(services)

    async def find(
        self, run: Run, reading: Reading, session: Session, program_rule: Callable[[str], Permission]
    ) -> tuple[RuleOffer, ...]:
        """Return the offers for a waiting program, the narrowest first. `program_rule`: returns the rule that allows
        exactly this program, for a reach."""
        reaches = tuple(_reaches(session))
        found = list(self._of_program(run, reading.verdict, reaches, program_rule))
        if self._rules_may_help(run, reading):
            for kind, rules in self._candidates(reading):
                if await self._automatic(run, reading, rules) is not None:
                    found += [_offer(kind, [_limited(rule, reach) for rule in rules]) for reach in reaches]
        return tuple(found)

    async def find_release(self, run: Run, reading: Reading) -> tuple[Verdict, SandboxChoice] | None:
        """Return the verdict and the sandbox of a waiting program that needs no approval any more, because the user
        has made rules since."""
        return await self._automatic(run, reading, ()) if self._rules_may_help(run, reading) else None

    async def is_about_program(self, run: Run, reading: Reading) -> bool:
        """Whether a request asks only what rules can answer, and not whether to work without a copy of the files."""
        if not run.isolation:
            return True
        try:
            choice = await choose_sandbox(reading, self._services.settings(), self._services.sandbox)
        except WorkbenchError:
            return False
        return run.isolation == choice.isolation

    def _of_program(
        self, run: Run, verdict: Verdict, reaches: Sequence[Permission], program_rule: Callable[[str], Permission]
    ) -> Iterator[RuleOffer]:
        if run.proposal.force_approval or verdict.asks:
            return
        if once_only(run.proposal, verdict, self._services.catalog.tools()):
            return
        for reach in reaches:
            if reach.scope == "session" or not session_only(verdict):
                rule = program_rule(reach.scope)
                yield replace(_offer(PROGRAM, [rule]), rules=())

    def _rules_may_help(self, run: Run, reading: Reading) -> bool:
        """Whether a program asks only because of what it does."""
        verdict, proposal = reading.verdict, run.proposal
        certain = reading.language == PYTHON and not verdict.not_assessed and not proposal.state
        if not certain or proposal.force_approval or self._services.rules.trust.lost:
            return False
        return verdict.risk is not Risk.CRITICAL and verdict.gate is Gate.ASK and not verdict.hosts

    # ── candidates ───────────────────────────────────────────────────────────────────────────────
    def _candidates(self, reading: Reading) -> Iterator[tuple[str, list[Permission]]]:
        """Yield kinds of offers with their rules, the narrowest first; each kind covers all risky calls."""
        calls = [one for one in reading.calls if at_least(facts_of(one.tool).risk, Risk.MEDIUM)]
        workspace = str(self._services.paths.workspace)
        possible = [
            (call, offers(call.tool, known.values, known.unknown, workspace))
            for call in calls[: MOST_CALLS + 1]
            for known in call.known_arguments
        ]
        files = self._rules_about_files(reading)
        told = set[frozenset[tuple[object, ...]]]()
        if calls and len(possible) <= MOST_CALLS:
            for kind in KINDS:
                rules = [*found, *files] if (found := _rules(kind, possible)) else []
                about = frozenset((one.server, one.tool, one.where, one.others) for one in rules)
                if rules and about not in told:
                    told.add(about)
                    yield kind, rules
        if files and not calls:
            yield FOLDER, files
        if servers := sorted({call.tool.server for call in calls}):
            yield SERVER, [_of_server(name) for name in servers]

    def _rules_about_files(self, reading: Reading) -> list[Permission]:
        """Return the rule for the folder of the workspace in which the program replaces files; none if a new file
        would not ask."""
        written = {path for one in reading.verdict.findings if (path := written_data_file(one))}
        replaced = [path for path in written if os.path.lexists(self._services.paths.workspace.parent / path)]
        rule = workspace_files.offer(sorted(written)) if replaced else None
        return [rule] if rule is not None else []

    async def _automatic(
        self, run: Run, reading: Reading, rules: Sequence[Permission]
    ) -> tuple[Verdict, SandboxChoice] | None:
        """Return with which verdict and in which sandbox the program would run without asking if these rules were in
        force; None if it would ask."""
        proposal = run.proposal
        verdict = self._assessor.within_bounds(reading, proposal.profile, proposal.required, proposal.session, rules)
        settings = self._services.settings()
        if decide_gate(verdict, settings) is not Gate.AUTO or not self._allows_calls(reading, rules, proposal.session):
            return None
        try:
            choice = await choose_sandbox(reading.with_verdict(verdict), settings, self._services.sandbox)
        except WorkbenchError:
            return None
        return None if choice.isolation else (verdict, choice)

    def _allows_calls(self, reading: Reading, rules: Sequence[Permission], session: str) -> bool:
        """Whether each predicted call would be made without asking, as far as its arguments are known."""
        for call in reading.calls:
            facts = facts_of(call.tool)
            if not at_least(facts.risk, Risk.MEDIUM):
                continue
            mine = self._services.rules.rules_for(call.tool).with_rules(rules)
            answers = [mine.judge_known(known, session).decision for known in call.known_arguments]
            other = mine.looks_into_arguments or at_least(
                facts.risk, Risk.HIGH
            )  # such a call asks unless it is allowed
            if not all(answer is CallDecision.ALLOW or (answer is None and not other) for answer in answers):
                return False
        return True


def _reaches(session: Session) -> Iterator[Permission]:
    """Yield how far a rule may reach, as a rule with only these fields."""
    yield replace(_ALWAYS, scope="session", session=session.id)
    if session.origin is Origin.AGENT and session.claimed_name:
        yield replace(_ALWAYS, scope="client", session=session.claimed_name)
    yield _ALWAYS


def _limited(rule: Permission, reach: Permission) -> Permission:
    made = replace(rule, scope=reach.scope, session=reach.session)
    words = workspace_files.sentence if rule.kind == workspace_files.FILES else sentence
    return replace(made, label=words(made))


def _rules(kind: str, possible: Sequence[tuple[PredictedCall, tuple[CallOffer, ...]]]) -> list[Permission]:
    """Return one rule of this kind for each call, or the next narrower one that there is; none if a call has none."""
    found: dict[tuple[object, ...], Permission] = {}
    for call, offered in possible:
        fitting = [one for one in offered if KINDS.index(one.kind) <= KINDS.index(kind)]
        if not fitting:
            return []
        best = max(fitting, key=lambda one: KINDS.index(one.kind))
        rule = best.rule(call.tool)
        about = (rule.server, rule.tool, rule.where)
        found[about] = _joined(found[about], rule) if about in found else rule
    return list(found.values()) if len(found) <= MOST_RULES else []


def _joined(one: Permission, other: Permission) -> Permission:
    """Return a rule for two calls that differ only in the arguments that it leaves open."""
    if one.others is None or other.others is None:
        return one
    made = replace(one, others=tuple(dict.fromkeys((*one.others, *other.others))))
    return replace(made, label=sentence(made))


def _of_server(server: str) -> Permission:
    made = Permission("", "server", CallDecision.ALLOW, server, source="a decision")
    return replace(made, label=sentence(made))


def _offer(kind: str, rules: Sequence[Permission]) -> RuleOffer:
    first = rules[0]
    key = json.dumps([kind, to_builtins(list(rules))], sort_keys=True)
    words = " ".join(dict.fromkeys(rule.label for rule in rules))
    return RuleOffer(
        hashlib.sha256(key.encode()).hexdigest()[:12], kind, first.scope, words, tuple(rules), first.expires
    )
