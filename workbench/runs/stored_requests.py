"""Programs of agents that wait for approval, stored so that they wait again after the core was restarted.

One file for each waiting program, readable by the user only, from the moment it waits until it is decided. It holds
the program and what its approval depends on; the next core assesses the program again. Values of PII tokens are not in
it. A program that shares a REPL session cannot be continued, because its process is gone, and is not stored.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from workbench.analysis.canonical_text import canonicalize
from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.records import Origin, Proposal, Run

log = logging.getLogger(__name__)

_FORMAT: Final = 1
_MOST: Final = 500  # restored programs
_LARGEST: Final = 4 << 20  # bytes of one file


class StoredRequest(Struct, frozen=True):
    """One program that waits for approval."""

    proposal: Proposal
    fingerprint: str  # approval fingerprint of what the user was shown
    deadline: float
    agent: str  # the name that the agent gave itself
    author: str  # the name under which it is shown
    client_claims: dict[str, str]
    kinds: tuple[str, ...]  # kinds of text that its session has read: private, untrusted
    private_servers: tuple[str, ...]  # servers whose private data its session has read
    format: int = _FORMAT


class StoredRequests:
    """The stored programs of one project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def store(self, run: Run, session: Session) -> bool:
        """Store a waiting program, or its newest state; returns whether it will wait again after a restart."""
        proposal = run.proposal
        if proposal.origin is not Origin.AGENT or proposal.state or proposal.dry_run or proposal.dry_run_of:
            return False
        read = session.provenance
        request = StoredRequest(
            proposal,
            run.fingerprint,
            run.deadline,
            session.claimed_name,
            session.author,
            dict(session.client_claims),
            tuple(sorted(read.kinds)),
            tuple(sorted(read.private_servers)),
        )
        try:
            write_file(self._file(run.id), msgspec.json.encode(request), durable=False)
        except UnicodeEncodeError:  # a text with lone surrogates, which cannot run
            self.remove(run.id)  # an earlier text of the program
            return False
        except WorkbenchError as fault:
            log.warning("a waiting program cannot be stored: %s", fault)
            return False
        return True

    def remove(self, run_id: str) -> None:
        """Forget a program that no longer waits."""
        self._file(run_id).unlink(missing_ok=True)

    def holds(self, run_id: str) -> bool:
        """Whether a program is stored."""
        return self._file(run_id).is_file()

    def load(self) -> tuple[StoredRequest, ...]:
        """Return what an earlier core stored, oldest first. Damaged files are deleted."""
        found = []
        for file in sorted(self._folder.glob("*.json"))[:_MOST] if self._folder.is_dir() else ():
            try:
                request = msgspec.json.decode(read_plain(file, largest=_LARGEST), type=StoredRequest)
                if request.format != _FORMAT or self._file(request.proposal.id) != file:
                    raise ValueError("it has another format or another name")
                if canonicalize(request.proposal.code).sha != request.proposal.sha:
                    raise ValueError("its program does not match its hash")
            except (OSError, ValueError, msgspec.DecodeError) as fault:
                log.warning("a stored program cannot be read: %s: %s", file.name, fault)
                file.unlink(missing_ok=True)
                continue
            found.append(request)
        return tuple(sorted(found, key=lambda request: request.proposal.at))

    def _file(self, run_id: str) -> Path:
        return self._folder / f"{run_id}.json"
