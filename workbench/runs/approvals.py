"""What a person needs to know of a waiting program beside its verdict, and what their answers mean for other programs.

The programs that a person allowed since the core began are remembered here, so that the next one can be shown as what
it is: the same but for a comment, or but for two values.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.program_fingerprints import ProgramFingerprints, changed_values, fingerprints, is_near
from workbench.analysis.reading import Reading
from workbench.audit.audit_statistics import is_hasty
from workbench.broker.services import Services
from workbench.records import Decision, Likeness, Proposal, Resemblance, Run, Verdict
from workbench.runs.approval_fingerprint import approval_fingerprint
from workbench.runs.pinned_approvals import PinnedApprovals
from workbench.runs.program_execution import limits_from

REMEMBERED = 100  # allowed programs that the next ones are compared with
LONGEST = 60_000  # characters of a program that is remembered for that


class Allowed(Struct, frozen=True):
    """One program that a person let run."""

    at: float
    fingerprints: ProgramFingerprints
    program: ParsedProgram
    language: str


class Approvals:
    """Looks back; decides nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.pins = PinnedApprovals(services)
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
        """The run with what its question says beside the verdict."""
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
        """A person let this run."""
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
    """The same answer to another run of the same question; nobody looked at that one for itself."""
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
