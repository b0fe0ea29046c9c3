"""Approvals of programs: the facts of a request, the fingerprint of what was approved, and rules made of answers.

The programs that the user allowed since the core began are remembered, so that the next request can say how it
differs: in a comment, or in two values.

A rule made of an answer counts for exactly one text in exactly one meaning, for a session or until a day. It is looked
for only where the user would be asked. What it was given for is compared again each time: another definition of a
tool, another version of Python or of the analysis makes another hash. A session that has read more untrusted text or
more private data than the one in which the rule was made asks again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
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
)
from workbench.analysis.reading import Reading
from workbench.analysis.used_skills import MARK
from workbench.audit.audit_statistics import is_hasty
from workbench.broker.agent_sessions import Session
from workbench.broker.provenance_index import PRIVATE, UNTRUSTED
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import PermissionsChanged
from workbench.permissions import tool_annotations
from workbench.permissions.call_rules import approval_basis
from workbench.records import Decision, Likeness, Limits, Permission, Proposal, Resemblance, Risk, Run, Verdict, Word
from workbench.runs.program_execution import limits_from
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.server_catalog import ServerCatalog

REMEMBERED = 100  # allowed programs that the next ones are compared with
LONGEST = 60_000  # characters of a program that is remembered for that


class Allowed(Struct, frozen=True):
    """One program that the user allowed to run."""

    at: float
    fingerprints: ProgramFingerprints
    program: ParsedProgram
    language: str


class Approvals:
    """Facts of approval requests. Decides nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.pins = ApprovalRules(services)
        self._allowed: deque[Allowed] = deque(maxlen=REMEMBERED)
        self._attending = 0  # windows and terminals that could answer

    @property
    def attended(self) -> bool:
        """Whether a window or terminal is there that could answer."""
        return self._attending > 0

    @contextmanager
    def attending(self) -> Iterator[None]:
        """A window or terminal is there, until this is left."""
        self._attending += 1
        try:
            yield
        finally:
            self._attending -= 1

    async def about(self, run: Run, reading: Reading | None) -> Run:
        """The run with what its approval request shows beside the verdict."""
        verdict = run.verdict
        if verdict is None or reading is None:
            return run
        allowed = tuple(self._allowed)
        like = await asyncio.to_thread(self._resemblance, run.proposal, verdict, reading.program, allowed)
        scopes, why = self.pins.reach(run, verdict)
        return replace(run, fingerprint=self.fingerprint(run), like=like, scopes=scopes, scopes_why=why)

    def fingerprint(self, run: Run) -> str:
        if run.verdict is None:
            return ""
        limits = limits_from(self._services.settings(), run.proposal.seconds, run.verdict.profile)
        return approval_fingerprint(run.proposal, run.verdict, self._services.catalog, limits)

    def remember(self, run: Run, reading: Reading | None) -> None:
        """Remember a program that the user allowed."""
        if run.verdict is not None and reading is not None and len(run.proposal.code) <= LONGEST:
            program = reading.program
            mine = fingerprints(run.proposal, run.verdict, program)
            self._allowed.append(Allowed(time.time(), mine, program, run.proposal.language))

    def _resemblance(
        self, proposal: Proposal, verdict: Verdict, program: ParsedProgram, allowed: tuple[Allowed, ...]
    ) -> Resemblance | None:
        """The nearest of the allowed programs; of equally near ones the newest."""
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


def is_same_question(one: Run, other: Run) -> bool:
    """Whether two waiting programs are one and the same request: text, meaning, who asks, and what was found in it:
    that is more once their session has read strangers' text."""
    return bool(one.fingerprint) and _question(one) == _question(other)


def _question(run: Run) -> tuple[object, ...]:
    verdict = run.verdict
    found = (verdict.risk, verdict.gate, verdict.findings, verdict.asks, verdict.hosts) if verdict is not None else ()
    return run.fingerprint, run.proposal.session, run.level, run.isolation, found


def answer_for(decision: Decision, run: Run) -> Decision:
    """The same decision for another run with the same request, which the user did not review by itself."""
    return replace(decision, run_id=run.id, seconds=0.0, also=())


def told(decision: Decision, run: Run, mask: Callable[[str], str]) -> tuple[str, dict[str, object]]:
    """A decision as the audit keeps it; a yes that came too fast to have been read says so."""
    hasty = is_hasty(decision.allow, decision.seconds)
    summary = f"was {'allowed' if decision.allow else 'denied'} by {decision.by}"
    detail: dict[str, object] = {"allow": decision.allow, "sha": decision.sha, "by": decision.by}
    detail |= {"seconds": decision.seconds, "fingerprint": run.fingerprint, "reason": mask(decision.reason)}
    detail |= {"hosts": [mask(host) for host in decision.hosts]} if decision.hosts else {}
    detail |= {"scope": decision.scope} if decision.scope != "once" else {}
    detail |= {"plan": decision.plan} if decision.plan else {}
    detail |= {"terminal": decision.terminal} if decision.terminal else {}
    if hasty:
        return f"{summary} after {decision.seconds:.1f} s, too soon to have been read", {**detail, "hasty": True}
    return summary, detail


DAY = 86_400.0
_TOLD = 120  # characters of a program's sentence that name its rule


class ApprovalRules:
    """Rules of kind "text". They are among the user's rules, where the user revokes them; agents reach neither."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def reach(self, run: Run, verdict: Verdict) -> tuple[tuple[str, ...], str]:
        """The scopes beyond this run that the user may choose, and why there are no wider ones."""
        if why := once_only(run.proposal, verdict, self._services.catalog.tools()):
            return (), why
        if why := session_only(verdict):
            return ("session",), why
        server = ("server",) if verdict.risk is Risk.MEDIUM and len({use.server for use in verdict.tools}) == 1 else ()
        return ("session", "text", *server), ""

    def standing(self, run: Run, session: Session) -> Permission | None:
        """The rule by which this program runs without asking, if the user made one that still applies."""
        verdict, rules = run.verdict, self._services.rules
        if verdict is None or rules.trust.lost or run.proposal.force_approval or verdict.asks:
            return None
        scopes, _ = self.reach(run, verdict)
        pins = [one for one in rules.rules if one.kind == "text" and one.word is Word.ALLOW]
        if not scopes or not pins:
            return None
        key, now = self._key(run, verdict), time.time()
        return next((one for one in pins if one.key == key and _lives(one, scopes, session, now)), None)

    def use(self, rule: Permission, run: Run) -> Decision:
        """The decision of a rule in the user's place."""
        self._services.rules.note_use(rule)
        by = f"your rule of {time.strftime('%d %b %H:%M', time.localtime(rule.made))}"
        return Decision(
            run.id, run.proposal.sha, True, by, at=time.time(), scope=rule.scope, fingerprint=run.fingerprint
        )

    def keep(self, run: Run, decision: Decision, session: Session) -> Permission | None:
        """Make the rule that a decision asks for; refuses a wider scope than the request offered."""
        verdict = run.verdict
        if decision.scope == "once" or not decision.allow or verdict is None:
            return None
        if decision.scope not in run.scopes:
            raise WorkbenchError("This program cannot be allowed for longer.", run.scopes_why or "Allow it once.")
        if decision.scope == "server":
            server = verdict.tools[0].server
            made = self._services.rules.put(Permission("", "server", Word.ALLOW, server, source=f"run {run.id}"), None)
        else:
            made = self._services.rules.pin(self._pin(run, verdict, decision, session))
        self._services.tell(PermissionsChanged(self._services.rules.view(self._services.catalog.tools())))
        return made

    def _pin(self, run: Run, verdict: Verdict, decision: Decision, session: Session) -> Permission:
        passing, now = decision.scope == "session", time.time()
        rule = Permission(uuid.uuid4().hex[:12], "text", Word.ALLOW, source=f"run {run.id}", made=now)
        return replace(
            rule,
            key=self._key(run, verdict),
            scope="session" if passing else "always",
            session=session.id if passing else "",
            taint=tuple(sorted(session.provenance.kinds | self._reads(verdict))),
            about=approval_basis(verdict),
            expires=0.0 if passing else now + self._services.settings().approval_rule_days * DAY,
            label=f"Run this program: {session.mask(verdict.sentence)[:_TOLD]}",
        )

    def _key(self, run: Run, verdict: Verdict) -> str:
        """Of the text in its meaning, the servers behind it, and how much weaker than wanted it is isolated."""
        parts = [
            text_fingerprint(run.proposal, verdict),
            run.isolation,
            server_fingerprints(verdict, self._services.catalog),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _reads(self, verdict: Verdict) -> set[str]:
        """The kinds of text that the program itself reads; the user knew of them."""
        used = {(use.server, use.tool) for use in verdict.tools}
        tools = [tool for tool in self._services.catalog.tools() if (tool.server, tool.name) in used]
        kinds = {PRIVATE for tool in tools if tool_annotations.private(tool)}
        return kinds | {UNTRUSTED for tool in tools if tool_annotations.outsiders(tool)}


def _lives(rule: Permission, scopes: tuple[str, ...], session: Session, now: float) -> bool:
    """Whether it counts in this session, which must not have read worse than the one it was made in."""
    if rule.expires and now >= rule.expires:
        return False
    mine = "text" in scopes if rule.scope == "always" else rule.session == session.id
    return mine and session.provenance.kinds <= set(rule.taint)


def approval_fingerprint(proposal: Proposal, verdict: Verdict, catalog: ServerCatalog, most: Limits) -> str:
    """Over the text, the limits it would run under, and what the names in it mean right now."""
    tools = sorted({(use.server, use.tool) for use in verdict.tools})
    skills = [pair for pair in sorted(verdict.definitions.items()) if pair[0].startswith(MARK)]
    wished = [proposal.language, proposal.state, float(proposal.seconds), proposal.profile, sorted(proposal.required)]
    limits = [*wished, *astuple(most)]
    definitions = [[server, tool, _definition(server, tool, catalog)] for server, tool in tools]
    parts = [proposal.sha, limits, server_fingerprints(verdict, catalog), definitions, skills]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def server_fingerprints(verdict: Verdict, catalog: ServerCatalog) -> list[tuple[str, str]]:
    """The servers whose tools a program names, each with the fingerprint of its entry."""
    named = {use.server for use in verdict.tools}
    configs = [state.config for state in catalog.states()]
    return sorted((config.name, fingerprint(config)) for config in configs if config.name in named)


def _definition(server: str, tool: str, catalog: ServerCatalog) -> str:
    try:
        return catalog.tool(server, tool).hash
    except WorkbenchError:
        return ""
