"""Approvals of programs: facts for approval requests, the approval fingerprint, and rules made from answers.

Programs that the user allowed since the core started are remembered, so that a later approval request can say how its
program differs: in a comment, or in two values.

A rule made from an answer applies to exactly one program text with one meaning, for a session or until an expiry date.
It is looked up only where the user would be asked. Its conditions are compared at every use: a changed tool
definition, Python version or analysis version changes the hash. A session that has read more untrusted text or more
private data than the session in which the rule was made asks again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import astuple, replace

from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.program_fingerprints import (
    ProgramFingerprints,
    changed_values,
    fingerprints,
    is_near,
    once_only,
    session_only,
    text_fingerprint,
    value_table,
)
from workbench.analysis.reading import Reading
from workbench.analysis.used_skills import MARK
from workbench.audit.audit_statistics import DECIDED, is_hasty
from workbench.broker.agent_sessions import Session
from workbench.broker.provenance_index import PRIVATE, UNTRUSTED
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import PermissionsChanged
from workbench.permissions.call_rules import approval_basis
from workbench.permissions.client_rules import HOOK
from workbench.permissions.rule_sentences import program_sentence
from workbench.permissions.tool_annotations import facts_of
from workbench.records import (
    CallDecision,
    Decision,
    GroupRow,
    HeldCall,
    HeldCallAnswer,
    Likeness,
    Limits,
    Note,
    Origin,
    Permission,
    Proposal,
    RequestGroup,
    Resemblance,
    RuleOffer,
    Run,
    Verdict,
)
from workbench.runs.approval_offers import PROGRAM, ApprovalOffers
from workbench.runs.program_execution import limits_from
from workbench.runs.sandbox_choice import SandboxChoice
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.server_catalog import ServerCatalog

REMEMBERED = 100  # allowed programs with which new ones are compared
MOST_GROUPED = 200  # waiting programs that are grouped at once
LONGEST = 60_000  # characters; longer programs are not remembered


class AllowedProgram(Struct, frozen=True):
    """One program that the user allowed to run."""

    at: float
    fingerprints: ProgramFingerprints
    program: ParsedProgram
    language: str


class Approvals:
    """Collects the facts of approval requests. It decides nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.rules = ApprovalRules(services)
        self._allowed: deque[AllowedProgram] = deque(maxlen=REMEMBERED)
        self._attending = 0  # connected windows and terminals that could answer

    @property
    def attended(self) -> bool:
        """Whether a window or terminal is connected that could answer."""
        return self._attending > 0

    @contextmanager
    def attending(self) -> Iterator[None]:
        """Count a window or terminal as connected while this context is open."""
        self._attending += 1
        try:
            yield
        finally:
            self._attending -= 1

    async def with_request_facts(self, run: Run, reading: Reading | None) -> Run:
        """Return the run with what its approval request shows besides the verdict."""
        verdict = run.verdict
        if verdict is None or reading is None:
            return run
        allowed = tuple(self._allowed)
        like = await asyncio.to_thread(self._resemblance, run.proposal, verdict, reading.program, allowed)
        session = self._services.sessions.get(run.proposal.session)
        offers = await self.rules.find_offers(run, reading, session) if session is not None else ()
        limit = self.rules.offers_limit(run, verdict)
        return replace(run, fingerprint=self.fingerprint(run), like=like, offers=offers, offers_limit=limit)

    def fingerprint(self, run: Run) -> str:
        if run.verdict is None:
            return ""
        limits = limits_from(self._services.settings(), run.proposal.seconds, run.verdict.profile)
        return approval_fingerprint(run.proposal, run.verdict, self._services.catalog, limits)

    def remember_allowed(self, run: Run, reading: Reading | None) -> None:
        """Remember a program that the user allowed."""
        if run.verdict is not None and reading is not None and len(run.proposal.code) <= LONGEST:
            program = reading.program
            mine = fingerprints(run.proposal, run.verdict, program)
            self._allowed.append(AllowedProgram(time.time(), mine, program, run.proposal.language))

    async def group_requests(self, requests: Sequence[tuple[Run, Reading]]) -> tuple[RequestGroup, ...]:
        """Group waiting programs of the same form and meaning, with a table of the values in which they differ."""
        return await asyncio.to_thread(self._groups, requests[:MOST_GROUPED], tuple(self._allowed))

    def _groups(
        self, requests: Sequence[tuple[Run, Reading]], allowed: tuple[AllowedProgram, ...]
    ) -> tuple[RequestGroup, ...]:
        by_form: dict[str, list[tuple[str, ParsedProgram]]] = {}
        for run, reading in requests:
            if run.verdict is not None:
                mine = fingerprints(run.proposal, run.verdict, reading.program)
                by_form.setdefault(mine.skeleton or mine.text, []).append((run.id, reading.program))
        last = {one.fingerprints.skeleton: one.program for one in allowed if one.fingerprints.skeleton}
        return tuple(_group(members, last.get(form)) for form, members in by_form.items())

    def _resemblance(
        self, proposal: Proposal, verdict: Verdict, program: ParsedProgram, allowed: tuple[AllowedProgram, ...]
    ) -> Resemblance | None:
        """Return the most similar allowed program; among equally similar ones the newest."""
        if len(proposal.code) > LONGEST:
            return None
        mine = fingerprints(proposal, verdict, program)
        found = [(likeness, one) for one in reversed(allowed) if (likeness := one.fingerprints.likeness(mine))]
        if found:
            likeness, one = min(found, key=lambda pair: list(Likeness).index(pair[0]))
            changes = changed_values(one.program, program) if likeness is Likeness.VALUES else ()
            return Resemblance(likeness, one.at, one.program.text, changes)
        same = (one for one in reversed(allowed) if one.language == proposal.language)
        alike = (one for one in same if is_near(one.program.text, proposal.code))
        return next((Resemblance(Likeness.NEAR, one.at, one.program.text) for one in alike), None)


def _group(members: Sequence[tuple[str, ParsedProgram]], allowed: ParsedProgram | None) -> RequestGroup:
    ids = tuple(run_id for run_id, _ in members)
    columns, values, new = value_table([program for _, program in members], allowed)
    return RequestGroup(ids, columns, tuple(map(GroupRow, ids, values, new)))


def is_same_request(one: Run, other: Run) -> bool:
    """Whether two waiting programs make the same approval request: same text, meaning, session and findings.
    Findings grow when the session reads untrusted text."""
    return bool(one.fingerprint) and _request_key(one) == _request_key(other)


def _request_key(run: Run) -> tuple[object, ...]:
    verdict = run.verdict
    found = (verdict.risk, verdict.gate, verdict.findings, verdict.asks, verdict.hosts) if verdict is not None else ()
    return run.fingerprint, run.proposal.session, run.level, run.isolation, found


def decision_for(decision: Decision, run: Run) -> Decision:
    """Return the same decision for a different run with the same request, which the user did not review separately."""
    return replace(decision, run_id=run.id, seconds=0.0, also=())


def describe_decision(decision: Decision, run: Run, mask: Callable[[str], str]) -> tuple[str, dict[str, object]]:
    """Describe a decision for the audit; an approval that was too fast to have been read is marked."""
    hasty = is_hasty(decision.allow, decision.seconds)
    summary = f"was {'allowed' if decision.allow else 'denied'} by {decision.by}"
    detail: dict[str, object] = {"allow": decision.allow, "sha": decision.sha, "by": decision.by}
    detail |= {"seconds": decision.seconds, "fingerprint": run.fingerprint, "reason": mask(decision.reason)}
    detail |= {"hosts": [mask(host) for host in decision.hosts]} if decision.hosts else {}
    offer = next((one for one in run.offers if one.id == decision.offer), None)
    detail |= {"scope": offer.reach, "rules": mask(offer.sentence)} if offer is not None else {}
    detail |= {"plan": decision.plan} if decision.plan else {}
    detail |= {"terminal": decision.terminal} if decision.terminal else {}
    if hasty:
        return f"{summary} after {decision.seconds:.1f} s, too soon to have been read", {**detail, "hasty": True}
    return summary, detail


def held_call_decided(held_call: HeldCall, answer: HeldCallAnswer) -> Note:
    """Return the audit entry of one decision about any number of calls; each call also has entries of its own."""
    many, name = len(held_call.list), f"{held_call.server}.{held_call.tool}"
    calls = f"{many:,} calls of {{}} were" if many > 1 else "A call of {} was"
    if held_call.is_answer:
        calls = "Sending the answer of a program was"
    word, hasty = ("allowed" if answer.allow else "denied"), is_hasty(answer.allow, answer.seconds)
    unread = f" after {answer.seconds:.1f} s, too soon to have been read" if hasty else ""
    detail: dict[str, object] = {"allow": answer.allow, "by": answer.by, "seconds": answer.seconds}
    detail |= {"scope": answer.scope, "calls": many}
    detail |= {"terminal": answer.terminal} if answer.terminal else {}
    return Note(
        kind=f"{DECIDED}.call",
        summary=f"{calls.format(name)} {word} by {answer.by}{unread}",
        actor="you",
        session=held_call.session,
        server=held_call.server,
        tool=held_call.tool,
        run_id=held_call.run_id,
        risk=str(held_call.risk),
        detail={**detail, **({"hasty": True} if hasty else {})},
    )


def denial_undone(held_call: HeldCall) -> Note:
    """Return the audit entry for calls that wait again, because the user undid their denial."""
    return Note(
        kind="call.denial_undone",
        summary=f"{held_call.server}.{held_call.tool} waits again: the user undid the denial",
        actor="you",
        session=held_call.session,
        server=held_call.server,
        tool=held_call.tool,
        run_id=held_call.run_id,
    )


DAY = 86_400.0
_TOLD = 120  # characters of a program's summary that name its rule


class ApprovalRules:
    """Rules of kind "text". They are stored with the user's other rules, where the user can revoke them; agents can
    neither list nor change them."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._offers = ApprovalOffers(services)

    async def find_offers(self, run: Run, reading: Reading, session: Session) -> tuple[RuleOffer, ...]:
        """Return the lasting answers that would have let this program run without asking, the narrowest first."""
        return await self._offers.find(
            run, reading, session, lambda reach: self._new_rule(run, reading.verdict, session, reach)
        )

    async def find_release(self, run: Run, reading: Reading | None) -> tuple[Verdict, SandboxChoice] | None:
        """Return the verdict and the sandbox of a waiting program whose calls the user's rules allow by now."""
        if reading is None or not await self._offers.is_about_program(run, reading):
            return None
        return await self._offers.find_release(run, reading)

    def offers_limit(self, run: Run, verdict: Verdict) -> str:
        """Return why no lasting answer, or none beyond the session, can be offered; empty: nothing limits them."""
        return once_only(run.proposal, verdict, self._services.catalog.tools()) or session_only(verdict)

    def find_rule(self, run: Run, session: Session) -> Permission | None:
        """Return the rule under which this program runs without approval, if the user made one that still applies."""
        verdict, rules = run.verdict, self._services.rules
        if verdict is None or rules.trust.lost or run.proposal.force_approval or verdict.asks:
            return None
        pins = [one for one in rules.rules if one.kind == "text" and one.word is CallDecision.ALLOW]
        if not pins or once_only(run.proposal, verdict, self._services.catalog.tools()):
            return None
        if session_only(verdict):
            pins = [one for one in pins if one.scope == "session"]
        key, now = self._key(run, verdict), time.time()
        return next((one for one in pins if one.key == key and _is_in_force(one, session, now)), None)

    def decide_by_rule(self, rule: Permission, run: Run) -> Decision:
        """Return the decision that a rule makes in the user's place."""
        self._services.rules.note_use(rule)
        by = f"your rule of {time.strftime('%d %b %H:%M', time.localtime(rule.made))}"
        sha, fingerprint = run.proposal.sha, run.fingerprint
        return Decision(run.id, sha, True, by, at=time.time(), offer=rule.id, fingerprint=fingerprint)

    def make_rules(self, run: Run, decision: Decision, session: Session) -> tuple[Permission, ...]:
        """Make the rules that a decision requests; refuses what the request did not offer."""
        verdict = run.verdict
        if not decision.allow or verdict is None or not decision.offer:
            return ()
        offer = next((one for one in run.offers if one.id == decision.offer), None)
        if offer is None:
            hint = run.offers_limit or "Review the request again."
            raise WorkbenchError("This lasting answer is not offered for this program.", hint)
        made = self._rules_of_offer(run, verdict, offer, session)
        self._services.tell(PermissionsChanged(self._services.rules.view(self._services.catalog.tools())))
        return made

    def make_call_rule(self, held_call: HeldCall, answer: HeldCallAnswer) -> None:
        """Make the rule that the answer to a held call requests. The rule of a client's own call is about no tool."""
        chosen = next((one for one in held_call.rule_offers if one.id == answer.scope), None)
        if not answer.allow or chosen is None:
            return
        services = self._services
        for rule in chosen.rules:
            tool = services.catalog.tool(rule.server, rule.tool) if rule.kind != HOOK and rule.tool else None
            made = services.rules.set_rule(rule, tool)
            summary = services.sessions.person.mask(f"You set a rule: {made.label}")
            services.journal.append(Note("rule.set", summary, actor="you", server=made.server))
        services.tell(PermissionsChanged(services.rules.view(services.catalog.tools())))

    def _rules_of_offer(self, run: Run, verdict: Verdict, offer: RuleOffer, session: Session) -> tuple[Permission, ...]:
        rules, catalog = self._services.rules, self._services.catalog
        if offer.kind == PROGRAM:
            return (rules.store_rule(self._new_rule(run, verdict, session, offer.reach)),)
        wanted = [
            (replace(one, source=f"run {run.id}"), catalog.tool(one.server, one.tool) if one.tool else None)
            for one in offer.rules
        ]
        return tuple(rules.set_rule(rule, tool) for rule, tool in wanted)

    def _new_rule(self, run: Run, verdict: Verdict, session: Session, reach: str) -> Permission:
        now = time.time()
        rule = Permission(uuid.uuid4().hex[:12], "text", CallDecision.ALLOW, source=f"run {run.id}", made=now)
        made = replace(
            rule,
            key=self._key(run, verdict),
            scope=reach,
            session={"session": session.id, "client": session.claimed_name}.get(reach, ""),
            taint=tuple(sorted(session.provenance.kinds | self._reads(verdict))),
            about=approval_basis(verdict),
            expires=0.0 if reach == "session" else now + self._services.settings().approval_rule_days * DAY,
        )
        return replace(made, label=program_sentence(made, session.mask(verdict.sentence)[:_TOLD]))

    def _key(self, run: Run, verdict: Verdict) -> str:
        """Return a hash over the program text with its meaning, the servers of its tools, and the missing isolation."""
        parts = [
            text_fingerprint(run.proposal, verdict),
            run.isolation,
            server_fingerprints(verdict, self._services.catalog),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _reads(self, verdict: Verdict) -> set[str]:
        """Return the kinds of text that the program itself reads, which the user saw when allowing it."""
        used = {(use.server, use.tool) for use in verdict.tools}
        tools = [tool for tool in self._services.catalog.tools() if (tool.server, tool.name) in used]
        kinds = {PRIVATE for tool in tools if facts_of(tool).private}
        return kinds | {UNTRUSTED for tool in tools if facts_of(tool).outsiders}


def _is_in_force(rule: Permission, session: Session, now: float) -> bool:
    """Whether a rule applies in this session, which must not have read kinds of text that the rule's session had
    not."""
    if rule.expires and now >= rule.expires:
        return False
    if rule.scope == "client":
        mine = session.origin is Origin.AGENT and rule.session == session.claimed_name
    else:
        mine = rule.scope == "always" or rule.session == session.id
    return mine and session.provenance.kinds <= set(rule.taint)


def approval_fingerprint(proposal: Proposal, verdict: Verdict, catalog: ServerCatalog, most: Limits) -> str:
    """Hash of the text, the limits of its run, and the current meaning of the names in it."""
    tools = sorted({(use.server, use.tool) for use in verdict.tools})
    skills = [pair for pair in sorted(verdict.definitions.items()) if pair[0].startswith(MARK)]
    wished = [proposal.language, proposal.state, float(proposal.seconds), proposal.profile, sorted(proposal.required)]
    limits = [*wished, *astuple(most)]
    definitions = [[server, tool, _definition(server, tool, catalog)] for server, tool in tools]
    parts = [proposal.sha, limits, server_fingerprints(verdict, catalog), definitions, skills]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def server_fingerprints(verdict: Verdict, catalog: ServerCatalog) -> list[tuple[str, str]]:
    """Return the servers whose tools a program names, each with the fingerprint of its configuration."""
    named = {use.server for use in verdict.tools}
    configs = [state.config for state in catalog.states()]
    return sorted((config.name, fingerprint(config)) for config in configs if config.name in named)


def _definition(server: str, tool: str, catalog: ServerCatalog) -> str:
    try:
        return catalog.tool(server, tool).hash
    except WorkbenchError:
        return ""
