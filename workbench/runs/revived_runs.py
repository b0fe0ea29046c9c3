"""Puts a program back that was refused because nobody answered in time, or that a restart of the core interrupted.

It becomes a new run, which is assessed again with what its agent session has read by now. Both runs name each other, so
that the agent finds the new one under the id that it knows.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

from msgspec.structs import replace

from workbench.analysis.canonical_text import CanonicalText, canonicalize
from workbench.broker.agent_sessions import Session
from workbench.broker.provenance_index import PRIVATE, UNTRUSTED
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.privacy.pii_tokens import find_tokens
from workbench.records import Origin, Proposal, Run
from workbench.runs.repl_sessions import ReplSession
from workbench.runs.run import ProgramRun


class RevivedRuns:
    """Makes new runs of lapsed and interrupted ones."""

    def __init__(
        self,
        services: Services,
        start: Callable[[ProgramRun], Run],
        find_repl_session: Callable[[Session, str], ReplSession],
    ) -> None:
        self._services = services
        self._start = start
        self._find_repl_session = find_repl_session

    def revive(self, old: Run) -> Run:
        """Start a new run of the program of an ended run, and return it."""
        if not old.can_be_revived:
            words = "This program cannot be put back: it ran, was not waiting, or is back already."
            raise WorkbenchError(words, "Open its code in a new tab instead.")
        before = old.proposal
        text, session = self._text_of(old), self._session_of(before)
        repl_session = self._find_repl_session(session, before.state) if before.state else None
        proposal = replace(
            before,
            id=f"r{uuid.uuid4().hex[:11]}",
            session=session.id,
            at=time.time(),
            revives=old.id,
            # a program that had begun may have done a part of its work already, so the user decides again
            force_approval=before.force_approval or old.started > 0,
        )
        return self._start(ProgramRun(self._services, session, proposal, repl_session, text))

    def _text_of(self, old: Run) -> CanonicalText:
        """Return the text that waited. The audit has it only if it contained nothing to mask."""
        text = canonicalize(old.proposal.code)
        if text.sha != old.proposal.sha:
            raise WorkbenchError(
                "The text of this program is not stored: it contained personal data, a secret, or was too long.",
                "Ask its agent to propose it again.",
            )
        return text

    def _session_of(self, proposal: Proposal) -> Session:
        """Return the session of the program's author. An agent that connected again has a new one; for one that did
        not, a session is opened that counts as having read everything."""
        sessions = self._services.sessions
        if (session := sessions.get(proposal.session)) is not None:
            return session
        if proposal.origin is Origin.PERSON:
            return sessions.person
        if next(find_tokens(proposal.code), None) is not None:
            raise WorkbenchError(
                "The program contains tokens of an agent session that has ended.", "Ask its agent to propose it again."
            )
        again = [one for one in sessions.all() if one.connected and one.author == proposal.author]
        if len(again) == 1:
            return again[0]
        session = sessions.open(proposal.author)
        sessions.set_name(session, proposal.author)
        session.provenance.kinds |= {PRIVATE, UNTRUSTED}
        sessions.mark_disconnected(session)
        return session
