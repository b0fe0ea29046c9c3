"""Answers what a person asks of calls that wait in the middle of a run, and takes their word."""

from __future__ import annotations

from workbench.api.marker import api
from workbench.audit.review import DECIDED, is_hasty
from workbench.desk.seat import BY, Seat
from workbench.records import Note, Pause, PauseAnswer
from workbench.runs.sessions import PERSON


class PausesDesk(Seat):
    """Calls that wait."""

    @api(decides=True, consent=True)
    async def answer_pause(self, answer: PauseAnswer) -> Pause:
        """Let it pass or deny it; the answer counts for exactly the calls that the pause of this id showed."""
        agents = any(
            one.id == answer.pause_id and one.session != PERSON for one in self._house.run_manager.pauses.all()
        )
        terminal = self._check_terminal(of_agent=agents)
        pause = self._house.run_manager.pauses.answer(answer)
        self._services.journal.append(self._told(pause, answer, terminal))
        return pause

    def _told(self, pause: Pause, answer: PauseAnswer, terminal: str) -> Note:
        """One decision, however many calls it is about; how each call went on stands in entries of its own."""
        calls = f"{len(pause.list)} calls" if len(pause.list) > 1 else "a call"
        word, hasty = ("allowed" if answer.allow else "denied"), is_hasty(answer.allow, answer.seconds)
        unread = f" after {answer.seconds:.1f} s, too soon to have been read" if hasty else ""
        detail: dict[str, object] = {"allow": answer.allow, "by": BY, "seconds": answer.seconds, "scope": answer.scope}
        detail |= {"terminal": terminal} if terminal else {}
        return Note(
            kind=f"{DECIDED}.call",
            summary=f"{calls} of {pause.server}.{pause.tool} {word} by {BY}{unread}",
            actor=BY,
            session=pause.session,
            server=pause.server,
            tool=pause.tool,
            run_id=pause.run_id,
            risk=str(pause.risk),
            detail={**detail, "calls": len(pause.list), **({"hasty": True} if hasty else {})},
        )
