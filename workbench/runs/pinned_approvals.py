"""Approvals that reach further than one run: exactly this text in exactly this meaning, for a session or until a day.

Such a rule is looked for where a person would be asked, and only there. What it was given for is compared again each
time: another definition of a tool, another version of Python or of the rules makes another hash. A session that has
read more strangers' text or more private data than the one it was given in asks again.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid

from msgspec.structs import replace

from workbench.analysis.program_fingerprints import once_only, session_only, text_fingerprint
from workbench.broker.agent_sessions import Session
from workbench.broker.provenance_index import PRIVATE, UNTRUSTED
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import PermissionsChanged
from workbench.permissions import tool_annotations
from workbench.permissions.call_rules import approval_basis
from workbench.records import Decision, Permission, Risk, Run, Verdict, Word
from workbench.runs.approval_fingerprint import servers_behind

DAY = 86_400.0
_TOLD = 120  # characters of a program's sentence that name its rule


class PinnedApprovals:
    """Kept among the person's rules, where a person revokes them; no agent reaches either."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def reach(self, run: Run, verdict: Verdict) -> tuple[tuple[str, ...], str]:
        """How far a yes may reach beyond this run, and why not further."""
        if why := once_only(run.proposal, verdict, self._services.catalog.tools()):
            return (), why
        if why := session_only(verdict):
            return ("session",), why
        server = ("server",) if verdict.risk is Risk.MEDIUM and len({use.server for use in verdict.tools}) == 1 else ()
        return ("session", "text", *server), ""

    def standing(self, run: Run, session: Session) -> Permission | None:
        """The rule that lets this program run without a question, if a person made one that still counts."""
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
        """The rule answers in the person's place."""
        self._services.rules.note_use(rule)
        by = f"your rule of {time.strftime('%d %b %H:%M', time.localtime(rule.made))}"
        return Decision(
            run.id, run.proposal.sha, True, by, at=time.time(), scope=rule.scope, fingerprint=run.fingerprint
        )

    def keep(self, run: Run, decision: Decision, session: Session) -> Permission | None:
        """Make the rule that a decision asks for; refuses one that reaches further than the question offered."""
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
            servers_behind(verdict, self._services.catalog),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _reads(self, verdict: Verdict) -> set[str]:
        """What the program itself brings into its session: the person has read that, too."""
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
