"""Records how the PII tokens of each session are used, from audit entries and ends of runs, so that no call waits
for it."""

from __future__ import annotations

from collections import deque

from workbench.broker.agent_sessions import Sessions
from workbench.events import EntryWritten, Event, RunChanged
from workbench.records import Entry, Place, Run, RunState

_ENDS = frozenset({RunState.DONE, RunState.REFUSED, RunState.FAILED, RunState.STOPPED})
_KINDS = frozenset({"call.sent", "call.done", "call.failed"})
_RUNS = 1_000  # ended runs that are remembered, because the end of a run can be reported more than once


class TokenUsage:
    """Records the use of PII tokens from events of the core."""

    hears = (EntryWritten, RunChanged)

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._ended: deque[str] = deque(maxlen=_RUNS)

    def hear(self, event: Event) -> None:
        match event:
            case EntryWritten(entry=entry) if entry.note.kind in _KINDS:
                self._follow(entry)
            case RunChanged(run=run) if run.state in _ENDS and run.model_view and run.id not in self._ended:
                self._ended.append(run.id)
                self._show(run)

    def _follow(self, entry: Entry) -> None:
        note = entry.note
        session = self._sessions.get(note.session)
        arguments = note.detail.get("arguments")
        if session is not None and isinstance(arguments, str):
            place = Place(note.server, note.tool, note.run_id, entry.at)
            session.token_history.record_call(arguments, str(note.detail.get("call")), place)

    def _show(self, run: Run) -> None:
        session = self._sessions.get(run.proposal.session)
        if session is not None and not run.proposal.dry_run:
            session.token_history.record_text(run.model_view, run.id)
